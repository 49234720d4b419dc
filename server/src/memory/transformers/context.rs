//! What a forward pass runs on.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::architecture::{Architecture, Pair};
use crate::memory::replay::{Attention, AttentionKernel, Kind, Tape, Tensor};
use crate::memory::weights::Dtype;

/// What the model is given in one forward pass.
#[derive(Clone, Debug)]
pub struct Context {
    /// The model.
    pub architecture: Arc<Architecture>,
    /// Sequences or images.
    pub batch: u64,
    /// Tokens of each that are new.
    pub length: u64,
    /// Tokens of each that the decoder of a pair of stacks is given.
    pub target: u64,
    /// Tokens that only an earlier pass saw.
    pub past: u64,
    /// Keys and values of earlier tokens.
    pub cache: Option<Rc<RefCell<Cache>>>,
    /// Keys and values of the encoder's output, where a decoder keeps them.
    pub cross: Option<Rc<RefCell<Cache>>>,
    /// The encoder's output of an earlier pass.
    pub encoded: Option<Tensor>,
    /// Images or sound: one row for each example.
    pub signal: Option<Tensor>,
    /// The side of images in pixels, where it is not what the model was made for.
    pub image: Option<u64>,
    /// Who computes attention.
    pub kernel: AttentionKernel,
    /// Whether some sequences are padded, so that a mask reaches attention.
    pub padded: bool,
    /// Whether layers keep only their input.
    pub checkpointing: bool,
    /// Whether labels are given and a loss is computed.
    pub labels: bool,
    /// Whether scores are wanted for the last token alone.
    pub last_only: bool,
}

/// What a forward pass gives.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The loss.
    pub loss: Option<Tensor>,
    /// Scores, or features where there are none.
    pub scores: Option<Tensor>,
    /// Other tensors that the output names; the encoder's output first, where there is an encoder and a decoder.
    pub others: Vec<Tensor>,
}

/// Keys and values of earlier tokens, by layer.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    layers: Vec<(Tensor, Tensor)>,
    /// The tokens that there is room for, where it is made at once.
    room: Option<u64>,
}

impl Cache {
    /// A cache that grows, or one with room for so many tokens.
    pub const fn new(room: Option<u64>) -> Self {
        Self { layers: Vec::new(), room }
    }

    /// Adds the keys and values of a layer; what attention is to see.
    pub fn update(&mut self, tape: &Tape, layer: u64, new: [Tensor; 2], batch: u64) -> [Tensor; 2] {
        let place = usize::try_from(layer).unwrap_or(usize::MAX);
        let [keys, values] = new;
        let updated = tape.of_kind(Kind::Cache, || match (self.layers.get(place), self.room) {
            (Some((old_keys, old_values)), None) => [
                tape.concatenated(&[old_keys, &keys], old_keys.rows + keys.rows, keys.features),
                tape.concatenated(&[old_values, &values], old_values.rows + values.rows, values.features),
            ],
            (None, None) => [
                tape.concatenated(&[&keys], keys.rows, keys.features),
                tape.concatenated(&[&values], values.rows, values.features),
            ],
            (Some((old_keys, old_values)), Some(_)) => [old_keys.clone(), old_values.clone()],
            (None, Some(room)) => {
                let rows = batch.saturating_mul(room);
                [tape.fresh(rows, keys.features, keys.dtype), tape.fresh(rows, values.features, values.dtype)]
            }
        });
        let [keys, values] = &updated;
        let held = (keys.clone(), values.clone());
        match self.layers.get_mut(place) {
            Some(slot) => *slot = held,
            None => self.layers.push(held),
        }
        updated
    }
}

impl Cache {
    /// Makes it what it is when each sequence has so many tokens: as if those that are missing had been added one by one.
    /// `window` tells how many a layer sees; it keeps one less.
    pub fn advance(&mut self, tape: &Tape, [batch, tokens]: [u64; 2], window: impl Fn(u64) -> Option<u64>) {
        for (layer, (keys, values)) in (0..).zip(&mut self.layers) {
            let kept = window(layer).map_or(tokens, |window| window.saturating_sub(1).min(tokens));
            for tensor in [keys, values] {
                *tensor = tape.of_kind(Kind::Cache, || {
                    tape.fresh(batch.saturating_mul(kept), tensor.features, tensor.dtype)
                });
            }
        }
    }
}

impl Cache {
    /// The keys and values of a layer, where there are any.
    pub fn layer(&self, layer: u64) -> Option<[Tensor; 2]> {
        let (keys, values) = self.layers.get(usize::try_from(layer).ok()?)?;
        Some([keys.clone(), values.clone()])
    }
}

impl Context {
    /// The positions of an encoder's output for each example.
    pub fn source_length(&self, pair: &Pair) -> u64 {
        pair.audio.map_or(self.length, |audio| audio.frames / 2)
    }

    /// Images or sound.
    pub fn signal(&self, tape: &Tape) -> Tensor {
        self.signal.clone().unwrap_or_else(|| tape.fresh(0, 1, tape.parameters.dtype()))
    }

    /// Whether a tensor is in half precision though the parameters are said to be in full precision: under autocast, that
    /// is no reason to convert it.
    pub fn is_half(&self, tensor: &Tensor, tape: &Tape) -> bool {
        tensor.dtype != Dtype::Float32 && tape.autocast().is_none()
    }

    /// The mask within the decoder of a pair of stacks.
    pub fn causal_mask_of_decoder(&self, tape: &Tape) -> Option<Tensor> {
        let decoder = Self { length: self.target, padded: false, ..self.clone() };
        decoder.causal_mask(tape, tape.parameters.dtype(), false)
    }

    /// New tokens of all sequences.
    pub const fn tokens(&self) -> u64 {
        self.batch.saturating_mul(self.length)
    }

    /// One call of attention in this pass.
    pub fn attention(&self, mask: Option<Tensor>, dropout: f64) -> Attention {
        Attention {
            kernel: self.kernel,
            batch: self.batch,
            heads: self.architecture.heads,
            groups: self.architecture.groups,
            dropout,
            mask,
            bias: None,
            softmax_in_float32: true,
            scaled: true,
            capped: false,
            in_float32: false,
            unmasked_held: false,
        }
    }

    /// The mask of a causal model: none where PyTorch's kernels know it without one, one byte for each pair otherwise, or
    /// a number that is added where attention is written out.
    pub fn causal_mask(&self, tape: &Tape, dtype: Dtype, windowed: bool) -> Option<Tensor> {
        let context = self.length + self.past;
        let rows = self.batch.saturating_mul(self.length);
        match self.kernel {
            AttentionKernel::Sdpa if self.padded || windowed => Some(tape.fresh(rows, context, Dtype::Int8)),
            AttentionKernel::Sdpa => None,
            AttentionKernel::Eager => {
                let truth = tape.fresh(rows, context, Dtype::Int8);
                let mask = tape.fresh(rows, context, dtype);
                drop(truth);
                Some(mask)
            }
        }
    }

    /// The mask of a model that sees everything but padding.
    pub fn mask_of_padding(&self, tape: &Tape, length: u64, context: u64) -> Option<Tensor> {
        let rows = self.batch.saturating_mul(length);
        self.padded.then(|| match self.kernel {
            AttentionKernel::Sdpa => tape.fresh(rows, context, Dtype::Int8),
            AttentionKernel::Eager => tape.fresh(rows, context, tape.parameters.dtype()),
        })
    }
}
