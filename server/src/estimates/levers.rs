//! What would change a number: the same plan, followed again with something else in it.

use crate::estimate::Lever;
use crate::estimates::cases::Case;
use crate::estimates::plan::{Change, Mode, Outcome, Piece, Place, Step, follow};
use crate::estimates::request::Request;
use crate::knowledge::Role;
use crate::knowledge::loading::{Loading, Meaning};
use crate::memory::Bytes;
use crate::memory::weights::{Dtype, Precision, Quantization};
use crate::texts::text;

/// Less than this share of the whole is not worth a change.
const WORTH_A_SHARE: u64 = 20;

/// Less than this is not worth one either.
const WORTH_A_CHANGE: Bytes = Bytes::mib(256);

/// Parts with fewer parameters than this are not worth quantizing.
const WORTH_QUANTIZING: u64 = 1_000_000_000;

/// The changes that would save bytes on the GPU, the best first.
pub fn levers(request: &Request, trained: bool, case: &Case) -> Vec<Lever> {
    let (pieces, steps, now) = (&case.pieces, &case.steps(), &case.outcome);
    let mut levers = Vec::new();
    let mut offer = |name: String, cost: String, then: Outcome| {
        let saves = now.peak.expected.saturating_sub(then.peak.expected);
        if saves >= WORTH_A_CHANGE && saves.0 >= now.peak.expected.0 / WORTH_A_SHARE {
            levers.push(Lever { name, saves, cost, edit: false });
        }
    };
    if let Some(halved) = changed(pieces, halved) {
        offer(text("lever-half", &[]), text("lever-half-cost", &[]), follow(halved, &uncast(steps)));
    }
    // What is trained as a whole cannot be quantized.
    if takes(request, Meaning::Quantization)
        && !trained
        && let Some(quantized) = changed(pieces, quantized)
    {
        offer(text("lever-4bit", &[]), text("lever-4bit-cost", &[]), follow(quantized, steps));
    }
    if request.call.role == Role::DiffusionPipeline && pieces.len() > 1 && !is_offloaded(now) {
        let offloaded: Vec<Piece> = pieces.iter().cloned().map(offloaded).collect();
        let staying: Vec<Step> =
            steps.iter().filter(|step| matches!(step.change, Change::Cast(_))).cloned().collect();
        offer(
            text("lever-model-offload", &[]),
            text("lever-model-offload-cost", &[]),
            follow(offloaded, &staying),
        );
    }
    levers.sort_by_key(|lever| std::cmp::Reverse(lever.saves));
    levers
}

/// Whether calls of this loader take a keyword of this meaning.
fn takes(request: &Request, meaning: Meaning) -> bool {
    Loading::tables().keywords(request.loader).any(|keyword| keyword.meaning == meaning)
}

fn is_offloaded(outcome: &Outcome) -> bool {
    outcome.pieces.iter().any(|piece| piece.offload.is_some())
}

/// The pieces with a change to some of them; `None` when it changes none.
fn changed(pieces: &[Piece], change: impl Fn(&Piece) -> Option<Piece>) -> Option<Vec<Piece>> {
    let changed: Vec<Option<Piece>> = pieces.iter().map(change).collect();
    let any = changed.iter().any(Option::is_some);
    any.then(|| {
        changed.into_iter().zip(pieces).map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect()
    })
}

fn halved(piece: &Piece) -> Option<Piece> {
    let is_wide = matches!(piece.precision, Precision::Plain(Dtype::Float32 | Dtype::Float64));
    is_wide.then(|| Piece { precision: Precision::Plain(Dtype::BFloat16), as_stored: None, ..piece.clone() })
}

fn quantized(piece: &Piece) -> Option<Piece> {
    let Precision::Plain(dtype) = piece.precision else { return None };
    let rest = if dtype == Dtype::Float32 { Dtype::BFloat16 } else { dtype };
    let precision = Precision::Quantized { quantization: Quantization::Bnb4 { double: false }, rest };
    let is_worth_it = piece.counts.parameters >= WORTH_QUANTIZING;
    is_worth_it.then(|| Piece { precision, as_stored: None, ..piece.clone() })
}

fn offloaded(piece: Piece) -> Piece {
    Piece { offload: Some(Mode::Components), place: Place::Host, ..piece }
}

/// The steps without those that make the weights wider again.
fn uncast(steps: &[Step]) -> Vec<Step> {
    let widens = |step: &&Step| !matches!(step.change, Change::Cast(Dtype::Float32 | Dtype::Float64));
    steps.iter().filter(widens).cloned().collect()
}
