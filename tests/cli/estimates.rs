//! How much memory is needed where: `estimate`, the end of `check`, and the lists of models and cards.

use serde_json::{Value, json};
use vramlens_tests::machine;

use crate::support::{Folder, TRAINING};

/// A script that loads a model that is known, and one that is not.
const LOADS: &str = "\
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained('mistralai/Mistral-7B-v0.1', torch_dtype='float16').to('cuda')
other = AutoModelForCausalLM.from_pretrained('nobody/nothing')
";

const WEIGHTS: u64 = 14_483_464_192;

fn loading() -> Folder {
    Folder::new().file("load.py", LOADS)
}

#[test]
fn a_script_is_told_of_load_by_load() {
    insta::assert_snapshot!(loading().run(&["estimate", "load.py", "--gpu", "RTX 4090"]).stdout);
}

#[test]
fn every_field_of_an_estimate_in_json_is_there_and_right() {
    let outcome = loading().run(&["estimate", "load.py", "--gpu", "24GiB", "--output-format", "json"]);
    let [known, unknown] = <[Value; 2]>::try_from(outcome.json()).unwrap();
    let fields = [
        "filename",
        "location",
        "kind",
        "model",
        "model_source",
        "certainty",
        "parameters",
        "bytes",
        "unknown",
        "allocated_peak",
        "reserved_peak",
        "low",
        "high",
        "per_gpu",
        "parts",
        "assumptions",
        "gpus",
        "levers",
    ];
    for estimate in [&known, &unknown] {
        let names: Vec<&str> = estimate.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, fields);
        assert_eq!((&estimate["filename"], &estimate["kind"]), (&json!("load.py"), &json!("load")));
    }
    assert_eq!(known["location"], json!({"row": 2, "column": 9}));
    assert_eq!(known["model"], "mistralai/Mistral-7B-v0.1");
    assert_eq!((&known["certainty"], &known["parameters"]), (&json!("exact"), &json!(7_241_732_096_u64)));
    assert_eq!((&known["bytes"]["weights"], &known["allocated_peak"]), (&json!(WEIGHTS), &json!(WEIGHTS)));
    let overhead = known["bytes"]["overhead"].as_u64().unwrap();
    assert_eq!(known["bytes"]["total"], WEIGHTS + overhead);
    assert_eq!(known["gpus"][0]["capacity"], 24_u64 << 30);
    assert_eq!(known["gpus"][0]["verdict"], "fits");
    assert_eq!(known["assumptions"][0]["change_at"]["row"], 2);
    assert_eq!((&unknown["bytes"], &unknown["model"]), (&Value::Null, &json!("nobody/nothing")));
    assert!(unknown["unknown"].as_str().unwrap().contains("nobody/nothing"));
}

