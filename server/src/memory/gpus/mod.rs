//! Cards: what they are called and how much of their memory a program can use.

mod names;
mod rows;
mod setting;

use std::fmt;

use super::Bytes;
use crate::texts::text;

pub use rows::{Listed, cards, common};
pub use setting::choose;

/// A card, or several of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// As people name it: `RTX 4090`, `A100 80GB`, or `24 GiB` for a size.
    pub name: String,
    /// What one card has, as `nvidia-smi` prints it where that is known.
    pub capacity: Bytes,
    /// What CUDA has to give on one card: PyTorch's "total capacity". The driver keeps the rest. The CUDA context of the
    /// program itself is not taken off: it is part of an estimate's overhead.
    pub usable: Bytes,
    /// How many there are.
    pub count: u32,
}

impl fmt::Display for Card {
    /// `RTX 4090`, `2x A100 80GB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.count > 1 {
            write!(f, "{}x ", self.count)?;
        }
        f.write_str(&self.name)
    }
}

/// The card that a setting names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The card; the smallest, if the name is of several.
    pub card: Card,
    /// The other cards of that name, with more memory, the smallest first.
    pub others: Vec<Card>,
}

impl Choice {
    /// What to say when the name was not enough: which card was taken, and how to name the others.
    pub fn notice(&self) -> Option<String> {
        let (taken, first) = (self.card.to_string(), self.others.first()?);
        let rest = self.others.iter().skip(1);
        let others = rest.fold(format!("\"{first}\""), |others, card| format!("{others}, \"{card}\""));
        Some(text("gpu-several-sizes", &[("taken", &taken), ("others", &others)]))
    }
}

#[cfg(test)]
mod tests;
