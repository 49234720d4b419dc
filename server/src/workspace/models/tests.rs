//! Where a name leads on a machine.
#![allow(clippy::unwrap_used, reason = "tests may fail")]

use std::fs;
use std::path::{Path, PathBuf};

use super::Reader;
use crate::estimate::Certainty;
use crate::models::FactSource;
use crate::surroundings::LocalModel;
use crate::workspace::variables::Variables;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A machine: a home, a workspace in it, and a script's folder in that.
struct Machine {
    home: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("work/scripts")).unwrap();
        Self { home }
    }

    fn path(&self, inside: &str) -> PathBuf {
        self.home.path().join(inside)
    }

    /// With a model of so many parameters in a folder.
    fn model(self, folder: &str, parameters: u64) -> Self {
        model(&self.path(folder), parameters);
        self
    }

    fn file(self, name: &str, content: &str) -> Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    fn reader(&self) -> Reader {
        self.reader_with("HOME", "")
    }

    fn reader_with(&self, variable: &'static str, folder: &str) -> Reader {
        let home = ("HOME", self.home.path().display().to_string());
        let other = (variable, self.path(folder).display().to_string());
        Reader::new(&Variables::from([home, other]), self.path("work"))
    }

    fn look_up(&self, name: &str) -> LocalModel {
        self.reader().look_up(name, &self.path("work/scripts"))
    }

    fn cache(id: &str) -> String {
        format!(".cache/huggingface/hub/models--{}", id.replace('/', "--"))
    }
}

