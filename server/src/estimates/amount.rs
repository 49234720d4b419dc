//! From the cases to the bytes that are told.

use crate::estimate::{Amount, Breakdown, CardVerdict, Certainty, Part};
use crate::estimates::cards::verdicts;
use crate::estimates::cases::Case;
use crate::estimates::levers::levers;
use crate::estimates::plan::{Piece, Place, Range};
use crate::estimates::request::Request;
use crate::memory::gpus::Choice;
use crate::memory::weights::Precision;
use crate::memory::{Bytes, overhead};
use crate::models::ModelFacts;
use crate::texts::text;

/// How far a number may be off, in thousandths of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Margin {
    below: u64,
    above: u64,
}

/// What an amount is made from.
#[derive(Clone, Copy, Debug)]
pub struct Basis<'a> {
    /// The call; a model that is asked for by its name has none.
    pub request: Option<&'a Request<'a>>,
    /// The model.
    pub facts: &'a ModelFacts,
    /// How much its facts can be relied on for this call.
    pub certainty: Certainty,
    /// The cards in question.
    pub choice: Option<&'a Choice>,
    /// Whether the text puts it in host memory on purpose.
    pub kept_on_host: bool,
    /// Whether the script trains it.
    pub trained: bool,
}

/// The bytes of the cases, of which the first is the likeliest.
pub fn amount(basis: Basis, cases: &[Case]) -> Option<Amount> {
    let likeliest = cases.first()?;
    let outcome = &likeliest.outcome;
    let range = spanned(cases.iter().map(|case| widened(case.outcome.peak, margin(basis, case))));
    let allocated = outcome.peak.expected;
    let is_there = outcome.peak.high > Bytes(0);
    let bytes = Breakdown {
        weights: allocated,
        overhead: if is_there { overhead::CUDA_CONTEXT } else { Bytes(0) },
        ..Breakdown::default()
    };
    Some(Amount {
        certainty: basis.certainty,
        parameters: Some(
            likeliest.pieces.iter().map(|piece| piece.counts.parameters).fold(0, u64::saturating_add),
        ),
        bytes,
        allocated_peak: allocated,
        reserved_peak: overhead::reserved(allocated),
        low: range.low,
        high: range.high,
        parts: parts(cases),
        per_gpu: outcome.pieces.iter().any(|piece| matches!(piece.place, Place::Spread(_))),
        cards: cards(basis, cases, range),
        levers: match basis.request {
            Some(request) if is_there => levers(request, basis.trained, likeliest),
            _ => Vec::new(),
        },
    })
}

/// From the least to the most; the first is expected.
fn spanned(mut ranges: impl Iterator<Item = Range>) -> Range {
    let first = ranges.next().unwrap_or_default();
    ranges.fold(first, |whole, range| Range {
        low: whole.low.min(range.low),
        expected: whole.expected,
        high: whole.high.max(range.high),
    })
}

/// How far the numbers may be off.
fn margin(basis: Basis, case: &Case) -> Margin {
    let own = match basis.certainty {
        Certainty::Exact => Margin { below: 0, above: 0 },
        Certainty::Counted => Margin { below: 50, above: 50 },
        Certainty::Guessed => Margin { below: 300, above: 400 },
        Certainty::Disputed => disputed(basis.facts),
    };
    // Which layers a quantization leaves alone differs a little between models.
    let is_computed =
        |piece: &Piece| piece.as_stored.is_none() && matches!(piece.precision, Precision::Quantized { .. });
    if case.pieces.iter().any(is_computed) {
        return Margin { below: own.below.max(30), above: own.above.max(60 + kept(case)) };
    }
    own
}

/// What layers that are kept in float32 beside float16 add to quantized weights, in thousandths of them.
fn kept(case: &Case) -> u64 {
    let weights: Bytes = case.pieces.iter().map(Piece::weights).sum();
    let kept: u64 = case.pieces.iter().map(|piece| piece.counts.float32_in_float16).sum();
    kept.saturating_mul(2 * 1000) / weights.0.max(1)
}

/// As far as the other figure is away.
fn disputed(facts: &ModelFacts) -> Margin {
    let ours = facts.parameters().max(1);
    let other = facts.disputed.unwrap_or(ours);
    let thousandths = |from: u64, to: u64| from.saturating_sub(to).saturating_mul(1000) / ours;
    Margin { below: thousandths(ours, other).max(50), above: thousandths(other, ours).max(50) }
}

fn widened(range: Range, margin: Margin) -> Range {
    let thousandth = |bytes: Bytes| bytes.0 / 1000;
    Range {
        low: range.low.saturating_sub(Bytes(thousandth(range.low).saturating_mul(margin.below))),
        expected: range.expected,
        high: range.high + Bytes(thousandth(range.high).saturating_mul(margin.above)),
    }
}

/// The parts of the likeliest case, each with all the ways in which it may be held.
fn parts(cases: &[Case]) -> Vec<Part> {
    let Some(Case { outcome, .. }) = cases.first() else { return Vec::new() };
    let pieces = outcome.pieces.iter().zip(&outcome.shares).enumerate();
    pieces
        .map(|(number, (piece, share))| {
            let mut ways: Vec<String> = Vec::new();
            for piece in cases.iter().filter_map(|case| case.outcome.pieces.get(number)) {
                let way = piece.precision.to_string();
                if !ways.contains(&way) {
                    ways.push(way);
                }
            }
            Part {
                name: piece.name.clone(),
                parameters: Some(piece.counts.parameters),
                precision: ways.join(&text("estimate-or", &[])),
                weights: piece.weights(),
                on_gpu: *share,
            }
        })
        .collect()
}

/// What it means for the cards: as it is, or, where nothing is on a GPU yet, if it were moved there.
fn cards(basis: Basis, cases: &[Case], range: Range) -> Vec<CardVerdict> {
    if range.high > Bytes(0) {
        return verdicts(basis.choice, range);
    }
    if basis.kept_on_host {
        return Vec::new();
    }
    let moved = cases.iter().map(|case| {
        let weights = case.pieces.iter().map(Piece::weights).sum();
        widened(Range { low: weights, expected: weights, high: weights }, margin(basis, case))
    });
    verdicts(basis.choice, spanned(moved))
}
