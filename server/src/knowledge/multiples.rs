//! Options that run several sequences or images at once for one input.

use std::sync::LazyLock;

use crate::knowledge::Role;
use crate::table::{Row, rows};

/// An option that multiplies what one input takes.
#[derive(Debug)]
pub struct Multiple {
    role: Role,
    /// The option.
    pub option: &'static str,
    /// What there are several of: `images`, `sequences`.
    pub several: &'static str,
}

static MULTIPLES: LazyLock<Vec<Multiple>> =
    LazyLock::new(|| rows(include_str!("multiples.tsv")).filter_map(|row| multiple(&row)).collect());

/// The options of this kind that a call with this role takes, or that a run of what it makes takes.
pub fn multiples(role: Role) -> impl Iterator<Item = &'static Multiple> {
    MULTIPLES.iter().filter(move |multiple| multiple.role == role)
}

fn multiple(row: &Row) -> Option<Multiple> {
    Some(Multiple { role: row.first()?.parse().ok()?, option: row.get(1)?, several: row.get(2)? })
}

#[test]
fn every_row_loads() {
    let table = include_str!("multiples.tsv");
    assert_eq!(rows(table).count(), MULTIPLES.len());
    assert!(rows(table).all(|row| row.len() == 4 && row.columns().all(|column| !column.is_empty())));
}
