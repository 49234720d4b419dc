//! `vramlens gpus`: the cards that can be named, and what they have.

use serde::Serialize;

use crate::cli::arguments::{ListArguments, ListFormat};
use crate::cli::{Status, render, terminal};
use crate::columns::{Side, aligned};
use crate::memory::gpus::{Listed, cards, choose};
use crate::texts::{nearest, text};

/// A card in JSON.
#[derive(Serialize)]
struct JsonGpu<'a> {
    name: &'a str,
    count: u32,
    capacity: u64,
    usable: u64,
    smi_name: &'a str,
    class: &'a str,
    architecture: &'a str,
}

/// Prints the cards whose name, class or architecture has the wanted words in it, or that a machine of that name has;
/// or all.
pub fn run(arguments: &ListArguments) -> Status {
    let named = |card: &Listed| [&card.card.name, card.smi_name, card.class, card.architecture].join(" ");
    let mut wanted: Vec<Listed> = cards().filter(|card| arguments.wants(&named(card))).collect();
    if let Some(machine) = arguments.filter.as_deref().filter(|_| wanted.is_empty())
        && let Ok(choice) = choose(machine)
    {
        wanted.extend(cards().filter(|card| card.card.name == choice.card.name));
    }
    terminal::print(&match arguments.output_format {
        ListFormat::Json => render::list_json(&wanted.iter().map(in_json).collect::<Vec<_>>()),
        ListFormat::Text => in_columns(&wanted),
    });
    let Some(filter) = arguments.filter.as_deref().filter(|_| wanted.is_empty()) else {
        return Status::Clean;
    };
    let names: Vec<String> = cards().map(|card| card.card.name).collect();
    terminal::error(&match nearest(filter, names.iter().map(String::as_str)) {
        Some(known) => text("gpus-none-near", &[("filter", filter), ("known", &known)]),
        None => text("gpus-none", &[("filter", filter)]),
    });
    Status::Failed
}

fn in_json(listed: &Listed) -> JsonGpu<'_> {
    JsonGpu {
        name: &listed.card.name,
        count: listed.card.count,
        capacity: listed.card.capacity.0,
        usable: listed.card.usable.0,
        smi_name: listed.smi_name,
        class: listed.class,
        architecture: listed.architecture,
    }
}

fn in_columns(cards: &[Listed]) -> String {
    let heading = [
        text("gpus-name", &[]),
        text("gpus-capacity", &[]),
        text("gpus-usable", &[]),
        text("gpus-class", &[]),
        text("gpus-architecture", &[]),
        text("gpus-smi-name", &[]),
    ];
    let row = |listed: &Listed| {
        let words = [listed.class, listed.architecture, listed.smi_name].map(str::to_owned);
        let [class, architecture, smi_name] = words;
        let card = &listed.card;
        [card.name.clone(), card.capacity.to_string(), card.usable.to_string(), class, architecture, smi_name]
    };
    let rows: Vec<_> = std::iter::once(heading).chain(cards.iter().map(row)).collect();
    render::list(&aligned(&rows, [Side::Left, Side::Right, Side::Right, Side::Left, Side::Left, Side::Left]))
}
