//! What becomes of a data set that is in memory as a whole.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::knowledge::effects::effects;
use crate::table::rows;

effects! {
    /// What a function, a method or a library does with a whole data set.
    WholeData {
        /// Gives all of it back in another form.
        Passes = "passes",
        /// Gives back two parts of each thing it is given.
        Splits = "splits",
        /// Must be given all of it at once.
        NeedsAll = "needs-all",
    }
}

static NAMES: LazyLock<FxHashMap<&'static str, WholeData>> = LazyLock::new(|| {
    rows(include_str!("whole_data.tsv"))
        .filter_map(|row| Some((row.first()?, row.get(1)?.parse().ok()?)))
        .collect()
});

/// What something of this name does with a whole data set.
pub fn whole_data(name: &str) -> Option<WholeData> {
    NAMES.get(name).copied()
}

#[test]
fn every_row_does_something() {
    let table = include_str!("whole_data.tsv");
    assert_eq!(rows(table).count(), NAMES.len());
    assert!(rows(table).all(|row| row.get(2).is_some_and(|source| !source.is_empty())));
}
