//! What a transformer is, in numbers.

use std::sync::Arc;

use crate::memory::replay::Activation;

mod decoder;

pub use decoder::{
    Biases, Decoder, Drops, Experts, Feed, Held, Names, Order, Positions, Projection, QueryKeyNorm, Rotation,
    Scales, Window,
};

/// A model: its dimensions, and how its layers are built.
#[derive(Clone, Debug, PartialEq)]
pub struct Architecture {
    /// How its layers are built.
    pub family: Family,
    /// What its class adds to the base model.
    pub task: Task,
    /// Layers. Those of the encoder where there are two stacks.
    pub layers: u64,
    /// Features of the residual stream.
    pub hidden: u64,
    /// Heads of queries.
    pub heads: u64,
    /// Heads of keys and values.
    pub groups: u64,
    /// Features of a head.
    pub head: u64,
    /// Features inside of the feed-forward layer.
    pub inner: u64,
    /// Entries of the vocabulary; none for images.
    pub vocabulary: u64,
    /// Labels of a classifier.
    pub labels: u64,
    /// Whether the output head is the input embedding.
    pub tied: bool,
    /// The function inside of the feed-forward layer.
    pub activation: Activation,
    /// The probability that a feature of the residual stream is dropped in training.
    pub dropout: f64,
    /// The probability that an attention score is dropped in training.
    pub attention_dropout: f64,
    /// Whether its family is not known, so that it was taken for the usual one.
    pub guessed: bool,
}

impl Architecture {
    /// What it reads beside tokens: numbers of one example, given images with sides of so many pixels.
    pub fn signal(&self, image: Option<u64>) -> Option<u64> {
        let pixels = |patches: &Patches| {
            let side = image.unwrap_or(patches.image);
            let side = side / patches.patch.max(1) * patches.patch;
            side.saturating_mul(side).saturating_mul(patches.channels)
        };
        match &self.family {
            Family::Patches(patches) => Some(pixels(patches)),
            Family::Towers(towers) => Some(pixels(&towers.patches)),
            Family::Pair(Pair { audio: Some(audio), .. }) => Some(audio.bands.saturating_mul(audio.frames)),
            _ => None,
        }
    }

    /// The layers of all its stacks.
    pub fn depth(&self) -> u64 {
        let more = match &self.family {
            Family::Pair(pair) => pair.decoder_layers,
            Family::RelativePair(pair) => pair.decoder_layers,
            Family::Towers(towers) => towers.text.layers,
            _ => 0,
        };
        self.layers.saturating_add(more)
    }

    /// How many tokens a layer sees, where it does not see all.
    pub fn window(&self, layer: u64) -> Option<u64> {
        let Family::Decoder(decoder) = &self.family else { return None };
        decoder.window.filter(|window| window.covers(layer)).map(|window| window.tokens)
    }

    /// Whether it has an encoder and a decoder.
    pub const fn is_pair(&self) -> bool {
        matches!(self.family, Family::Pair(_) | Family::RelativePair(_))
    }

    /// Whether every token has a label.
    pub const fn labels_are_tokens(&self) -> bool {
        !matches!(self.task, Task::Classification)
    }
}

/// What a class adds to the base model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Scores over the vocabulary for every token, and the loss of the next one.
    CausalLanguage,
    /// Scores over the vocabulary for masked tokens.
    MaskedLanguage,
    /// Scores over labels for a sequence or an image.
    Classification,
    /// Scores over labels for each token.
    TokenClassification,
    /// The base model alone.
    Base,
}

/// How the layers of a model are built.
#[derive(Clone, Debug, PartialEq)]
pub enum Family {
    /// A stack of layers in which a token sees earlier ones.
    Decoder(Decoder),
    /// A stack of layers in which a token sees all others.
    Encoder(Encoder),
    /// An encoder that tells contents and positions apart: `DeBERTa`.
    Disentangled(Disentangled),
    /// An encoder and a decoder with relative positions: T5.
    RelativePair(RelativePair),
    /// An encoder and a decoder with learnt positions.
    Pair(Pair),
    /// An encoder of images.
    Patches(Patches),
    /// An encoder of images and one of texts: CLIP.
    Towers(Towers),
}

/// An encoder with attention to contents and to relative positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disentangled {
    /// What it has in common with other encoders. No entries of the table of positions mean that there is no such table.
    pub encoder: Encoder,
    /// Distances that are told apart to each side.
    pub span: u64,
    /// Whether what tells them is normalized.
    pub normed: bool,
}