#[test]
fn a_place_in_a_notebook_carries_its_cell() {
    let cell =
        json!({"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": LOADS});
    let text = json!({"cell_type": "markdown", "metadata": {}, "source": "# Loads"});
    let notebook = json!({"cells": [text, cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5});
    let folder = Folder::new().file("load.ipynb", notebook.to_string());
    let estimates = folder.run(&["estimate", "load.ipynb", "--output-format", "json"]).json();
    assert_eq!(estimates[0]["location"], json!({"row": 2, "column": 9, "cell": 1}));
    let told = folder.run(&["estimate", "load.ipynb"]).stdout;
    assert!(told.starts_with("load.ipynb:cell 2:2:9\n"), "{told}");
}

#[test]
fn a_model_is_told_of_by_its_name_with_other_precisions() {
    let folder = Folder::new();
    let told = folder.run(&["estimate", "mistralai/Mistral-7B-v0.1", "--gpu", "RTX 4090"]);
    assert_eq!((told.status, told.stderr.as_str()), (0, ""));
    let lines: Vec<&str> = told.stdout.lines().collect();
    assert!(
        lines[0]
            .starts_with("`mistralai/Mistral-7B-v0.1`: 13.49 GiB of weights on the GPU (7.24B parameters")
    );
    let others = lines.iter().position(|line| *line == "In other precisions:").unwrap();
    let starts = ["  float32", "  8-bit", "  4-bit"];
    for (line, start) in lines[others + 1..].iter().zip(starts) {
        assert!(line.starts_with(start) && line.contains("RTX 4090"), "{line}");
    }
    let estimates = folder.run(&["estimate", "gpt2", "--output-format", "json"]).json();
    let shown: Vec<_> = estimates.iter().map(|one| (&one["location"], &one["filename"])).collect();
    assert_eq!(shown, [(&Value::Null, &json!("gpt2")); 2]);
}

#[test]
fn files_on_this_machine_are_read() {
    let config = json!({"architectures": ["LlamaForCausalLM"], "model_type": "llama"}).to_string();
    let script = "\
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained('own/model', torch_dtype='auto').to('cuda')
";
    let folder = Folder::new().file("own/model/config.json", config).file("load.py", script);
    machine::weights(&folder.path("own/model/model.safetensors"), 2).unwrap();
    for target in ["load.py", "own/model", "own/model/model.safetensors"] {
        let estimates = folder.run(&["estimate", target, "--output-format", "json"]).json();
        assert_eq!(estimates[0]["bytes"]["weights"], 2 << 20, "{target}");
        assert!(estimates[0]["model_source"].as_str().unwrap().contains("own/model"), "{target}");
    }
    let folder = folder.file("broken/config.json", "{\"archi");
    let broken = folder.run(&["estimate", "broken"]);
    assert!(broken.status == 2 && broken.stderr.contains("config.json"), "{}", broken.stderr);
    let outcome = folder.run(&["estimate", "own"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.stderr.contains("this folder has no files of a model"), "{}", outcome.stderr);
}

#[test]
fn the_status_tells_whether_it_fits() {
    let folder = loading();
    let status = |words: &[&str]| folder.run(&[&["estimate"], words].concat()).status;
    assert_eq!(status(&["load.py"]), 0);
    assert_eq!(status(&["load.py", "--gpu", "24GiB"]), 0);
    assert_eq!(status(&["load.py", "--gpu", "8GiB"]), 1);
    // The precisions to choose from do not count.
    assert_eq!(status(&["mistralai/Mistral-7B-v0.1", "--gpu", "RTX 4090"]), 0);
    assert_eq!(status(&["mistralai/Mistral-7B-v0.1", "--gpu", "8GiB"]), 1);
    assert_eq!(status(&["nobody/nothing"]), 2);
    assert_eq!(status(&["load.py", "nobody/nothing"]), 2);
}

#[test]
fn what_cannot_be_estimated_says_what_to_do() {
    let folder = loading().file("model.gguf", "GGUF").file("notes.txt", "").file("empty.py", "x = 1\n");
    for (target, words) in [
        ("none.py", "no such file"),
        ("model.gguf", "not read yet"),
        ("notes.txt", "neither a script"),
        ("nobody/nothing", "neither in the catalog"),
        ("openai-community/gpt2-larg", "Did you mean `openai-community/gpt2-large`"),
    ] {
        let outcome = folder.run(&["estimate", target]);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (2, ""), "{target}");
        let told = outcome.stderr.replace('\n', " ");
        assert!(told.contains(words), "{target}: {told}");
    }
    let outcome = folder.run(&["estimate", "empty.py"]);
    assert_eq!(outcome.status, 0);
    assert!(outcome.stdout.starts_with("empty.py: nothing in it loads a model"), "{}", outcome.stdout);
}

#[test]
fn a_wrong_card_is_told_with_the_nearest() {
    let folder = loading().file("vramlens.toml", "gpu = \"RTX 409\"\n");
    for command in ["check", "estimate"] {
        let outcome = folder.run(&[command, "load.py", "--gpu", "RTX 409"]);
        assert_eq!(outcome.status, 2);
        assert!(outcome.stderr.contains("`RTX 4090`"), "{}", outcome.stderr);
    }
    let findings = folder.run(&["check", "--output-format", "json"]).json();
    assert_eq!((&findings[0]["code"], &findings[0]["filename"]), (&json!("VL001"), &json!("vramlens.toml")));
    assert_eq!(findings[0]["location"], json!({"row": 1, "column": 7}));
    assert!(findings[0]["message"].as_str().unwrap().contains("`RTX 4090`"));
}

#[test]
fn the_card_of_the_settings_file_counts_for_all_commands() {
    let folder = loading().file("vramlens.toml", "gpu = \"8GiB\"\n");
    assert!(folder.run(&["check"]).stdout.contains("The weights do not fit: 8 GiB"));
    for target in ["load.py", "mistralai/Mistral-7B-v0.1"] {
        let told = folder.run(&["estimate", target]);
        assert!(told.status == 1 && told.stdout.contains("The weights do not fit: 8 GiB"), "{}", told.stdout);
    }
}

#[test]
fn a_settings_file_that_cannot_be_used_is_told_of() {
    for target in ["load.py", "gpt2"] {
        let wrong = loading().file("vramlens.toml", "gpu = \"RTX 409\"\n").run(&["estimate", target]);
        assert_eq!(wrong.status, 0);
        assert!(wrong.stderr.starts_with("vramlens.toml:1:7: VL001 [warning] "), "{}", wrong.stderr);
        let broken = loading().file("vramlens.toml", "gpu = = 3\n").run(&["estimate", target]);
        assert!(broken.status == 2 && broken.stderr.contains("VL001 [error]"), "{}", broken.stderr);
    }
}

#[test]
fn check_ends_with_the_estimates_and_the_summary() {
    let folder = loading().file("train.py", TRAINING);
    for format in ["full", "concise"] {
        let told = folder.run(&["check", "--gpu", "RTX 4090", "--output-format", format]).stdout;
        let [.., load, unknown, summary] = told.lines().collect::<Vec<_>>()[..] else { panic!("{told}") };
        let headline =
            "`mistralai/Mistral-7B-v0.1`: 13.49 GiB of weights on the GPU (7.24B parameters, float16)";
        assert!(load.starts_with(&format!("load.py:2:9: {headline}. The weights fit: RTX 4090 (")), "{load}");
        assert_eq!(unknown, "1 model could not be sized: `vramlens estimate FILE` says why");
        assert!(summary.starts_with("1 warning in 1 file"), "{summary}");
    }
    let json = folder.run(&["check", "--output-format", "json"]).json();
    assert!(json.iter().all(|finding| finding["code"].is_string()));
}

#[test]
fn cards_are_listed_and_filtered() {
    let folder = Folder::new();
    let all = folder.run(&["gpus"]).stdout;
    assert!(all.lines().count() > 50 && all.starts_with("name "), "{all}");
    let told = folder.run(&["gpus", "geforce 4090"]).stdout;
    assert!(told.lines().skip(1).all(|line| line.contains("4090") && line.contains("GeForce")), "{told}");
    assert!(told.lines().any(|line| line.starts_with("RTX 4090 ") && line.contains("23.99 GiB")), "{told}");
    assert!(folder.run(&["gpus", "g5.xlarge"]).stdout.contains("A10G"), "the card of a machine");
    let cards = folder.run(&["gpus", "A100", "--output-format", "json"]).json();
    let fields = ["name", "count", "capacity", "usable", "smi_name", "class", "architecture"];
    for card in &cards {
        assert_eq!(card.as_object().unwrap().keys().collect::<Vec<_>>(), fields);
        assert!(card["usable"].as_u64() <= card["capacity"].as_u64());
    }
    assert!(cards.len() > 1);
}

#[test]
fn models_are_listed_and_filtered() {
    let folder = Folder::new();
    assert!(folder.run(&["models"]).stdout.lines().count() > 1000);
    let told = folder.run(&["models", "mistral-7b-v0.1"]).stdout;
    assert!(
        told.lines().any(|line| line.starts_with("mistralai/Mistral-7B-v0.1 ") && line.contains("7.24B")),
        "{told}"
    );
    let models = folder.run(&["models", "mistral-7b-v0.1", "--output-format", "json"]).json();
    let fields = ["id", "task", "parameters", "stored_bytes", "verified"];
    for model in &models {
        assert_eq!(model.as_object().unwrap().keys().collect::<Vec<_>>(), fields);
    }
    assert!(models.iter().any(|model| model["stored_bytes"] == WEIGHTS));
}

#[test]
fn a_list_without_a_match_is_an_error_with_what_may_have_been_meant() {
    let folder = Folder::new();
    for (command, filter, near) in [
        ("gpus", "RTX 409O", Some("`RTX 4090`")),
        ("models", "mistralai/Mistral-7B-v0.l", Some("7B-v0.1`")),
        ("gpus", "zzz", None),
    ] {
        let outcome = folder.run(&[command, filter]);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (2, ""), "{command} {filter}");
        let told = outcome.stderr.replace('\n', " ");
        assert!(told.contains(near.unwrap_or("lists them all")), "{told}");
        assert_eq!(folder.run(&[command, filter, "--output-format", "json"]).json(), Vec::<Value>::new());
    }
}