fn model(folder: &Path, parameters: u64) {
    fs::create_dir_all(folder).unwrap();
    let tensor =
        format!(r#"{{"a":{{"dtype":"U8","shape":[{parameters}],"data_offsets":[0,{parameters}]}}}}"#);
    let length = (tensor.len() as u64).to_le_bytes();
    let data = vec![0; usize::try_from(parameters).unwrap()];
    fs::write(folder.join("model.safetensors"), [&length, tensor.as_bytes(), &data].concat()).unwrap();
}

/// The parameters of what was found.
fn parameters(found: &LocalModel) -> Option<u64> {
    match found {
        LocalModel::Found(facts) => Some(facts.parameters()),
        LocalModel::Absent => None,
        LocalModel::Broken(sentence) => panic!("{sentence}"),
    }
}

#[test]
fn a_folder_beside_the_script_comes_first_then_the_workspace_then_the_cache() {
    let machine = Machine::new().model(&format!("{}/snapshots/{COMMIT}", Machine::cache("org/net")), 3);
    assert_eq!(parameters(&machine.look_up("org/net")), Some(3));
    let machine = machine.model("work/org/net", 2);
    assert_eq!(parameters(&machine.look_up("org/net")), Some(2));
    let machine = machine.model("work/scripts/org/net", 1);
    assert_eq!(parameters(&machine.look_up("org/net")), Some(1));
    assert_eq!(parameters(&machine.look_up("./org/net")), Some(1));
    assert_eq!(parameters(&machine.look_up("../org/net")), Some(2));
    assert_eq!(parameters(&machine.look_up("org/net/model.safetensors")), Some(1));
    let absolute = machine.path("work/org/net").display().to_string();
    assert_eq!(parameters(&machine.look_up(&absolute)), Some(2));
}

#[test]
fn a_folder_without_a_model_is_passed_over() {
    let machine = Machine::new()
        .file("work/scripts/gpt2/log.txt", "x")
        .model(&format!("{}/snapshots/{COMMIT}", Machine::cache("gpt2")), 5);
    assert_eq!(parameters(&machine.look_up("gpt2")), Some(5));
}

#[test]
fn the_main_branch_is_loaded_and_without_it_the_newest_files() {
    let cache = Machine::cache("org/net");
    let machine = Machine::new()
        .model(&format!("{cache}/snapshots/{COMMIT}"), 1)
        .model(&format!("{cache}/snapshots/ffff"), 2)
        .file(&format!("{cache}/refs/main"), &format!("{COMMIT}\n"));
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    fs::File::open(machine.path(&format!("{cache}/snapshots/ffff"))).unwrap().set_modified(later).unwrap();
    assert_eq!(parameters(&machine.look_up("org/net")), Some(1));
    for reference in ["../../elsewhere", "", "gone"] {
        fs::write(machine.path(&format!("{cache}/refs/main")), reference).unwrap();
        assert_eq!(parameters(&machine.look_up("org/net")), Some(2), "{reference}");
    }
}

#[cfg(unix)]
#[test]
fn files_of_the_cache_may_be_links() {
    let cache = Machine::cache("org/net");
    let machine = Machine::new().model(&format!("{cache}/blobs"), 7);
    let snapshot = machine.path(&format!("{cache}/snapshots/{COMMIT}"));
    fs::create_dir_all(&snapshot).unwrap();
    std::os::unix::fs::symlink("../../blobs/model.safetensors", snapshot.join("model.safetensors")).unwrap();
    assert_eq!(parameters(&machine.look_up("org/net")), Some(7));
}

#[test]
fn the_cache_is_where_the_variables_say() {
    let variables = [
        ("HF_HUB_CACHE", "one", "one"),
        ("HUGGINGFACE_HUB_CACHE", "two", "two"),
        ("HF_HOME", "three", "three/hub"),
        ("XDG_CACHE_HOME", "four", "four/huggingface/hub"),
        ("TRANSFORMERS_CACHE", "five", "five"),
    ];
    for (variable, value, cache) in variables {
        let machine = Machine::new().model(&format!("{cache}/models--org--net/snapshots/{COMMIT}"), 9);
        let found = machine.reader_with(variable, value).look_up("org/net", &machine.path("work"));
        assert_eq!(parameters(&found), Some(9), "{variable}");
        assert_eq!(machine.look_up("org/net"), LocalModel::Absent, "{variable}");
    }
}

#[test]
fn an_embedding_model_may_be_named_without_its_owner() {
    let cache = Machine::cache("sentence-transformers/tiny");
    let machine = Machine::new().model(&format!("{cache}/snapshots/{COMMIT}"), 4);
    let LocalModel::Found(facts) = machine.look_up("tiny") else { panic!("not found") };
    assert_eq!(facts.name, "sentence-transformers/tiny");
}

/// A configuration of GPT-2's family with a number of layers.
fn gpt2(layers: u64) -> String {
    format!(
        r#"{{"architectures":["GPT2LMHeadModel"],"model_type":"gpt2","n_layer":{layers},"n_embd":768,"n_head":12,"vocab_size":50257,"n_positions":1024}}"#
    )
}

#[test]
fn a_configuration_in_the_cache_counts_only_where_the_catalog_knows_no_better() {
    let file = |id: &str| format!("{}/snapshots/{COMMIT}/config.json", Machine::cache(id));
    let machine =
        Machine::new().file(&file("openai-community/gpt2"), &gpt2(12)).file(&file("me/gpt2-ish"), &gpt2(12));
    assert_eq!(machine.look_up("openai-community/gpt2"), LocalModel::Absent);
    let LocalModel::Found(facts) = machine.look_up("me/gpt2-ish") else { panic!("not found") };
    assert_eq!((facts.parameters(), facts.certainty), (124_439_808, Certainty::Counted));
    assert!(matches!(&facts.source, FactSource::Config(file) if file.ends_with("config.json")));
}

#[test]
fn a_configuration_in_a_folder_counts_whatever_its_name() {
    let machine = Machine::new().file("work/scripts/openai-community/gpt2/config.json", &gpt2(2));
    let LocalModel::Found(facts) = machine.look_up("openai-community/gpt2") else { panic!("not found") };
    assert!(facts.parameters() < 60_000_000);
}

#[test]
fn what_was_fetched_in_part_is_absent_and_in_a_folder_it_is_broken() {
    let index = r#"{"weight_map":{"a":"model-00001-of-00002.safetensors"}}"#;
    let cache = format!("{}/snapshots/{COMMIT}", Machine::cache("org/net"));
    let machine = Machine::new()
        .file(&format!("{cache}/model.safetensors.index.json"), index)
        .file("work/net/model.safetensors.index.json", index);
    assert_eq!(machine.look_up("org/net"), LocalModel::Absent);
    let LocalModel::Broken(sentence) = machine.look_up("net") else { panic!("not broken") };
    assert!(sentence.contains("model-00001-of-00002.safetensors"), "{sentence}");
    let machine = machine.file(&format!("{cache}/model-00001-of-00002.safetensors"), "12345678");
    assert!(matches!(machine.look_up("org/net"), LocalModel::Broken(_)));
}

#[test]
fn headers_in_the_cache_are_completed_from_the_catalog() {
    let id = "google-bert/bert-base-uncased";
    let cache = format!("{}/snapshots/{COMMIT}", Machine::cache(id));
    let machine =
        Machine::new().file(&format!("{cache}/config.json"), r#"{"architectures":["BertForMaskedLM"]}"#);
    let tensor = r#"{"bert.x":{"dtype":"F32","shape":[110106428],"data_offsets":[0,440425712]}}"#;
    let length = (tensor.len() as u64).to_le_bytes();
    let path = machine.path(&format!("{cache}/model.safetensors"));
    fs::write(&path, [&length, tensor.as_bytes()].concat()).unwrap();
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(8 + tensor.len() as u64 + 440_425_712).unwrap();
    let LocalModel::Found(facts) = machine.look_up(id) else { panic!("not found") };
    assert!(matches!(facts.source, FactSource::Files(_)));
    assert_eq!(facts.components.first().unwrap().base_parameters, Some(109_482_240));
}

#[test]
fn what_is_no_name_is_absent() {
    let machine = Machine::new().model(&Machine::cache("org/net"), 1);
    let long = "a/".repeat(2000);
    for name in [
        "",
        "https://host/org/net",
        "a\nb",
        "a\0b",
        "org/net/more",
        "../..",
        "org--net/x",
        "-",
        "/",
        "~",
        &long,
    ] {
        assert_eq!(machine.look_up(name), LocalModel::Absent, "{name:?}");
    }
}

#[test]
fn files_are_read_again_when_they_have_changed() {
    let machine = Machine::new().model("work/net", 1);
    let reader = machine.reader();
    let look_up = || reader.look_up("net", &machine.path("work/scripts"));
    let first = look_up();
    let (LocalModel::Found(one), LocalModel::Found(other)) = (&first, look_up()) else { panic!("not found") };
    assert!(std::sync::Arc::ptr_eq(one, &other));
    model(&machine.path("work/net"), 22);
    assert_eq!(parameters(&look_up()), Some(22));
    fs::remove_dir_all(machine.path("work/net")).unwrap();
    assert_eq!(look_up(), LocalModel::Absent);
}
