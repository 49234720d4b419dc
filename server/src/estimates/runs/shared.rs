//! The peak of a training that is shared among GPUs.

use crate::estimate::Breakdown;
use crate::estimates::plan::{Piece, Range};
use crate::estimates::runs::Peak;
use crate::estimates::runs::sharing::Method;
use crate::memory::sharding::{Shared, Trainee, Types, per_gpu};
use crate::memory::step::{self, Counted, Run, RunTask};
use crate::memory::transformers::Architecture;
use crate::memory::weights::Dtype;
use crate::memory::{Bytes, overhead};

/// What each GPU needs at the peak; `None` for what is no training.
pub fn peak(architecture: &Architecture, run: &Run, piece: &Piece, method: &Method) -> Option<Peak> {
    let RunTask::Train(training) = &run.task else { return None };
    let run = in_pass(run, method);
    let counted = step::count(architecture, &run.0);
    let trainee = Trainee {
        trained: counted.trained,
        frozen: counted.frozen,
        blocks: architecture.depth(),
        outside: piece.counts.unquantized.min(counted.parameters),
        parameters: counted.parameters,
        working: working(&counted),
        accumulates: training.accumulation > 1,
        optimizer: training.optimizer,
    };
    let count = |sharing| per_gpu(trainee, run.1, sharing);
    let ways: Vec<Shared> = method.ways.iter().copied().map(count).collect();
    let likeliest = *ways.first()?;
    let all = Range {
        low: ways.iter().map(|way| way.low).min()?,
        expected: likeliest.expected.total(),
        high: ways.iter().map(|way| way.high).max()?,
    };
    Some(told(likeliest, doubted(all, &counted), counted))
}

/// The same run as the passes see it, and the types. With weights of another type in the passes, these compute in that
/// type, and nothing is converted on the way.
fn in_pass(run: &Run, method: &Method) -> (Run, Types) {
    let computed = method.computed.unwrap_or(run.dtype);
    let held = match method.computed {
        Some(_) if method.raises => Dtype::Float32,
        // DeepSpeed holds the weights as it computes.
        Some(half) if method.copies => half,
        _ => run.dtype,
    };
    let master = method.copies.then_some(Dtype::Float32);
    let autocast = run.autocast.filter(|_| method.computed.is_none());
    let types = Types { held, computed, gradients: held, master };
    (Run { dtype: computed, autocast, ..run.clone() }, types)
}

/// What the passes work with, with what the allocator adds to it.
fn working(counted: &Counted) -> Bytes {
    let working = counted.working;
    working.activations + working.logits + working.cache
}

/// As far as the count on one GPU is in doubt, so is what the passes work with.
fn doubted(range: Range, counted: &Counted) -> Range {
    let below = counted.allocated.saturating_sub(counted.low);
    let above = counted.high.saturating_sub(counted.allocated);
    Range { low: range.low.saturating_sub(below), expected: range.expected, high: range.high + above }
}

fn told(likeliest: Shared, range: Range, counted: Counted) -> Peak {
    let of = likeliest.expected;
    let logits = counted.working.logits.min(of.working);
    Peak {
        bytes: Breakdown {
            weights: of.weights,
            gradients: of.gradients,
            optimizer: of.optimizer,
            activations: of.working.saturating_sub(logits) + of.stepping,
            logits,
            kv_cache: Bytes(0),
            overhead: overhead::CUDA_CONTEXT + overhead::COMMUNICATION,
        },
        range,
        reserved: overhead::reserved(range.expected),
        doubts: counted.doubts,
    }
}
