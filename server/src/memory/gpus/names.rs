//! Whether what somebody wrote names a card.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::rows::{CARDS, CardRow, MACHINES, MachineRow};
use crate::table::rows;

/// What to do with a word of a card's name.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    Optional,
    SameAs(&'static str),
}

static WORDS: LazyLock<FxHashMap<&'static str, Meaning>> = LazyLock::new(|| {
    let table = rows(include_str!("../tables/gpu_words.tsv"));
    table
        .filter_map(|row| {
            let meaning = match row.get(1)? {
                "may be left out" => Meaning::Optional,
                word => Meaning::SameAs(word),
            };
            Some((row.first()?, meaning))
        })
        .collect()
});

/// A word of a name, in lower case.
#[derive(Debug)]
struct Word {
    text: String,
    optional: bool,
}

/// The words of a name; a size such as `80 GB` is one word, and may be left out.
fn words(name: &str) -> Vec<Word> {
    let lower = name.to_lowercase();
    let mut words: Vec<Word> = Vec::new();
    for part in lower.split(|letter: char| !letter.is_alphanumeric()).filter(|part| !part.is_empty()) {
        let text = if let Some(Meaning::SameAs(word)) = WORDS.get(part) { word } else { part };
        match words.last_mut() {
            Some(before) if text == "gb" && is_number(&before.text) => {
                before.text.push_str("gb");
                before.optional = true;
            }
            _ => {
                let optional = matches!(WORDS.get(text), Some(Meaning::Optional)) || size(text).is_some();
                words.push(Word { text: text.to_owned(), optional });
            }
        }
    }
    words
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The gigabytes of a word such as `80gb`.
fn size(word: &str) -> Option<u64> {
    word.strip_suffix("gb")?.parse().ok()
}

/// What somebody wrote, without everything but letters and digits.
fn squeeze(written: &str) -> String {
    words(written).into_iter().map(|word| word.text).collect()
}

/// Whether the words of a name, some of them left out, spell what is written.
fn spells(words: &[Word], written: &str) -> bool {
    let Some((word, rest)) = words.split_first() else { return written.is_empty() };
    written.strip_prefix(word.text.as_str()).is_some_and(|left| spells(rest, left))
        || (word.optional && spells(rest, written))
}

/// Every name of every card, in words.
static CARD_NAMES: LazyLock<Vec<(&'static CardRow, Vec<Word>)>> = LazyLock::new(|| {
    let names =
        |row: &'static CardRow| [row.smi_name, row.name].into_iter().chain(row.others.iter().copied());
    CARDS.iter().flat_map(|row| names(row).map(move |name| (row, words(name)))).collect()
});

/// Every name of every machine.
static MACHINE_NAMES: LazyLock<FxHashMap<String, &'static MachineRow>> = LazyLock::new(|| {
    let names = |row: &'static MachineRow| [row.name].into_iter().chain(row.others.iter().copied());
    MACHINES.iter().flat_map(|row| names(row).map(move |name| (squeeze(name), row))).collect()
});

/// The machine of this name.
pub(super) fn machine(written: &str) -> Option<&'static MachineRow> {
    MACHINE_NAMES.get(&squeeze(written)).copied()
}

/// The cards that what is written may mean, one for each size, the smallest first. Cards whose memory somebody showed
/// win over variants that only a list of products knows.
pub(super) fn matching(written: &str) -> Vec<&'static CardRow> {
    let squeezed = squeeze(written);
    if squeezed.is_empty() {
        return Vec::new();
    }
    let mut found = spelled(&squeezed);
    if found.is_empty() && squeezed.ends_with('g') {
        found = spelled(&format!("{squeezed}b"));
    }
    if found.is_empty() {
        found = with_size(written);
    }
    if found.iter().any(|row| row.smi_total.is_some()) {
        found.retain(|row| row.smi_total.is_some());
    }
    found.sort_by_key(|row| row.nominal);
    found.dedup_by_key(|row| row.nominal);
    found
}

fn spelled(squeezed: &str) -> Vec<&'static CardRow> {
    let names = CARD_NAMES.iter().filter(|(_, words)| spells(words, squeezed));
    names.map(|(row, _)| *row).collect()
}

/// The cards of a name that is followed by the size that they are sold with, though their own name has none.
fn with_size(written: &str) -> Vec<&'static CardRow> {
    let mut words = words(written);
    let Some(size) = words.pop().and_then(|word| size(&word.text)) else { return Vec::new() };
    let squeezed: String = words.into_iter().map(|word| word.text).collect();
    if squeezed.is_empty() {
        return Vec::new();
    }
    spelled(&squeezed).into_iter().filter(|row| row.nominal == size).collect()
}

/// Every name that a person may have meant, for the nearest ones.
pub(super) fn known() -> impl Iterator<Item = &'static str> {
    CARDS.iter().map(|row| row.name).chain(MACHINES.iter().map(|row| row.name))
}
