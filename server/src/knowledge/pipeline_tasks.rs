//! Tasks of the pipelines of transformers.

use crate::table::rows;

/// Whether the batches of a task are padded to their longest text.
pub fn pads_texts(task: &str) -> bool {
    rows(include_str!("pipeline_tasks.tsv")).any(|row| row.first() == Some(task))
}

#[test]
fn every_row_loads() {
    let table = include_str!("pipeline_tasks.tsv");
    assert!(rows(table).all(|row| row.len() == 2 && row.columns().all(|column| !column.is_empty())));
    assert!(pads_texts("ner") && !pads_texts("image-classification"));
}
