//! Exception types that catch running out of GPU memory.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::knowledge::effects::effects;
use crate::table::rows;

effects! {
    /// What an `except` clause with a type catches.
    Catches {
        /// Running out of GPU memory and nothing else.
        OutOfMemory = "out-of-memory",
        /// That among much else.
        MuchElse = "much-else",
    }
}

static TYPES: LazyLock<FxHashMap<&'static str, Catches>> = LazyLock::new(|| {
    let rows = rows(include_str!("exceptions.tsv"));
    rows.filter_map(|row| Some((row.first()?, row.get(1)?.parse().ok()?))).collect()
});

/// What an exception type catches; `None` when running out of memory is nothing of it.
pub fn catches(path: &str) -> Option<Catches> {
    TYPES.get(path).copied()
}

#[test]
fn every_row_loads() {
    let table = include_str!("exceptions.tsv");
    assert_eq!(rows(table).count(), TYPES.len());
    assert!(rows(table).all(|row| row.len() == 3 && row.columns().all(|column| !column.is_empty())));
}
