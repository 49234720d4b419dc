//! Cards: what they are called and how much of their memory a program can use.

use super::Bytes;

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

/// The card that a setting names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The card; the smallest, if the name is of several.
    pub card: Card,
    /// The other cards of that name, with more memory.
    pub others: Vec<Card>,
}

impl Choice {
    /// What to say when the name was not enough: which card was taken, and how to name the others.
    pub fn notice(&self) -> Option<String> {
        None
    }
}

/// One card for a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The card. Its count is above 1 for a machine with several.
    pub card: Card,
    /// As `nvidia-smi` spells it, or the name of a machine in a cloud.
    pub smi_name: &'static str,
    /// What it is for: `consumer`, `datacenter`, `workstation`, `laptop`, `embedded`, `cloud-alias`.
    pub class: &'static str,
    /// The architecture, such as `Ampere`.
    pub architecture: &'static str,
}

/// The card that a setting names: a name in any common spelling (`rtx4090`, `NVIDIA A100-SXM4-80GB`), a size
/// (`24GiB`, `24 GB`, `24g`), either with a count (`2x A100 80GB`, `A100:2`), or a machine in a cloud (`g5.xlarge`).
///
/// # Errors
///
/// A sentence for the person who wrote it, with the nearest names.
pub fn choose(_setting: &str) -> Result<Choice, String> {
    Err(String::new())
}

/// Every card and machine, in the order of the table.
pub fn cards() -> impl Iterator<Item = Listed> {
    std::iter::empty()
}

/// The sizes that cards commonly have, each with a well-known card, the smallest first.
pub fn common() -> Vec<Card> {
    Vec::new()
}
