//! The peak of a training step, of a forward pass without gradients, and of a generation.

mod optimizer;
mod range;
mod running;
mod train;

use std::sync::Arc;

use super::Bytes;
use super::replay::{Adapters, AttentionKernel, Kind, Live, Moment, Quantized, Trained};
use super::transformers::Architecture;
use super::weights::Dtype;

pub use optimizer::Optimizer;
pub use range::Doubt;

/// What is run, in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// What the model is run for.
    pub task: RunTask,
    /// The type of the parameters.
    pub dtype: Dtype,
    /// How the weights of linear layers are quantized, where they are; `dtype` is that of all others then.
    pub quantized: Option<Quantized>,
    /// The type that autocast computes in, where it is on.
    pub autocast: Option<Dtype>,
    /// Sequences or images at once; in training, of one micro-batch.
    pub batch: u64,
    /// Tokens of each: those of the encoder where there are two stacks, those of the prompt in a generation. For images
    /// alone it says nothing.
    pub length: u64,
    /// Tokens of each that the decoder of two stacks is given.
    pub target: u64,
    /// The side of images in pixels, where it is not what the model was made for.
    pub image: Option<u64>,
    /// Who computes attention.
    pub kernel: AttentionKernel,
    /// Whether sequences of different lengths are padded, so that a mask reaches attention.
    pub padded: bool,
    /// Whether keys and values are kept; transformers does so in training too, unless told otherwise.
    pub use_cache: bool,
}

/// What a model is run for.
#[derive(Clone, Debug, PartialEq)]
pub enum RunTask {
    /// A training step.
    Train(Training),
    /// A forward pass without gradients.
    Forward,
    /// A generation of new tokens.
    Generate(Generation),
}

/// How a model is trained.
#[derive(Clone, Debug, PartialEq)]
pub struct Training {
    /// What is trained.
    pub trained: Trained,
    /// Low-rank adapters.
    pub adapters: Option<Adapters>,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// Micro-batches of a step.
    pub accumulation: u64,
    /// Whether layers keep only their input.
    pub checkpointing: bool,
    /// Who runs the loop.
    pub runner: Runner,
}

/// Who runs the training loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runner {
    /// A loop of a script, in which a name holds the outputs until the next ones are there.
    Script,
    /// A loop of a script that lets go of the outputs, all but the loss.
    ScriptWithoutOutputs,
    /// `transformers.Trainer`, which lets go of the outputs, and makes float32 ones of those of autocast before.
    Trainer,
}

/// How tokens are generated.
#[derive(Clone, Debug, PartialEq)]
pub struct Generation {
    /// New tokens of each sequence.
    pub new: u64,
    /// Whether room for all tokens is made at once.
    pub room: bool,
    /// Beams of each sequence.
    pub beams: u64,
    /// Whether scores are wanted for all tokens of the prompt, as in a plain forward pass.
    pub all_scores: bool,
}

/// What a run needs at its peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breakdown {
    /// Parameters and buffers.
    pub weights: Bytes,
    /// Gradients in `.grad`.
    pub gradients: Bytes,
    /// What the optimizer keeps.
    pub optimizer: Bytes,
    /// What is kept for the backward pass, inputs and temporaries.
    pub activations: Bytes,
    /// Scores over the vocabulary, and what the loss makes of them.
    pub logits: Bytes,
    /// Keys and values of earlier tokens.
    pub cache: Bytes,
}

/// The peak of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// What lives at the peak, by kind.
    pub breakdown: Breakdown,
    /// What lives when a pass works with the most activations, logits and caches.
    pub working: Breakdown,
    /// When it is reached.
    pub moment: Moment,
    /// What the tensors take, without what the allocator adds.
    pub tensors: Bytes,
    /// What `torch.cuda.max_memory_allocated()` says.
    pub allocated: Bytes,
    /// The least that `torch.cuda.max_memory_allocated()` may say.
    pub low: Bytes,
    /// The most that it may say.
    pub high: Bytes,
    /// Why these differ.
    pub doubts: Vec<Doubt>,
    /// What `torch.cuda.max_memory_reserved()` says.
    pub reserved: Bytes,
    /// All parameters.
    pub parameters: u64,
    /// Those that are trained.
    pub trained: u64,
    /// What those that are not trained take.
    pub frozen: Bytes,
    /// What the gradients of those that are trained take, all at once.
    pub gradients: Bytes,
}

/// Counts the peak of a run, by running it without data.
pub fn count(architecture: &Architecture, run: &Run) -> Counted {
    let running = running::Running::new(Arc::new(architecture.clone()), run);
    match &run.task {
        RunTask::Train(training) => train::train(&running, training),
        RunTask::Forward => running.forward(),
        RunTask::Generate(generation) => running.generate(generation),
    }
    running.counted()
}

impl From<Live> for Breakdown {
    fn from(live: Live) -> Self {
        let of = |kind: Kind| Bytes(live.of(kind));
        Self {
            weights: of(Kind::Weights),
            gradients: of(Kind::Gradients),
            optimizer: of(Kind::Optimizer),
            activations: of(Kind::Activations),
            logits: of(Kind::Logits),
            cache: of(Kind::Cache),
        }
    }
}
