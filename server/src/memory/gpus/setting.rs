//! A setting as people write it, and the card it names.

use super::rows::usable_of_nominal;
use super::{Card, Choice, names};
use crate::memory::Bytes;
use crate::texts::{nearest, text};

/// More cards than this in one machine is a slip.
const MOST_CARDS: u32 = 1024;

/// The card that a setting names: a name in any common spelling (`rtx4090`, `NVIDIA A100-SXM4-80GB`), a size
/// (`24GiB`, `24 GB`, `24g`), either with a count (`2x A100 80GB`, `A100:2`), or a machine in a cloud (`g5.xlarge`).
/// A size stands for a card that is sold with it.
///
/// A name of cards with different sizes gives the smallest, and [`Choice::notice`] says so.
///
/// # Errors
///
/// A sentence for the person who wrote it, with the nearest names.
pub fn choose(setting: &str) -> Result<Choice, String> {
    let written = setting.trim();
    if let Some(machine) = names::machine(written) {
        return Ok(Choice { card: machine.card.cards(machine.count), others: Vec::new() });
    }
    let single = one(written, 1);
    let chosen = single.or_else(|| counts(written).find_map(|(count, name)| one(name, count)));
    chosen.ok_or_else(|| unknown(written))
}

/// So many cards of one name or size.
fn one(written: &str, count: u32) -> Option<Choice> {
    if let Some(size) = size(written) {
        let card = Card { name: nominal(size), capacity: size, usable: usable_of_nominal(size), count };
        return Some(Choice { card, others: Vec::new() });
    }
    let mut cards = names::matching(written).into_iter().map(|row| row.cards(count));
    Some(Choice { card: cards.next()?, others: cards.collect() })
}

/// The counts that may be read from the front or the back of what is written, each with the rest.
fn counts(written: &str) -> impl Iterator<Item = (u32, &str)> {
    let front = written.find(|letter: char| !letter.is_ascii_digit()).map(|end| written.split_at(end));
    let front = front.and_then(|(count, rest)| {
        let name = rest.trim_start();
        let name = name.strip_prefix(['x', 'X', '×', '*']).or((name.len() < rest.len()).then_some(name))?;
        Some((count, name))
    });
    let back = written.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let count = written.get(back.len()..).unwrap_or_default();
    let name = back.trim_end().strip_suffix(['x', 'X', '×', '*', ':']);
    let pairs = [front, name.map(|name| (count, name))];
    pairs.into_iter().flatten().filter_map(|(count, name)| {
        let count = count.parse().ok().filter(|count| (1..=MOST_CARDS).contains(count))?;
        Some((count, name.trim()))
    })
}

/// A size with its unit. Cards are sold in GB that are GiB, so both mean the same here.
fn size(written: &str) -> Option<Bytes> {
    let start = written.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
    let (number, unit) = written.split_at(start);
    let unit: f64 = match unit.trim().to_lowercase().as_str() {
        "g" | "gb" | "gib" => f64::from(1 << 30),
        "m" | "mb" | "mib" => f64::from(1 << 20),
        "t" | "tb" | "tib" => f64::from(1 << 30) * 1024.0,
        _ => return None,
    };
    let bytes = number.parse::<f64>().ok()? * unit;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
    (1.0..1e15).contains(&bytes).then_some(Bytes(bytes as u64))
}

/// A size as a name: without digits that say nothing.
fn nominal(size: Bytes) -> String {
    let gib = size.as_gib();
    if gib.fract() == 0.0 { format!("{gib:.0} GiB") } else { size.to_string() }
}

fn unknown(written: &str) -> String {
    match nearest(written, names::known()) {
        Some(known) => text("gpu-unknown-near", &[("written", written), ("known", &known)]),
        None => text("gpu-unknown", &[("written", written)]),
    }
}
