//! Files that are broken, or were made to break a reader.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::json;

use super::{Folder, LLAMA, header, with_length};
use crate::models::local::{ReadError, read};

#[test]
fn broken_weights_are_told_of_with_their_file() {
    let tensor = r#"{"a":{"dtype":"F16","shape":[4],"data_offsets":[0,8]}}"#;
    let enough = |header: &str| [with_length(header), vec![0; 64]].concat();
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    let broken: &[(Vec<u8>, &str)] = &[
        (Vec::new(), "cut short"),
        (vec![1, 0, 0], "cut short"),
        (u64::MAX.to_le_bytes().to_vec(), "cut short"),
        (with_length(tensor), "`a` ends after the end"),
        (with_length(tensor).into_iter().take(20).collect(), "cut short"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n".to_vec(), "git lfs pull"),
        (enough("[]"), "a header of tensors"),
        (enough("{\"a\":3}"), "no whole safetensors file"),
        (enough(&deep), "no whole safetensors file"),
        (enough(&deep.replace('a', "__metadata__")), "no whole safetensors file"),
        (enough(r#"{"a":{"dtype":"F16","shape":[4],"data_offsets":[8,0]}}"#), "`a` makes no sense"),
        (enough(r#"{"a":{"dtype":"F16","shape":[-4],"data_offsets":[0,8]}}"#), "no whole safetensors file"),
        (enough(r#"{"a":{"dtype":"F16","shape":[4],"data_offsets":[0,8]}"#), "no whole safetensors file"),
        (
            enough(
                r#"{"a":{"dtype":"U8","shape":[60],"data_offsets":[0,60]},"b":{"dtype":"U8","shape":[60],"data_offsets":[0,60]}}"#,
            ),
            "`b` ends after the end",
        ),
    ];
    for (content, expected) in broken {
        let sentence = Folder::new().file("model.safetensors", content).broken("model.safetensors");
        assert!(sentence.contains(expected), "{sentence}, not {expected}");
    }
}

#[test]
fn a_header_longer_than_any_is_not_read() {
    let folder = Folder::new().file("model.safetensors", &200_000_000_u64.to_le_bytes());
    let path = folder.0.path().join("model.safetensors");
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(300_000_000).unwrap();
    assert!(folder.broken("model.safetensors").contains("longer than any"));
}

#[test]
fn tensors_take_what_their_shapes_say() {
    let most = u64::MAX;
    for (dtype, shape, bytes) in
        [("F16", vec![most, most], 8), ("F16", vec![5], 8), ("F32", vec![most], 8), ("NEW", vec![most, 2], 8)]
    {
        let header =
            json!({ "a": { "dtype": dtype, "shape": shape, "data_offsets": [0, bytes] } }).to_string();
        let content = [with_length(&header), vec![0; 8]].concat();
        let sentence = Folder::new().file("model.safetensors", &content).broken("model.safetensors");
        assert!(sentence.contains("`a` makes no sense"), "{sentence}");
    }
    let header = json!({ "a": { "dtype": "NEW", "shape": [3], "data_offsets": [0, 8] } }).to_string();
    let unknown = Folder::new().file("model.safetensors", &[with_length(&header), vec![0; 8]].concat());
    assert_eq!(unknown.component().parameters, 3);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let folder = Folder::new();
    let made = std::process::Command::new("mkfifo").arg(folder.0.path().join("config.json")).status();
    if made.is_ok_and(|status| status.success()) {
        folder.broken("config.json");
    }
}

#[test]
fn broken_configurations_are_told_of_with_their_file() {
    let deep = "[".repeat(100_000);
    for content in ["", "{", "[]", "3", "\u{feff}{}", &deep, &format!("{{\"a\":{deep}")] {
        for name in ["config.json", "model_index.json", "adapter_config.json"] {
            Folder::new().file(name, content.as_bytes()).broken(name);
        }
    }
    Folder::new().file("config.json", &[0xff, 0xfe]).broken("config.json");
}

#[test]
fn what_is_not_a_folder_of_files_is_no_model() {
    assert_eq!(read(Path::new("/no/such/folder"), "x"), Ok(None));
    let odd = Folder::new().json("config.json/nested.json", &json!({}));
    assert!(matches!(odd.read(), Err(ReadError::Broken(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A header with any byte replaced is read or told of, and never more than the file holds is believed.
    #[test]
    fn no_bytes_make_a_reader_panic(place in 0usize..400, byte in any::<u8>(), length in 0usize..400) {
        let (header, data) = header(LLAMA);
        let mut content = [with_length(&header), vec![0; usize::try_from(data).unwrap()]].concat();
        if let Some(replaced) = content.get_mut(place) {
            *replaced = byte;
        }
        let folder = Folder::new().file("model.safetensors", &content);
        if let Ok(Some(facts)) = folder.read() {
            let bytes = facts.components.first().unwrap().stored_bytes.unwrap();
            prop_assert!(bytes.0 <= data);
        }
        let cut = content.get(..length.min(content.len())).unwrap();
        let cut = Folder::new().file("model.safetensors", cut);
        prop_assert!(cut.read().is_err() || length >= content.len());
    }
}
