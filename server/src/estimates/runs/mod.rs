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
use crate::memory::pictures::{PictureStep, Pictures};
use crate::memory::step::{self, Counted, Run, RunTask};
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
    let peak = match (&component.architecture, component.pictures) {
        (Some(architecture), _) => Peak::of_tensors(&step::count(architecture, &one.run), piece),
        (None, Some(pictures)) => Peak::of_pictures(pictures, &one.run, piece)?,
        (None, None) => return None,
    };
    let mut notes = one.notes;
    telling::named(facts, None, &mut notes);
    let choice = chosen(desk.settings.gpu.as_deref(), &mut notes);
    let range = range(peak.allocated, facts.certainty);
    let amount = Amount {
        certainty: facts.certainty,
        parameters: Some(piece.counts.parameters),
        bytes: peak.bytes,
        allocated_peak: range.expected,
        reserved_peak: peak.reserved.max(range.expected),
        low: range.low,
        high: range.high,
        parts: vec![Part {
            name: String::new(),
            parameters: Some(piece.counts.parameters),
            precision: piece.precision.to_string(),
            weights: piece.weights(),
            on_gpu: piece.weights(),
        }],
        per_gpu: false,
        cards: verdicts(choice.as_ref(), range),
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

/// What a run takes at its peak.
#[derive(Clone, Copy, Debug)]
struct Peak {
    /// By kind.
    bytes: Breakdown,
    /// What `torch.cuda.max_memory_allocated()` would print.
    allocated: Bytes,
    /// What `torch.cuda.max_memory_reserved()` would print.
    reserved: Bytes,
}

impl Peak {
    /// Of a run that was counted tensor by tensor. Quantized weights take the place of those in the type that the model
    /// computes in.
    fn of_tensors(counted: &Counted, piece: &Piece) -> Self {
        let computed = Precision::Plain(computes_in(piece));
        let is_quantized = matches!(piece.precision, Precision::Quantized { .. });
        let plain = piece.counts.bytes(computed).min(counted.breakdown.weights);
        let instead = |bytes: Bytes| {
            if is_quantized { bytes.saturating_sub(plain) + piece.weights() } else { bytes }
        };
        let bytes = counted.breakdown;
        Self {
            bytes: Breakdown {
                weights: instead(bytes.weights),
                gradients: bytes.gradients,
                optimizer: bytes.optimizer,
                activations: bytes.activations,
                logits: bytes.logits,
                kv_cache: bytes.cache,
                overhead: overhead::CUDA_CONTEXT,
            },
            allocated: instead(counted.allocated),
            reserved: instead(counted.reserved),
        }
    }

    /// Of the training of a network that looks at pictures; `None` for anything else that is done with one.
    fn of_pictures(pictures: Pictures, run: &Run, piece: &Piece) -> Option<Self> {
        let RunTask::Train(training) = &run.task else { return None };
        let step = PictureStep {
            batch: run.batch,
            side: run.image.unwrap_or(pictures.side),
            dtype: run.dtype,
            autocast: run.autocast,
            optimizer: training.optimizer,
        };
        let peak = pictures.train(piece.counts.parameters, step);
        let bytes = Breakdown {
            weights: piece.weights(),
            gradients: peak.gradients,
            optimizer: peak.optimizer,
            activations: peak.activations,
            overhead: overhead::CUDA_CONTEXT,
            ..Breakdown::default()
        };
        let allocated = bytes.allocated();
        Some(Self { bytes, allocated, reserved: overhead::reserved(allocated) })
    }
}

fn range(expected: Bytes, certainty: Certainty) -> Range {
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
