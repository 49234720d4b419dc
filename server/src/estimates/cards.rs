//! What a need means for cards.

use crate::estimate::{CardVerdict, Verdict};
use crate::estimates::notes::Notes;
use crate::estimates::plan::Range;
use crate::memory::gpus::{self, Card, Choice};
use crate::memory::{Bytes, overhead};
use crate::texts::text;

/// How many cards are named when nobody said which one matters.
const CARDS_SHOWN: usize = 3;

/// The cards that the settings name; `None` without any, or when they are not known.
pub fn chosen(setting: Option<&str>, notes: &mut Notes) -> Option<Choice> {
    match gpus::choose(setting?) {
        Ok(choice) => {
            if let Some(notice) = choice.notice() {
                notes.add("gpu", choice.card.name.clone(), notice, None);
            }
            Some(choice)
        }
        Err(why) => {
            notes.add("gpu", text("estimate-none", &[]), why, None);
            None
        }
    }
}

/// What a need on each card means for the chosen card, or for the smallest common cards that it fits on.
pub fn verdicts(choice: Option<&Choice>, need: Range) -> Vec<CardVerdict> {
    if let Some(choice) = choice {
        return vec![verdict(&choice.card, need)];
    }
    let all: Vec<CardVerdict> = gpus::common().iter().map(|card| verdict(card, need)).collect();
    let fitting: Vec<CardVerdict> =
        all.iter().filter(|card| card.verdict == Verdict::Fits).take(CARDS_SHOWN).cloned().collect();
    if fitting.is_empty() { all.last().cloned().into_iter().collect() } else { fitting }
}

fn verdict(card: &Card, need: Range) -> CardVerdict {
    let most = need.high + overhead::CUDA_CONTEXT_AT_MOST;
    let expected = need.expected + overhead::CUDA_CONTEXT;
    let verdict = match () {
        () if most <= card.usable => Verdict::Fits,
        () if expected <= card.usable => Verdict::Tight,
        () => Verdict::DoesNotFit,
    };
    let headroom = difference(card.usable, expected);
    CardVerdict { name: card.to_string(), capacity: card.capacity, usable: card.usable, verdict, headroom }
}

fn difference(usable: Bytes, needed: Bytes) -> i64 {
    let signed = |bytes: Bytes| i64::try_from(bytes.0).unwrap_or(i64::MAX);
    signed(usable).saturating_sub(signed(needed))
}
