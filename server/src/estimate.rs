//! What an estimate says, as plain data: no protocol, no terminal.

use vramlens_grammars::Location;

use crate::memory::Bytes;

/// What the memory is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EstimateKind {
    /// Loading a model.
    Load,
    /// Training it.
    Train,
    /// A forward pass.
    Forward,
    /// Generating text.
    Generate,
    /// Serving requests.
    Serve,
    /// Running a pipeline of several models.
    Pipeline,
}

/// How much a number can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// Counted tensor by tensor, and confirmed by a published count or read from the files.
    Exact,
    /// Counted, with nothing to compare: shown with "about".
    Counted,
    /// The sources disagree: shown with both figures and never unqualified.
    Disputed,
    /// Read from the name: a guess with a wide range.
    Guessed,
}

/// Where the bytes go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Breakdown {
    /// Parameters and buffers on the GPU.
    pub weights: Bytes,
    /// Gradients.
    pub gradients: Bytes,
    /// Optimizer states.
    pub optimizer: Bytes,
    /// Activations saved for backward, and temporaries.
    pub activations: Bytes,
    /// Logits and what the loss makes of them.
    pub logits: Bytes,
    /// Keys and values of earlier tokens.
    pub kv_cache: Bytes,
    /// What the driver and libraries take besides: the CUDA context, workspaces.
    pub overhead: Bytes,
}

impl Breakdown {
    /// What a program's own allocator would report.
    pub fn allocated(&self) -> Bytes {
        self.weights + self.gradients + self.optimizer + self.activations + self.logits + self.kv_cache
    }

    /// All of it, as `nvidia-smi` would show it.
    pub fn total(&self) -> Bytes {
        self.allocated() + self.overhead
    }
}

/// One part of what is loaded: the transformer, the text encoder, the VAE of a pipeline, or the only model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The attribute of the pipeline; empty for the only model.
    pub name: String,
    /// How many parameters it has, if that is known.
    pub parameters: Option<u64>,
    /// How its weights are held, such as `bfloat16` or `4-bit NF4`.
    pub precision: String,
    /// Its weights, wherever they are.
    pub weights: Bytes,
    /// What of them is on the GPU at the peak.
    pub on_gpu: Bytes,
}

/// A fact that the number rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// What it is about, such as `dtype`.
    pub what: String,
    /// What is taken for it, such as `bfloat16`.
    pub value: String,
    /// Where that comes from, in words.
    pub why: String,
    /// Where it can be changed.
    pub change_at: Option<Location>,
}

/// Whether something fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Even the high end of the range fits.
    Fits,
    /// What is expected fits, the high end does not.
    Tight,
    /// What is expected does not fit.
    DoesNotFit,
    /// Not enough is known.
    Unknown,
}

/// What an estimate means for one card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardVerdict {
    /// The card, as people name it; several of a kind as `2x A100 80GB`.
    pub name: String,
    /// What the card has, each.
    pub capacity: Bytes,
    /// What one process can use of that.
    pub usable: Bytes,
    /// Whether it fits.
    pub verdict: Verdict,
    /// What stays free (or, below zero, is missing), in bytes.
    pub headroom: i64,
}

/// A change and what it buys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lever {
    /// What to change, as a command.
    pub name: String,
    /// The bytes it saves.
    pub saves: Bytes,
    /// What it costs: speed, quality.
    pub cost: String,
    /// Whether an edit is offered.
    pub edit: bool,
}

/// The bytes of one estimate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    /// How much it can be relied on.
    pub certainty: Certainty,
    /// All parameters, wherever they are.
    pub parameters: Option<u64>,
    /// Where the bytes go.
    pub bytes: Breakdown,
    /// What `torch.cuda.max_memory_allocated()` would print, and what the allocator would hold for it.
    pub allocated_peak: Bytes,
    /// What `torch.cuda.max_memory_reserved()` would print.
    pub reserved_peak: Bytes,
    /// The lower bound of `allocated_peak`.
    pub low: Bytes,
    /// The upper bound of `allocated_peak`.
    pub high: Bytes,
    /// What each part takes.
    pub parts: Vec<Part>,
    /// Whether the numbers are for each of several GPUs.
    pub per_gpu: bool,
    /// What it means for the cards in question.
    pub cards: Vec<CardVerdict>,
    /// What would change it, the best first.
    pub levers: Vec<Lever>,
}

/// How much memory one place in the text needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The call that it is about.
    pub location: Location,
    /// Where a hover shows it: what is called and the name of the model, not the whole call.
    pub hover: Vec<Location>,
    /// What the memory is needed for.
    pub kind: EstimateKind,
    /// The model, as it was resolved.
    pub model: Option<String>,
    /// Where its facts come from, in words.
    pub model_source: Option<String>,
    /// The bytes, or the sentence that says why they are not known and what to do.
    pub amount: Result<Amount, String>,
    /// What it rests on.
    pub assumptions: Vec<Assumption>,
}
