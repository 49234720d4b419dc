#![allow(clippy::unwrap_used, reason = "tests may fail")]

use super::*;
use crate::versions::{Known, Versions};

/// Every row has all its columns, a source among them, and loads; the first columns tell rows apart.
fn check<K>(table: &'static str, columns: usize, keys: usize, loads: impl Fn(&Row) -> Option<K>) {
    let mut seen = std::collections::BTreeSet::new();
    for row in rows(table) {
        assert_eq!(row.len(), columns, "columns of {row:?}");
        assert!(row.columns().all(|column| !column.trim().is_empty()), "an empty column in {row:?}");
        assert!(loads(&row).is_some(), "an unknown word in {row:?}");
        assert!(seen.insert(row.columns().take(keys).collect::<Vec<_>>()), "a second row for {row:?}");
    }
    assert!(!seen.is_empty());
}

#[test]
fn every_row_loads() {
    check(include_str!("loaders.tsv"), 4, 1, loader);
    check(include_str!("keywords.tsv"), 8, 2, keyword);
    check(include_str!("defaults.tsv"), 6, 3, default);
    check(include_str!("methods.tsv"), 4, 1, method);
    check(include_str!("classes.tsv"), 3, 1, pair::<Holds>);
    check(include_str!("offload_seats.tsv"), 3, 1, pair::<Seat>);
    check(include_str!("quantization_configs.tsv"), 7, 4, config);
    check(include_str!("text_parts.tsv"), 2, 1, Row::first);
    check(include_str!("split_experts.tsv"), 2, 1, Row::first);
}

#[test]
fn every_loader_has_a_name_for_its_model_and_defaults() {
    let tables = Loading::tables();
    for (calls, loader) in &tables.loaders {
        assert!(tables.defaults(*loader, About::Place).next().is_some(), "no place for {calls}");
        assert!(tables.defaults(*loader, About::Dtype).next().is_some(), "no type for {calls}");
        let named = tables.keywords(*loader).any(|keyword| keyword.meaning == Meaning::Model);
        assert!(named || loader.name == "torchvision", "no model for {calls}");
    }
}

#[test]
fn patterns_cover_names() {
    assert!(covers("transformers.*", "transformers.AutoModel.from_pretrained"));
    assert!(covers("*For*Classification", "BertForSequenceClassification"));
    assert!(covers("*Model", "Model"));
    assert!(!covers("*For*Classification", "BertForMaskedLM"));
    assert!(!covers("*Model", "ModelFor"));
    assert!(!covers("AutoModel", "AutoModelForCausalLM"));
}

#[test]
fn classes_load_what_their_names_say() {
    let tables = Loading::tables();
    for (class, holds) in [
        ("AutoModel", Holds::Base),
        ("AutoModelForCausalLM", Holds::Whole),
        ("AutoModelForSequenceClassification", Holds::BaseAndHead),
        ("LlamaForCausalLM", Holds::Whole),
        ("GPT2LMHeadModel", Holds::Whole),
        ("BertModel", Holds::Base),
        ("T5EncoderModel", Holds::Part),
        ("CLIPTextModelWithProjection", Holds::Part),
        ("WhisperForConditionalGeneration", Holds::Whole),
        ("UNet2DConditionModel", Holds::Base),
    ] {
        assert_eq!(tables.holds(class), holds, "{class}");
    }
}

#[test]
fn a_version_is_in_a_range_or_not_or_that_is_not_known() {
    let window = Window::read("4.56", "5").unwrap();
    let with = |lowest: &[u32], below: Option<&[u32]>| {
        let mut versions = Versions::default();
        let below = below.map(<[u32]>::to_vec);
        versions.insert("p", Known { lowest: lowest.to_vec(), below, exact: None, source: String::new() });
        window.holds("p", &versions)
    };
    assert_eq!(with(&[4, 57, 6], Some(&[4, 57, 7])), Some(true));
    assert_eq!(with(&[4, 55, 4], Some(&[4, 55, 5])), Some(false));
    assert_eq!(with(&[5, 0], None), Some(false));
    assert_eq!(with(&[4, 40], None), None);
    assert_eq!(window.holds("q", &Versions::default()), None);
}
