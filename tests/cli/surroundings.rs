//! What lies around a script changes what is said of it.

use std::fs;

use serde_json::Value;
use vramlens_tests::machine;

use crate::support::Folder;

/// A script that loads a model in the default type of the installed version.
const LOAD: &str = "\
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen2.5-0.5B').to('cuda')
";

/// The parameters of that model.
const PARAMETERS: u64 = 494_032_768;

/// The only estimate of a script.
fn estimate(folder: &Folder, script: &str) -> Value {
    let outcome = folder.run(&["estimate", "--output-format", "json", script]);
    let estimates = outcome.json();
    assert_eq!((estimates.len(), outcome.stderr.as_str()), (1, ""));
    estimates[0].clone()
}

fn weights(folder: &Folder, script: &str) -> u64 {
    let estimate = estimate(folder, script);
    estimate["bytes"]["weights"].as_u64().unwrap_or_else(|| panic!("{estimate}"))
}

/// Why the type is what it is taken for.
fn why(folder: &Folder, script: &str) -> String {
    let estimate = estimate(folder, script);
    let mut assumptions = estimate["assumptions"].as_array().unwrap().iter();
    let dtype = assumptions.find(|assumption| assumption["what"] == "dtype").unwrap();
    dtype["why"].as_str().unwrap().to_owned()
}

fn locked(version: &str) -> String {
    format!("[[package]]\nname = \"transformers\"\nversion = \"{version}\"\n")
}

#[test]
fn a_script_under_two_locks_is_two_scripts() {
    let folder = Folder::new()
        .file("old/train.py", LOAD)
        .file("old/uv.lock", locked("4.46.3"))
        .file("new/deep/train.py", LOAD)
        .file("new/poetry.lock", locked("5.3.0"));
    assert_eq!(weights(&folder, "old/train.py"), PARAMETERS * 4);
    assert_eq!(weights(&folder, "new/deep/train.py"), PARAMETERS * 2);
    assert!(why(&folder, "old/train.py").contains("4.46.3 in uv.lock"));
}

#[test]
fn what_is_installed_wins_over_what_is_locked() {
    let folder = Folder::new()
        .file("train.py", LOAD)
        .file("uv.lock", locked("5.3.0"))
        .file(".venv/lib/python3.12/site-packages/transformers-4.57.6.dist-info/METADATA", "");
    assert_eq!(weights(&folder, "train.py"), PARAMETERS * 4);
    assert!(why(&folder, "train.py").contains("4.57.6 in .venv"));
}

#[test]
fn the_header_of_a_script_wins_over_everything() {
    let header = "# /// script\n# dependencies = [\"transformers>=5\"]\n# ///\n";
    let folder = Folder::new()
        .file("train.py", format!("{header}{LOAD}"))
        .file(".venv/lib/python3.12/site-packages/transformers-4.57.6.dist-info/METADATA", "");
    assert_eq!(weights(&folder, "train.py"), PARAMETERS * 2);
}

#[test]
fn standard_input_has_the_surroundings_of_its_name() {
    let folder =
        Folder::new().file("old/requirements.txt", "-r more.txt\n").file("old/more.txt", "transformers<5\n");
    let words = ["check", "--stdin-filename", "old/train.py", "-"];
    let said = |input: &str| folder.run_with_input(&words, input.as_bytes()).stdout;
    assert!(said(LOAD).contains("1.84 GiB of weights"), "{}", said(LOAD));
}

#[test]
fn a_folder_beside_the_script_is_read_by_its_headers() {
    let folder = Folder::new()
        .file("work/train.py", LOAD.replace("Qwen/Qwen2.5-0.5B", "./mine"))
        .file("work/uv.lock", locked("5.3.0"));
    machine::weights(&folder.path("work/mine/model.safetensors"), 3000).unwrap();
    assert_eq!(weights(&folder, "work/train.py"), 3000 << 20);
    let estimate = estimate(&folder, "work/train.py");
    assert!(estimate["model_source"].as_str().unwrap().contains("mine"), "{estimate}");
}

#[test]
fn files_of_a_known_model_win_over_the_catalog() {
    let folder = Folder::new().file("train.py", LOAD).file("uv.lock", locked("5.3.0"));
    let cache = "cache/models--Qwen--Qwen2.5-0.5B/snapshots/0123456789abcdef0123456789abcdef01234567";
    machine::weights(&folder.path(&format!("{cache}/model.safetensors")), 700).unwrap();
    let mut command = folder.command(&["estimate", "--output-format", "json", "train.py"]);
    command.env("HF_HUB_CACHE", folder.path("cache"));
    let estimates: Vec<Value> = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    assert_eq!(estimates[0]["bytes"]["weights"], 700_u64 << 20);
    assert_eq!(weights(&folder, "train.py"), PARAMETERS * 2);
}

#[test]
fn a_broken_file_is_named_with_what_to_do() {
    let folder = Folder::new()
        .file("train.py", LOAD.replace("Qwen/Qwen2.5-0.5B", "./mine"))
        .file("mine/model.safetensors", "version https://git-lfs.github.com/spec/v1\n");
    let unknown = estimate(&folder, "train.py")["unknown"].as_str().unwrap().to_owned();
    assert!(unknown.contains("mine/model.safetensors") && unknown.contains("git lfs pull"), "{unknown}");
}

#[test]
fn files_of_other_tools_may_be_broken() {
    let folder = Folder::new().file("train.py", LOAD);
    for name in
        ["uv.lock", "pyproject.toml", "environment.yml", "Pipfile.lock", "requirements.txt", "setup.cfg"]
    {
        fs::write(folder.path(name), [0xff, 0x00, b'[']).unwrap();
    }
    let outcome = folder.run(&["check", "train.py"]);
    assert!(outcome.stdout.contains("942 MiB–1.8 GiB"), "{outcome:?}");
}
