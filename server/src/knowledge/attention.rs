//! Which models need the eager attention.

use crate::table::rows;

/// Whether a model, by its name on the Hub, needs the eager attention or has no other.
pub fn needs_eager(model: &str) -> bool {
    let model = model.to_lowercase();
    rows(include_str!("eager_models.tsv")).filter_map(|row| row.first()).any(|part| model.contains(part))
}

#[test]
fn every_row_loads() {
    let table = include_str!("eager_models.tsv");
    assert!(rows(table).all(|row| row.len() == 2 && row.columns().all(|column| !column.is_empty())));
    assert!(needs_eager("google/gemma-2-9b-it") && needs_eager("google/flan-t5-base"));
    assert!(!needs_eager("meta-llama/Llama-3.1-8B") && !needs_eager("Qwen/Qwen3-4B"));
}