/// T5's pair of stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelativePair {
    /// Layers of the decoder.
    pub decoder_layers: u64,
    /// Distances that the bias on the scores tells apart.
    pub buckets: u64,
    /// Whether the feed-forward layer has a gate.
    pub gated: bool,
    /// Whether the features of the decoder are multiplied by a number before the output head.
    pub scales_output: bool,
}

/// An encoder and a decoder with learnt positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Layers of the decoder.
    pub decoder_layers: u64,
    /// Heads of the decoder.
    pub decoder_heads: u64,
    /// Features inside of the decoder's feed-forward layers.
    pub decoder_inner: u64,
    /// Entries of the encoder's table of positions.
    pub positions: u64,
    /// Entries of the decoder's table of positions.
    pub decoder_positions: u64,
    /// Whether norms stand before attention and feed-forward layers, not after each sum.
    pub norm_before: bool,
    /// A norm after the embedding.
    pub embedding_norm: bool,
    /// A norm after the last layer.
    pub final_norm: bool,
    /// The embedding is multiplied by a number.
    pub embedding_scaled: bool,
    /// The probability that a feature inside of the feed-forward layer is dropped in training.
    pub activation_dropout: f64,
    /// The sound that the encoder hears, where it reads no text (Whisper).
    pub audio: Option<Audio>,
}

/// A spectrogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Audio {
    /// Frequencies.
    pub bands: u64,
    /// Frames, two for each position of the encoder.
    pub frames: u64,
}

/// An encoder of images, cut into patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patches {
    /// The side of the images that its table of positions is for, in pixels.
    pub image: u64,
    /// The side of a patch, in pixels.
    pub patch: u64,
    /// Colours of a pixel.
    pub channels: u64,
    /// Tokens before those of the patches.
    pub extra: u64,
    /// Whether a token stands for masked patches.
    pub mask_token: bool,
    /// Whether the layer that reads patches has a bias.
    pub bias: bool,
    /// A norm before the first layer (CLIP).
    pub first_norm: bool,
    /// Whether what is added to the residual stream is multiplied by a learnt vector (`DINOv2`).
    pub layer_scale: bool,
    /// Whether the feed-forward layer has a gate.
    pub gated: bool,
    /// Whether the base model has a layer on the first token.
    pub pooler: bool,
    /// Whether the written-out attention takes its softmax in float32.
    pub softmax_in_float32: bool,
    /// Whether a classifier reads the mean of the patches too (`DINOv2`).
    pub classifies_mean: bool,
    /// What adapters call the linear layers: queries, keys, values, output, up, down.
    pub names: [&'static str; 6],
}

impl Patches {
    /// Numbers in a patch.
    pub const fn features(&self) -> u64 {
        self.patch.saturating_mul(self.patch).saturating_mul(self.channels)
    }
}

/// CLIP's two towers.
#[derive(Clone, Debug, PartialEq)]
pub struct Towers {
    /// The tower for images.
    pub image: Arc<Architecture>,
    /// How it reads images.
    pub patches: Patches,
    /// The tower for texts.
    pub text: Arc<Architecture>,
    /// Entries of its table of positions.
    pub positions: u64,
    /// Features of the space that both are projected to.
    pub space: u64,
}

/// An encoder of text with norms after each sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encoder {
    /// The width of the embedding.
    pub width: u64,
    /// Entries of the table of positions.
    pub positions: u64,
    /// Whether every sequence has positions of its own, so that the table is read for every token.
    pub positions_each: bool,
    /// Entries of the table that tells sentences apart; none where there is no such table.
    pub kinds: u64,
    /// What adapters call the linear layers.
    pub names: Names,
    /// Whether features are dropped after attention.
    pub drops_attention: bool,
    /// Whether features are dropped after the feed-forward layer.
    pub drops_feed: bool,
    /// Whether what attention and the activation give has a name until the norm after it is done.
    pub parts_named: bool,
    /// Whether all layers share their parameters (ALBERT).
    pub shared_layers: bool,
    /// Whether the base model has a layer on the first token.
    pub pooler: bool,
    /// What a classifier of sequences reads.
    pub classifier: ClassifierHead,
    /// The probability that what a classifier reads is dropped in training.
    pub classifier_dropout: f64,
}

/// What a classifier of sequences reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClassifierHead {
    /// The base model's layer on the first token.
    Pooled,
    /// A linear layer of its own on the first token, with this activation.
    Dense(Activation),
}
