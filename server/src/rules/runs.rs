//! The order in which the cells of a notebook were run.

use std::cmp::Ordering;

use vramlens_grammars::{Source, Span};

/// Which of two places in different cells was run first, as the stored numbers of the cells' last runs say; `None` where
/// one has none.
pub fn order(source: &Source, one: Span, other: Span) -> Option<Ordering> {
    let (one, other) = (source.piece_at(one.start)?, source.piece_at(other.start)?);
    let order = one.run?.cmp(&other.run?);
    (one.cell != other.cell).then_some(order)
}
