//! What a decoder of text is.

use crate::memory::replay::Norm;

/// A decoder of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoder {
    /// The normalization.
    pub norm: Norm,
    /// Where it stands.
    pub order: Order,
    /// How queries, keys and values are made.
    pub projection: Projection,
    /// Which linear layers have a bias.
    pub bias: Biases,
    /// What is normalized in queries and keys.
    pub query_key_norm: QueryKeyNorm,
    /// How positions are told.
    pub positions: Positions,
    /// The feed-forward layer.
    pub feed: Feed,
    /// What adapters call the linear layers.
    pub names: Names,
    /// A norm after the embedding (Bloom).
    pub embedding_norm: bool,
    /// The embedding is multiplied by a number (Gemma).
    pub embedding_scaled: bool,
    /// The width of the embedding where it differs from that of the layers (OPT).
    pub embedding_width: Option<u64>,
    /// A norm after the last layer.
    pub final_norm: bool,
    /// Where dropout stands.
    pub drops: Drops,
    /// Numbers that are multiplied with.
    pub scales: Scales,
    /// Scores are bounded by `tanh` (Gemma 2).
    pub capped_scores: bool,
    /// Logits are bounded by `tanh` (Gemma 2).
    pub capped_logits: bool,
    /// There always is a mask (Falcon).
    pub masked: bool,
    /// Attention is written out, whatever is asked for.
    pub written_out: bool,
    /// Whether the written-out attention takes its softmax in float32.
    pub softmax_in_float32: bool,
    /// Whether the written-out attention computes scores in float32 (GPT-J, GPT-Neo).
    pub attention_in_float32: bool,
    /// What has a name for longer than it is needed.
    pub held: Held,
    /// Layers that see only so many tokens.
    pub window: Option<Window>,
}

/// What has a name for longer than it is needed, so that its memory is held where no gradients are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// What attention gave, until the layer ends.
    pub output: bool,
    /// What attention read, until the layer ends.
    pub normed: bool,
    /// The scores of attention, until the next layer ends.
    pub scores: bool,
}

/// Where the norms of a layer stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Before attention and before the feed-forward layer.
    Before,
    /// After each sum (OPT 350m).
    After,
    /// Before and after each (Gemma 2 and 3).
    Around,
    /// After each, before the sum (`OLMo` 2).
    Behind,
    /// Attention and feed-forward layer side by side behind one norm.
    Parallel,
    /// The same, each behind a norm of its own.
    ParallelTwoNorms,
}

/// How queries, keys and values are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projection {
    /// By three linear layers.
    Separate,
    /// By one whose output is split into three views.
    Packed,
    /// The same, by slices, each of which has a gradient of the whole size.
    PackedSlices,
    /// The same, with keys and values repeated for all heads (newer Falcons).
    PackedRepeated,
}

/// Which linear layers have a bias.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Biases {
    /// Queries, keys and values.
    pub projection: bool,
    /// What attention gives.
    pub output: bool,
    /// The feed-forward layer.
    pub feed: bool,
    /// The output head.
    pub head: bool,
}

/// What is normalized in queries and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKeyNorm {
    /// Nothing.
    None,
    /// Each head, at once (Qwen 3).
    Heads,
    /// Each head, after all projections (Gemma 3).
    HeadsLater,
    /// All heads together (`OLMo` 2).
    Whole,
}

/// How positions are told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Positions {
    /// Queries and keys are rotated.
    Rotary(Rotation),
    /// A table is added to the embedding.
    Learnt {
        /// Its entries.
        count: u64,
        /// Whether every sequence has positions of its own, so that the table is read for every token.
        each: bool,
    },
    /// A bias on the scores that grows with distance (Bloom).
    Distance,
}

/// How queries and keys are rotated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    /// Features of a head that take part, where they are told as a number.
    pub turned: Option<u64>,
    /// The share of a head that takes part.
    pub share: f64,
    /// Sets of angles: one, or one for each kind of layer.
    pub sets: u64,
    /// Whether heads are cut into what takes part and what does not, and joined again, be it that all of it does.
    pub cut: bool,
    /// Whether heads still stand after tokens (GPT-J).
    pub tokens_first: bool,
    /// Whether it is computed in float32.
    pub in_float32: bool,
    /// Whether the result is converted back to the type that queries and keys had.
    pub restored: bool,
}

impl Rotation {
    /// All features of a head, as Llama does it.
    pub const WHOLE: Self = Self {
        turned: None,
        share: 1.0,
        sets: 1,
        cut: false,
        tokens_first: false,
        in_float32: false,
        restored: false,
    };

    /// How many features of a head take part.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a head, as `int(head * share)` in transformers"
    )]
    pub fn features(&self, head: u64) -> u64 {
        self.turned.unwrap_or((head as f64 * self.share) as u64).min(head)
    }
}

/// A feed-forward layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// Up and down.
    Plain,
    /// Gate, up and down.
    Gated,
    /// The same, with gate and up in one layer.
    GatedPacked,
    /// A choice of gated layers for each token.
    Experts(Experts),
}

/// A mixture of experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Experts {
    /// How many there are.
    pub count: u64,
    /// How many a token goes through.
    pub chosen: u64,
    /// Features inside of each.
    pub inner: u64,
    /// Features inside of one that all tokens go through.
    pub shared: u64,
    /// Whether the weights of the chosen are divided by their sum, in place.
    pub weights_divided: bool,
    /// Whether those weights are converted to the type of the model.
    pub weights_converted: bool,
}

/// Where a decoder drops features in training.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drops {
    /// After the embedding.
    pub embedding: f64,
    /// After attention and after the feed-forward layer.
    pub layer: f64,
}

/// Numbers that tensors are multiplied by, each a tensor of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scales {
    /// Queries, before attention (OPT).
    pub queries: bool,
    /// What is added to the residual stream (Granite).
    pub residual: bool,
    /// Logits (Cohere, Granite).
    pub logits: bool,
}

/// What adapters call the linear layers of a decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names {
    /// Queries, or queries, keys and values in one.
    pub query: &'static str,
    /// Keys.
    pub key: &'static str,
    /// Values.
    pub value: &'static str,
    /// What attention gives.
    pub output: &'static str,
    /// The gate of a feed-forward layer.
    pub gate: &'static str,
    /// The way up, or gate and up in one.
    pub up: &'static str,
    /// The way down.
    pub down: &'static str,
}

/// Layers that see only the last tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// How many tokens.
    pub tokens: u64,
    /// One layer in so many sees everything; none where this is zero.
    pub every: u64,
}

impl Window {
    /// Whether a layer, counted from zero, sees only the window.
    pub const fn covers(self, layer: u64) -> bool {
        self.every == 0 || !(layer + 1).is_multiple_of(self.every)
    }
}
