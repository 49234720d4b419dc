//! What a script does with a model that it loads: the peak of its training, generation or forward passes.

mod inputs;
mod loops;
mod optimizing;
mod shared;
mod sharing;
mod trainers;
mod uses;

use std::sync::Arc;

use crate::estimate::{Amount, Breakdown, Certainty, Estimate, Part};
use crate::estimates::assembly::made;
use crate::estimates::cards::{chosen, verdicts};
use crate::estimates::desk::Desk;
use crate::estimates::plan::{Piece, Place, Range};
use crate::estimates::runs::uses::Use;
use crate::estimates::telling;
use crate::memory::pictures::{PictureStep, Pictures};
use crate::memory::sharding::Copies;
use crate::memory::step::{self, Counted, Doubt, Run, RunTask};
use crate::memory::transformers::Architecture;
use crate::memory::{Bytes, overhead};
use crate::models::{Catalog, FactSource, ModelFacts};
use crate::texts::text;

use sharing::Method;
pub use sharing::unread;

/// How far the saved activations of a network for pictures may be off, in thousandths of all.
const BELOW: u64 = 60;
/// The same, upwards.
const ABOVE: u64 = 60;

/// The peak of each thing that the script does with what a call loads.
pub fn runs(index: usize, desk: Desk, facts: &Arc<ModelFacts>) -> Vec<Estimate> {
    let Some(piece) = made(index, desk) else { return Vec::new() };
    // What is spread over cards, or waits in host memory, runs otherwise.
    if piece.place != Place::Gpu && desk.calls.get(index).is_some_and(|call| !call.trained) {
        return Vec::new();
    }
    uses::uses(index, desk, &piece).into_iter().filter_map(|one| estimate(one, desk, facts, &piece)).collect()
}

fn estimate(one: Use, desk: Desk, facts: &ModelFacts, piece: &Piece) -> Option<Estimate> {
    let component = facts.components.first().filter(|_| facts.components.len() == 1)?;
    let architecture = component.architecture.clone().or_else(|| catalogued(facts));
    let method = one.sharing.as_ref();
    let peak = match (architecture, component.pictures) {
        (Some(architecture), _) if method.is_some() => shared::peak(&architecture, &one.run, piece, method?)?,
        // How a network for pictures is cut into blocks is not known.
        (None, Some(_)) if method.is_some_and(|method| !method.replicates()) => return None,
        (Some(architecture), _) => Peak::of_tensors(step::count(&architecture, &one.run)),
        (None, Some(pictures)) => {
            let copies = method.map(Method::copies).unwrap_or_default();
            Peak::of_pictures(pictures, &one.run, piece)?.bucketed(copies, piece.weights())
        }
        (None, None) => return None,
    };
    let mut notes = one.notes;
    telling::named(facts, None, &mut notes);
    let range = widened(peak.range, facts.certainty);
    if !peak.doubts.is_empty() {
        let [low, high] = [range.low, range.high].map(|bytes| bytes.to_string());
        let reasons: Vec<String> = peak.doubts.iter().map(|doubt| text(key(*doubt), &[])).collect();
        let span = text("estimate-range", &[("low", &low), ("high", &high)]);
        notes.add("peak", span, reasons.join("; "), None);
    }
    let choice = chosen(desk.settings.gpu.as_deref(), &mut notes);
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
        per_gpu: one.sharing.is_some(),
        cards: verdicts(choice.as_ref(), range),
        levers: Vec::new(),
    };
    Some(Estimate {
        location: desk.locate(one.place),
        hover: vec![desk.locate(one.hover)],
        kind: one.kind,
        model: Some(facts.name.clone()),
        model_source: Some(telling::source(facts)),
        amount: Ok(amount),
        assumptions: notes.finish(),
    })
}

/// How a model of the catalog is built, where its row tells.
fn catalogued(facts: &ModelFacts) -> Option<Arc<Architecture>> {
    let FactSource::Catalog { id, .. } = &facts.source else { return None };
    Catalog::tables().architecture(id).map(Arc::new)
}

/// Why a range is as wide as it is.
fn key(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::Versions => "estimate-doubt-versions",
        Doubt::Workspaces => "estimate-doubt-workspaces",
        Doubt::Convolutions => "estimate-doubt-convolutions",
        Doubt::Additions => "estimate-doubt-additions",
        Doubt::Family => "estimate-doubt-family",
    }
}

/// What a run takes at its peak.
#[derive(Clone, Debug)]
struct Peak {
    /// By kind.
    bytes: Breakdown,
    /// What `torch.cuda.max_memory_allocated()` would print.
    range: Range,
    /// What `torch.cuda.max_memory_reserved()` would print.
    reserved: Bytes,
    /// Why the range is as wide as it is.
    doubts: Vec<Doubt>,
}

impl Peak {
    /// Of a run that was counted tensor by tensor.
    fn of_tensors(counted: Counted) -> Self {
        let bytes = counted.breakdown;
        Self {
            bytes: Breakdown {
                weights: bytes.weights,
                gradients: bytes.gradients,
                optimizer: bytes.optimizer,
                activations: bytes.activations,
                logits: bytes.logits,
                kv_cache: bytes.cache,
                overhead: overhead::CUDA_CONTEXT,
            },
            range: Range { low: counted.low, expected: counted.allocated, high: counted.high },
            reserved: counted.reserved,
            doubts: counted.doubts,
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
        let expected = bytes.allocated();
        let part = |thousandths: u64| Bytes((expected.0 / 1000).saturating_mul(thousandths));
        let range = Range {
            low: expected.saturating_sub(part(BELOW)),
            expected,
            // The gradients of the last layers come while all activations are still there.
            high: expected + part(ABOVE) + piece.weights(),
        };
        Some(Self { bytes, range, reserved: overhead::reserved(expected), doubts: vec![Doubt::Convolutions] })
    }

    /// The same with the buckets that every GPU keeps to send as many gradients as there are weights.
    fn bucketed(mut self, copies: Copies, weights: Bytes) -> Self {
        let more = match copies {
            Copies::None => Bytes(0),
            Copies::Buckets => weights,
            Copies::Views => weights.saturating_sub(self.bytes.gradients),
        };
        self.bytes.gradients += more;
        let Range { low, expected, high } = self.range;
        self.range = Range { low: low + more, expected: expected + more, high: high + more };
        self.reserved = overhead::reserved(self.range.expected);
        self
    }
}

/// As far as the facts about the model can be relied on, in thousandths.
fn widened(range: Range, certainty: Certainty) -> Range {
    let doubt = match certainty {
        Certainty::Exact | Certainty::Counted => 0,
        Certainty::Disputed => 100,
        Certainty::Guessed => 300,
    };
    let part = |bytes: Bytes| Bytes((bytes.0 / 1000).saturating_mul(doubt));
    Range {
        low: range.low.saturating_sub(part(range.low)),
        expected: range.expected,
        high: range.high + part(range.high),
    }
}
