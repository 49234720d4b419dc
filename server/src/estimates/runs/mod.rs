//! What a script does with a model that it loads: the peak of its training, generation or forward passes.

mod inputs;
mod loops;
mod optimizing;
mod trainers;
mod uses;

use std::sync::Arc;

use vramlens_grammars::Span;

use crate::estimate::{Amount, Breakdown, Certainty, Estimate, EstimateKind, Part};
use crate::estimates::assembly::made;
use crate::estimates::cards::{chosen, verdicts};
use crate::estimates::desk::Desk;
use crate::estimates::plan::{Piece, Place, Range};
use crate::estimates::runs::uses::Use;
use crate::estimates::telling;
use crate::memory::step::{self, Counted};
use crate::memory::weights::{Dtype, Precision};
use crate::memory::{Bytes, overhead};
use crate::models::ModelFacts;

/// What an exact count leaves out of the allocator's own figure, in thousandths: workspaces of libraries, and kernels that
/// another version or card chooses.
const BELOW: u64 = 40;
/// The same, upwards.
const ABOVE: u64 = 80;

/// The peak of each thing that the script does with what a call loads.
pub fn runs(index: usize, desk: Desk, facts: &Arc<ModelFacts>) -> Vec<Estimate> {
    let Some(piece) = made(index, desk) else { return Vec::new() };
    // What is spread over cards, or waits in host memory, runs otherwise.
    if piece.place != Place::Gpu && desk.calls.get(index).is_some_and(|call| !call.trained) {
        return Vec::new();
    }
    uses::uses(index, desk, computes_in(&piece))
        .into_iter()
        .filter_map(|one| estimate(one, desk, facts, &piece))
        .collect()
}

/// The type that a model computes in.
fn computes_in(piece: &Piece) -> Dtype {
    match piece.precision {
        Precision::Plain(dtype) => dtype,
        Precision::Quantized { rest, .. } => rest,
    }
}

fn estimate(one: Use, desk: Desk, facts: &ModelFacts, piece: &Piece) -> Option<Estimate> {
    let component = facts.components.first().filter(|_| facts.components.len() == 1)?;
    let architecture = component.architecture.as_deref()?;
    let counted = step::count(architecture, &one.run);
    let mut notes = one.notes;
    telling::named(facts, None, &mut notes);
    let choice = chosen(desk.settings.gpu.as_deref(), &mut notes);
    let peak = range(&counted, piece, facts.certainty);
    let amount = Amount {
        certainty: facts.certainty,
        parameters: Some(counted.parameters),
        bytes: breakdown(&counted, piece),
        allocated_peak: peak.expected,
        reserved_peak: counted.reserved.max(peak.expected),
        low: peak.low,
        high: peak.high,
        parts: vec![Part {
            name: String::new(),
            parameters: Some(piece.counts.parameters),
            precision: piece.precision.to_string(),
            weights: piece.weights(),
            on_gpu: piece.weights(),
        }],
        per_gpu: false,
        cards: verdicts(choice.as_ref(), peak),
        levers: Vec::new(),
    };
    Some(Estimate {
        location: desk.locate(one.place),
        hover: one.hover.into_iter().map(|span| desk.locate(span)).collect(),
        kind: one.kind,
        model: Some(facts.name.clone()),
        model_source: Some(telling::source(facts)),
        amount: Ok(amount),
        assumptions: notes.finish(),
    })
}

/// The weights as they are held, in the place of those that were counted in the type that the model computes in.
fn held(counted: Bytes, piece: &Piece) -> (Bytes, Bytes) {
    match piece.precision {
        Precision::Plain(_) => (Bytes(0), Bytes(0)),
        Precision::Quantized { .. } => (counted, piece.weights()),
    }
}

fn breakdown(counted: &Counted, piece: &Piece) -> Breakdown {
    let bytes = counted.breakdown;
    let (instead_of, weights) = held(plain_weights(counted, piece), piece);
    Breakdown {
        weights: bytes.weights.saturating_sub(instead_of) + weights,
        gradients: bytes.gradients,
        optimizer: bytes.optimizer,
        activations: bytes.activations,
        logits: bytes.logits,
        kv_cache: bytes.cache,
        overhead: overhead::CUDA_CONTEXT,
    }
}

/// What the model's own weights were counted as.
fn plain_weights(counted: &Counted, piece: &Piece) -> Bytes {
    let plain = piece.counts.bytes(Precision::Plain(computes_in(piece)));
    plain.min(counted.breakdown.weights)
}

fn range(counted: &Counted, piece: &Piece, certainty: Certainty) -> Range {
    let (instead_of, weights) = held(plain_weights(counted, piece), piece);
    let expected = counted.allocated.saturating_sub(instead_of) + weights;
    let (below, above) = match certainty {
        Certainty::Exact | Certainty::Counted => (BELOW, ABOVE),
        Certainty::Disputed => (100, 150),
        Certainty::Guessed => (300, 400),
    };
    let part = |thousandths: u64| Bytes((expected.0 / 1000).saturating_mul(thousandths));
    Range { low: expected.saturating_sub(part(below)), expected, high: expected + part(above) }
}

/// Where a run stands, for its estimate: the call, and what a hover shows it on.
#[derive(Clone, Debug)]
struct Standing {
    /// The call.
    place: Span,
    /// What is called.
    hover: Vec<Span>,
    /// What it is.
    kind: EstimateKind,
}
