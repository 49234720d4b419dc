//! What names say.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may fail")]

use super::{CHANGES, MARKS, size, strip, tail, variants, without_organisation};
use crate::table::rows;

#[test]
fn every_row_loads() {
    for (table, columns, loaded) in [
        (include_str!("../tables/format_marks.tsv"), 4, MARKS.len()),
        (include_str!("../tables/name_variants.tsv"), 3, CHANGES.len()),
    ] {
        let rows: Vec<_> = rows(table).collect();
        assert!(
            rows.iter().all(|row| row.len() == columns && row.columns().all(|column| !column.is_empty()))
        );
        assert_eq!(rows.len(), loaded);
    }
}

#[test]
fn sizes_are_read_from_names() {
    for (name, expected) in [
        ("acme/secret-7b", Some(7_000_000_000)),
        ("acme/secret-1.5B-chat", Some(1_500_000_000)),
        ("acme/secret_0.6b", Some(600_000_000)),
        ("acme/secret-350M", Some(350_000_000)),
        ("acme/secret-30B-A3B", Some(30_000_000_000)),
        ("acme/secret-8x7B-v0.1", Some(45_920_000_000)),
        ("acme/secret-128k", None),
        ("acme/7bananas", None),
        ("acme/0b", None),
        ("acme/secret2b", None),
        ("", None),
    ] {
        assert_eq!(size(name), expected, "{name}");
    }
}

#[test]
fn marks_come_off_one_after_the_other() {
    let stripped = strip(&tail("Org/Some_Model-7B-GPTQ-Int4"));
    assert_eq!(stripped.names, ["some-model-7b-gptq-int4", "some-model-7b-gptq", "some-model-7b"]);
    assert!(stripped.storage.is_some());
    assert_eq!(strip("gguf").names, ["gguf"]);
    assert_eq!(strip("some-model").storage, None);
}

#[test]
fn only_the_organisation_comes_off_the_front() {
    assert_eq!(without_organisation("bartowski/Qwen_Qwen3-8B-GGUF"), Some("Qwen3-8B-GGUF"));
    assert_eq!(without_organisation("Qwen/Qwen3-8B"), None);
    assert!(!variants("tiny-gpt2").contains(&"gpt2".to_owned()));
}
