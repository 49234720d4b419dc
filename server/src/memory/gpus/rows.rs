//! The tables of cards and machines.

use std::sync::LazyLock;

use super::Card;
use crate::memory::Bytes;
use crate::table::{Row, rows};

/// One card for a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The card. Its count is above 1 for a machine with several.
    pub card: Card,
    /// The machine in a cloud; `None` for a card.
    pub machine: Option<&'static str>,
    /// As `nvidia-smi` spells the card.
    pub smi_name: &'static str,
    /// The architecture, such as `Ampere`.
    pub architecture: &'static str,
    /// What the card is for: `consumer`, `datacenter`, `workstation`, `laptop`, `embedded`.
    pub class: &'static str,
}

/// A row of the table of cards.
#[derive(Clone, Debug)]
pub(super) struct CardRow {
    pub name: &'static str,
    pub smi_name: &'static str,
    pub others: Vec<&'static str>,
    /// The size it is sold with.
    pub nominal: u64,
    /// What `nvidia-smi` prints, in MiB, where somebody showed it.
    pub smi_total: Option<u64>,
    usable: Option<u64>,
    architecture: &'static str,
    class: &'static str,
}

/// A row of the table of machines.
#[derive(Clone, Debug)]
pub(super) struct MachineRow {
    pub name: &'static str,
    pub others: Vec<&'static str>,
    pub card: &'static CardRow,
    pub count: u32,
}

pub(super) static CARDS: LazyLock<Vec<CardRow>> =
    LazyLock::new(|| rows(include_str!("../tables/gpus.tsv")).filter_map(|row| card_row(&row)).collect());

pub(super) static MACHINES: LazyLock<Vec<MachineRow>> =
    LazyLock::new(|| rows(include_str!("../tables/machines.tsv")).filter_map(|row| machine(&row)).collect());

pub(super) fn card_row(row: &Row) -> Option<CardRow> {
    Some(CardRow {
        name: row.first()?,
        smi_name: row.get(1)?,
        others: list(row.get(2)?),
        nominal: row.get(4)?.parse().ok()?,
        smi_total: row.get(5)?.parse().ok(),
        usable: row.get(6)?.parse().ok(),
        architecture: row.get(7)?,
        class: row.get(12)?,
    })
}

pub(super) fn machine(row: &Row) -> Option<MachineRow> {
    let (card, nominal): (_, u64) = (row.get(2)?, row.get(3)?.parse().ok()?);
    Some(MachineRow {
        name: row.first()?,
        others: list(row.get(1)?),
        card: CARDS.iter().find(|row| row.smi_name == card && row.nominal == nominal)?,
        count: row.get(4)?.parse().ok()?,
    })
}

fn list(column: &'static str) -> Vec<&'static str> {
    column.split(';').filter(|name| *name != "-").collect()
}

impl CardRow {
    /// What the card has: what `nvidia-smi` prints, or the size it is sold with.
    fn capacity(&self) -> Bytes {
        self.smi_total.map_or(Bytes::gib(self.nominal), Bytes::mib)
    }

    /// So many of this card.
    pub fn cards(&self, count: u32) -> Card {
        let capacity = self.capacity();
        let usable = match (self.usable, self.smi_total) {
            (Some(usable), _) => Bytes::mib(usable),
            (None, Some(_)) => without_driver(capacity),
            (None, None) => usable_of_nominal(capacity),
        };
        Card { name: self.name.to_owned(), capacity, usable, count }
    }

    fn listed(&self, machine: Option<&'static str>, count: u32) -> Listed {
        Listed {
            card: self.cards(count),
            machine,
            smi_name: self.smi_name,
            architecture: self.architecture,
            class: self.class,
        }
    }
}

/// What CUDA gives of the total that `nvidia-smi` prints. The driver keeps 1 to 1.5 %, and never less than about
/// 300 MiB: totals in PyTorch's out-of-memory messages against `nvidia-smi` on the same cards.
fn without_driver(total: Bytes) -> Bytes {
    total.saturating_sub(Bytes(total.0 / 100).max(Bytes::mib(300)))
}

/// What CUDA gives of a card that is sold with this size: 1.5 % less (23.64 of 24 GiB, 15.77 of 16, 39.4 of 40).
pub(super) fn usable_of_nominal(size: Bytes) -> Bytes {
    size.saturating_sub(Bytes(size.0 / 1000 * 15))
}

/// Every card and machine, in the order of the tables.
pub fn cards() -> impl Iterator<Item = Listed> {
    let machines = MACHINES.iter().map(|row| row.card.listed(Some(row.name), row.count));
    CARDS.iter().map(|row| row.listed(None, 1)).chain(machines)
}

/// The sizes that cards commonly have, each with a well-known card, the smallest first.
pub fn common() -> Vec<Card> {
    let table = rows(include_str!("../tables/common_cards.tsv"));
    table.filter_map(|row| common_card(&row)).collect()
}

pub(super) fn common_card(row: &Row) -> Option<Card> {
    let (size, name): (u64, _) = (row.first()?.parse().ok()?, row.get(1)?);
    let card = CARDS.iter().find(|card| card.smi_name == name && card.nominal == size)?;
    Some(card.cards(1))
}
