//! Encoders of images by patches, and CLIP's pair of towers, as transformers 5.24 builds them.

use std::rc::Rc;
use std::sync::Arc;

use super::architecture::{Architecture, Patches, Task, Towers};
use super::context::{Context, Output};
use super::heads::labelled;
use super::stack::{Stacked, run_layer};
use crate::memory::replay::{Attended, Bias, Norm, Tape, Tensor};

/// A stack of layers in a forward pass.
struct Stack {
    context: Context,
    names: [&'static str; 6],
    gated: bool,
    layer_scale: bool,
    mask: Option<Tensor>,
    softmax_in_float32: bool,
}

/// A forward pass over images.
pub fn run(tape: &Tape, context: &Context, patches: &Patches) -> Output {
    let shape = &context.architecture;
    let hidden = features(tape, context, patches);
    let hidden = tape.norm(hidden, Norm::Layer);
    let first = tape.slice(&hidden, context.batch, shape.hidden);
    match shape.task {
        Task::Base if patches.pooler => {
            let pooled = tape.keeps_output(tape.linear(first, "dense", shape.hidden, Bias::With));
            Output { scores: Some(hidden), others: vec![pooled], ..Output::default() }
        }
        Task::Base => Output { scores: Some(hidden), others: vec![first], ..Output::default() },
        _ if patches.classifies_mean => {
            let rest = tape.slice(&hidden, hidden.rows.saturating_sub(context.batch), shape.hidden);
            let mean = tape.summed(&rest, context.batch);
            let both = tape.concatenated(&[&first, &mean], context.batch, shape.hidden.saturating_mul(2));
            labelled(tape, context, &both, "classifier")
        }
        _ => labelled(tape, context, &first, "classifier"),
    }
}

/// The features of the last layer for every patch and what stands before them.
fn features(tape: &Tape, context: &Context, patches: &Patches) -> Tensor {
    let shape = &context.architecture;
    let side = context.image.unwrap_or(patches.image) / patches.patch.max(1);
    let count = side.saturating_mul(side);
    let own = patches.image / patches.patch.max(1);
    let tokens = count.saturating_add(patches.extra);
    let rows = context.batch.saturating_mul(tokens);
    let pixels = context.signal(tape).viewed(patches.features());
    let weight = tape.parameters.next(shape.hidden, patches.features());
    let bias = patches.bias.then(|| tape.parameters.next(1, shape.hidden));
    let embedded = tape.affine(&pixels, &weight, bias.as_ref());
    let before = tape.parameters.next(patches.extra, shape.hidden);
    let _masked = patches.mask_token.then(|| tape.parameters.next(1, shape.hidden));
    let places = tape.parameters.next(own.saturating_mul(own).saturating_add(patches.extra), shape.hidden);
    let joined = tape.concatenated(&[&before, &embedded], rows, shape.hidden);
    drop(embedded);
    let hidden = tape.add(joined, places.some_rows(tokens));
    let hidden = tape.dropout(hidden, shape.dropout);
    let hidden = if patches.first_norm { tape.norm(hidden, Norm::Layer) } else { hidden };
    let stack = Stack {
        context: Context { length: tokens, ..context.clone() },
        names: patches.names,
        gated: patches.gated,
        layer_scale: patches.layer_scale,
        mask: None,
        softmax_in_float32: patches.softmax_in_float32,
    };
    stack.run(tape, hidden)
}

impl Stack {
    fn run(self, tape: &Tape, hidden: Tensor) -> Tensor {
        let layers = self.context.architecture.layers;
        let stack = Rc::new(self);
        let mut current = hidden.clone();
        for layer in 0..layers {
            current = run_layer(tape, &stack, layer, current);
        }
        drop(hidden);
        current
    }

    fn scaled(&self, tape: &Tape, output: Tensor) -> Tensor {
        if !self.layer_scale {
            return output;
        }
        let amount = tape.parameters.next(1, output.features);
        tape.multiply(output, amount)
    }
}

impl Stacked for Stack {
    fn layer(&self, tape: &Tape, _layer: u64, input: &Tensor) -> Tensor {
        let Architecture { hidden, inner, activation, dropout, attention_dropout, .. } =
            *self.context.architecture;
        let [query, key, value, output_name, up, down] = self.names;
        let normed = tape.norm(input, Norm::Layer);
        let [queries, keys, values] =
            [query, key, value].map(|name| tape.linear(&normed, name, hidden, Bias::With).with_heads_first());
        let mut how = self.context.attention(self.mask.clone(), attention_dropout);
        how.softmax_in_float32 = self.softmax_in_float32;
        let held = [queries.clone(), keys.clone(), values.clone()];
        let Attended { output, scores: _scores } = tape.attend([queries, keys, values], &how);
        let output = tape.linear(output, output_name, hidden, Bias::With);
        drop((held, normed));
        let output = tape.dropout(self.scaled(tape, output), dropout);
        let attended = tape.add(output, input);
        let normed = tape.norm(&attended, Norm::Layer);
        let active = if self.gated {
            let gate = tape.activate(tape.linear(&normed, "gate_proj", inner, Bias::With), activation);
            tape.multiply(gate, tape.linear(&normed, up, inner, Bias::With))
        } else {
            tape.activate(tape.linear(&normed, up, inner, Bias::With), activation)
        };
        let output = tape.linear(active, down, hidden, Bias::With);
        drop(normed);
        let output = tape.dropout(self.scaled(tape, output), dropout);
        tape.add(output, &attended)
    }

    fn checkpointing(&self) -> bool {
        self.context.checkpointing
    }
}

/// A forward pass over images and texts.
pub fn towers(tape: &Tape, context: &Context, towers: &Towers) -> Output {
    let image = Context { architecture: Arc::clone(&towers.image), ..context.clone() };
    let seen = features(tape, &image, &towers.patches);
    let first = tape.slice(&seen, context.batch, seen.features);
    let pooled = tape.norm(first, Norm::Layer);
    let images = tape.linear(pooled, "visual_projection", towers.space, Bias::Without);
    let read = texts(tape, context, towers);
    let last = tape.slice(&read, context.batch, read.features);
    let texts = tape.linear(last, "text_projection", towers.space, Bias::Without);
    let scale = tape.parameters.next(1, 1);
    let similar = tape.product(&texts, &images, [context.batch, context.batch]);
    let scores = tape.multiply(similar, scale);
    let loss = context.labels.then(|| tape.add(tape.cross_entropy(&scores), tape.cross_entropy(&scores)));
    Output { loss, scores: Some(scores), others: vec![images, texts, seen, read] }
}

/// The features of the last layer of the tower for texts, normalized.
fn texts(tape: &Tape, context: &Context, towers: &Towers) -> Tensor {
    let shape = &towers.text;
    let context = Context { architecture: Arc::clone(shape), ..context.clone() };
    let table = tape.parameters.next(shape.vocabulary, shape.hidden);
    let positions = tape.parameters.next(towers.positions, shape.hidden);
    let words = tape.embedding(&table, context.tokens());
    let hidden = tape.add(words, tape.embedding(&positions, context.length));
    let mask = context.causal_mask(tape, hidden.dtype, false);
    let stack = Stack {
        context,
        names: towers.patches.names,
        gated: false,
        layer_scale: false,
        mask,
        softmax_in_float32: true,
    };
    let hidden = stack.run(tape, hidden);
    tape.norm(hidden, Norm::Layer)
}
