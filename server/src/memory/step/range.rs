//! How far a count may be off, and why.

use super::{Run, RunTask};
use crate::memory::Bytes;
use crate::memory::replay::{Moment, Peak, Trained};
use crate::memory::transformers::{Architecture, Family};

/// Why a count may be off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Other versions of the libraries make and keep other tensors.
    Versions,
    /// Libraries of matrix products take memory to work in.
    Workspaces,
    /// Libraries of convolutions take memory to work in, which nobody tells of.
    Convolutions,
    /// PyTorch may add gradients of a parameter that is used twice in place.
    Additions,
    /// The family is not known; it was taken for the usual one.
    Family,
}

/// The least and the most that a run may need, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub low: Bytes,
    /// The most.
    pub high: Bytes,
    /// Why they differ.
    pub doubts: Vec<Doubt>,
}

/// What cuBLAS and cuBLASLt may take of PyTorch's allocator: 8 MiB and 1 MiB on most cards, 32 MiB each on Hopper
/// (`CUDABlas.cpp` in torch 2.15).
const WORKSPACES: Bytes = Bytes::mib(64);
/// How far other versions may be from the one that is replayed, in hundredths: one operation more or less in a layer of some
/// thirty that keep a tensor.
const VERSIONS: u64 = 3;
/// How far families with other layers are from the usual one, in hundredths: what they keep of a layer differs by so much
/// between Llama and Gemma 3, or Llama and Falcon.
const FAMILIES: u64 = 20;

/// The range around a peak.
pub fn range(architecture: &Architecture, run: &Run, peak: &Peak) -> Range {
    let mut doubts = vec![Doubt::Versions, Doubt::Workspaces];
    let mut hundredths = VERSIONS;
    if architecture.guessed {
        doubts.push(Doubt::Family);
        hundredths = FAMILIES;
    }
    let part = peak.allocated / 100 * hundredths;
    let mut low = peak.allocated.saturating_sub(part);
    let mut high = peak.allocated.saturating_add(part).saturating_add(WORKSPACES.0);
    if added_up(architecture, run) && peak.moment == Moment::Backward {
        doubts.push(Doubt::Additions);
        let table = architecture.vocabulary.saturating_mul(architecture.hidden);
        low = low.saturating_sub(run.dtype.of(table).0);
    }
    if matches!(&architecture.family, Family::Pair(pair) if pair.audio.is_some()) {
        doubts.push(Doubt::Convolutions);
        high = high.saturating_add(high / 20);
    }
    Range { low: Bytes(low), high: Bytes(high), doubts }
}

/// Whether a trained table is both the first and the last layer.
fn added_up(architecture: &Architecture, run: &Run) -> bool {
    let trained = matches!(&run.task, RunTask::Train(training) if training.trained == Trained::All);
    trained && architecture.tied && architecture.labels_are_tokens()
}
