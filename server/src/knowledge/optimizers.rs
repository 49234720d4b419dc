//! What a trainer knows optimizers by, and what spreads their states over GPUs or leaves few to keep.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::knowledge::effects::effects;
use crate::table::rows;

effects! {
    /// What a name says of the states of an optimizer.
    States {
        /// They are Adam's: two for each parameter.
        Adam = "adam",
        /// They are spread over GPUs, or few parameters have any.
        Spreads = "spreads",
    }
}

static NAMES: LazyLock<FxHashMap<&'static str, States>> = LazyLock::new(|| {
    let rows = rows(include_str!("optimizers.tsv"));
    rows.filter_map(|row| Some((row.first()?, row.get(1)?.parse().ok()?))).collect()
});

/// Whether a trainer's name for an optimizer is plain Adam.
pub fn is_adam(name: &str) -> bool {
    NAMES.get(name) == Some(&States::Adam)
}

/// Whether an option of a model or a trainer leaves one GPU few states to keep.
pub fn spreads(option: &str) -> bool {
    NAMES.get(option) == Some(&States::Spreads)
}

#[test]
fn every_row_loads() {
    let table = include_str!("optimizers.tsv");
    assert_eq!(rows(table).count(), NAMES.len());
    assert!(rows(table).all(|row| row.len() == 3 && row.columns().all(|column| !column.is_empty())));
}
