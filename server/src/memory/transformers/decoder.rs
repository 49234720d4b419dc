//! Decoders of text, as transformers 5.24 builds them: what a layer does, in the order in which it does it.

use std::cell::RefCell;
use std::rc::Rc;

use super::architecture::{Architecture, Decoder, Feed, Order, Positions, Projection, QueryKeyNorm};
use super::context::Context;
use super::experts::experts;
use super::stack::{Stacked, run_layer};
use crate::memory::replay::{Attended, AttentionKernel, Bias, Tape, Tensor};
use crate::memory::weights::Dtype;

/// A stack of layers in a forward pass.
struct Stack {
    context: Context,
    decoder: Decoder,
    /// Cosines and sines.
    angles: Option<[Tensor; 2]>,
    /// Who may see whom, for layers that see everything and for those that see a window.
    masks: [Option<Tensor>; 2],
    /// The bias on scores that grows with distance.
    distances: Option<Tensor>,
    /// The scores of the last layer, where a name holds them while the next one runs.
    held_scores: RefCell<Option<Tensor>>,
}

/// The features of the last layer, and the table of the embedding.
pub fn features(tape: &Tape, context: &Context, decoder: &Decoder) -> (Tensor, Tensor) {
    let shape = &context.architecture;
    let tokens = context.tokens();
    let table = tape.parameters.next(shape.vocabulary, decoder.embedding_width.unwrap_or(shape.hidden));
    let embedded = tape.embedding(&table, tokens);
    let embedded = if decoder.embedding_scaled { tape.scale(embedded) } else { embedded };
    let projected = match decoder.embedding_width {
        Some(_) => tape.linear(&embedded, "project_in", shape.hidden, Bias::Without),
        None => embedded.clone(),
    };
    let hidden = positioned(tape, context, decoder, projected);
    let hidden = if decoder.embedding_norm { tape.norm(hidden, decoder.norm) } else { hidden };
    let hidden = tape.dropout(hidden, decoder.drops.embedding);
    let kernel = if decoder.written_out { AttentionKernel::Eager } else { context.kernel };
    let padded = context.padded || (decoder.masked && context.length > 1);
    let context = &Context { kernel, padded, ..context.clone() };
    let stack = Rc::new(Stack::new(tape, context.clone(), decoder.clone(), hidden.dtype));
    let mut hidden = hidden;
    for layer in 0..shape.layers {
        hidden = run_layer(tape, &stack, layer, hidden);
    }
    drop(stack.held_scores.take());
    let hidden = if decoder.final_norm { tape.norm(hidden, decoder.norm) } else { hidden };
    let hidden = match decoder.embedding_width {
        Some(width) => tape.linear(hidden, "project_out", width, Bias::Without),
        None => hidden,
    };
    drop(embedded);
    (hidden, table)
}

fn positioned(tape: &Tape, context: &Context, decoder: &Decoder, embedded: Tensor) -> Tensor {
    let Positions::Learnt { count, each } = decoder.positions else { return embedded };
    let table = tape.parameters.next(count, context.architecture.hidden);
    let places = tape.embedding(&table, if each { context.tokens() } else { context.length });
    tape.add(embedded, places)
}

impl Stacked for Stack {
    fn layer(&self, tape: &Tape, layer: u64, input: &Tensor) -> Tensor {
        let Decoder { norm, order, held, .. } = self.decoder;
        match order {
            Order::Before | Order::Around => {
                let normed = tape.norm(input, norm);
                let named = held.normed.then(|| normed.clone());
                let Attended { output, scores } = self.attention(tape, layer, normed);
                let output = if order == Order::Around { tape.norm(output, norm) } else { output };
                let held_output = held.output.then(|| output.clone());
                let hidden = self.residual(tape, input, output);
                let output = self.feed(tape, &tape.norm(&hidden, norm));
                let output = if order == Order::Around { tape.norm(output, norm) } else { output };
                let sum = self.residual(tape, &hidden, output);
                drop((named, held_output));
                if held.scores {
                    self.held_scores.replace(scores);
                }
                sum
            }
            Order::Behind => {
                let Attended { output, scores: _scores } = self.attention(tape, layer, input.clone());
                let hidden = self.residual(tape, input, tape.norm(output, norm));
                let output = tape.norm(self.feed(tape, &hidden), norm);
                self.residual(tape, &hidden, output)
            }
            Order::After => {
                let Attended { output, scores: _scores } = self.attention(tape, layer, input.clone());
                let hidden = tape.norm(self.residual(tape, input, output), norm);
                let output = self.feed(tape, &hidden);
                tape.norm(self.residual(tape, &hidden, output), norm)
            }
            Order::Parallel | Order::ParallelTwoNorms => {
                let normed = tape.norm(input, norm);
                let shared = (order == Order::Parallel).then(|| normed.clone());
                let Attended { output, scores: _scores } = self.attention(tape, layer, normed);
                let output = tape.dropout(output, self.decoder.drops.layer);
                let fed = self.feed(tape, &shared.unwrap_or_else(|| tape.norm(input, norm)));
                let fed = tape.dropout(fed, self.decoder.drops.layer);
                tape.add(tape.add(output, fed), input)
            }
        }
    }

    fn checkpointing(&self) -> bool {
        self.context.checkpointing
    }
}

impl Stack {
    fn new(tape: &Tape, context: Context, decoder: Decoder, dtype: Dtype) -> Self {
        let head = context.architecture.head;
        let angles = match decoder.positions {
            Positions::Rotary(rotation) => {
                let rows = context.length.saturating_mul(rotation.sets.max(1));
                let angles = [(); 2].map(|()| tape.fresh(rows, rotation.features(head), dtype));
                Some(angles)
            }
            Positions::Learnt { .. } | Positions::Distance => None,
        };
        let distances = (decoder.positions == Positions::Distance).then(|| {
            let rows = context.batch.saturating_mul(context.architecture.heads);
            tape.fresh(rows, context.length + context.past, dtype)
        });
        let narrow = decoder.window.filter(|window| window.tokens < context.length + context.past);
        let masks = [
            context.causal_mask(tape, dtype, false),
            narrow.and_then(|_| context.causal_mask(tape, dtype, true)),
        ];
        Self { context, decoder, angles, masks, distances, held_scores: RefCell::default() }
    }

    fn shape(&self) -> &Architecture {
        &self.context.architecture
    }

    /// What a part of the layer gives is added to what went in.
    fn residual(&self, tape: &Tape, input: &Tensor, output: Tensor) -> Tensor {
        let output = tape.dropout(output, self.decoder.drops.layer);
        let output = if self.decoder.scales.residual { tape.scale(output) } else { output };
        tape.add(input, output)
    }

    fn attention(&self, tape: &Tape, layer: u64, input: Tensor) -> Attended {
        let Decoder { names, bias, .. } = self.decoder;
        let [mut queries, mut keys, mut values] = self.projected(tape, &input);
        if self.decoder.scales.queries {
            queries = tape.scale(queries);
        }
        [queries, keys] = self.normed_later(tape, queries, keys);
        [queries, keys] = self.rotated(tape, queries, keys);
        if let Some(cache) = &self.context.cache {
            [keys, values] = cache.borrow_mut().update(tape, layer, [keys, values], self.context.batch);
        }
        let narrow = self.decoder.window.is_some_and(|window| window.covers(layer));
        let [everything, window] = &self.masks;
        let mask = if narrow { window.as_ref().or(everything.as_ref()) } else { everything.as_ref() };
        let mut how = self.context.attention(mask.cloned(), self.shape().attention_dropout);
        how.softmax_in_float32 = self.decoder.softmax_in_float32;
        how.in_float32 = self.decoder.attention_in_float32;
        how.capped = self.decoder.capped_scores;
        if self.decoder.written_out {
            how.kernel = AttentionKernel::Eager;
        }
        // The bias that grows with distance is added by the product itself (`baddbmm`).
        how.scaled = self.distances.is_none();
        how.unmasked_held = self.distances.is_some();
        if self.decoder.projection == Projection::PackedRepeated {
            how.groups = how.heads;
        }
        let held = [queries.clone(), keys.clone(), values.clone()];
        let attended = tape.attend([queries, keys, values], &how);
        let output =
            tape.linear(&attended.output, names.output, self.shape().hidden, Bias::when(bias.output));
        drop((held, input));
        Attended { output, scores: attended.scores }
    }

    /// Queries, keys and values, with heads before tokens.
    fn projected(&self, tape: &Tape, input: &Tensor) -> [Tensor; 3] {
        let Architecture { heads, groups, head, .. } = *self.shape();
        let Decoder { names, bias, projection, .. } = self.decoder;
        let bias = Bias::when(bias.projection);
        let (queries, keys) = (heads.saturating_mul(head), groups.saturating_mul(head));
        let all = match projection {
            Projection::Separate => [
                self.normed_at_once(tape, tape.linear(input, names.query, queries, bias)),
                self.normed_at_once(tape, tape.linear(input, names.key, keys, bias)),
                tape.linear(input, names.value, keys, bias),
            ],
            Projection::Packed | Projection::PackedSlices | Projection::PackedRepeated => {
                let packed =
                    tape.linear(input, names.query, queries.saturating_add(keys.saturating_mul(2)), bias);
                if projection == Projection::PackedSlices {
                    [queries, keys, keys].map(|features| tape.slice(&packed, packed.rows, features))
                } else if projection == Projection::PackedRepeated {
                    let sharing = heads / groups.max(1);
                    let query = tape.slice(&packed, packed.rows, queries);
                    let [key, value] = [keys, keys]
                        .map(|features| tape.repeated(tape.slice(&packed, packed.rows, features), sharing));
                    [tape.copied(query), key, value]
                } else {
                    let mut parts = tape.split(&packed, &[queries, keys, keys]).into_iter();
                    [(); 3].map(|()| parts.next().unwrap_or_else(|| packed.clone()))
                }
            }
        };
        all.map(Tensor::with_heads_first)
    }

    /// A norm on what a projection just made, to which nothing else holds.
    fn normed_at_once(&self, tape: &Tape, projected: Tensor) -> Tensor {
        let whole = projected.features;
        let features = match self.decoder.query_key_norm {
            QueryKeyNorm::Heads => self.shape().head,
            QueryKeyNorm::Whole => whole,
            QueryKeyNorm::None | QueryKeyNorm::HeadsLater => return projected,
        };
        tape.norm_owned(projected.viewed(features), self.decoder.norm).viewed(whole)
    }

    fn normed_later(&self, tape: &Tape, queries: Tensor, keys: Tensor) -> [Tensor; 2] {
        if self.decoder.query_key_norm != QueryKeyNorm::HeadsLater {
            return [queries, keys];
        }
        let norm = |tensor: &Tensor| {
            tape.norm(tensor.viewed(self.shape().head), self.decoder.norm).viewed(tensor.features)
        };
        let queries = norm(&queries);
        [queries, norm(&keys)]
    }

    fn rotated(&self, tape: &Tape, queries: Tensor, keys: Tensor) -> [Tensor; 2] {
        let (Positions::Rotary(rotation), Some(angles)) = (self.decoder.positions, &self.angles) else {
            return [queries, keys];
        };
        let Architecture { heads, groups, head, .. } = *self.shape();
        let dtype = queries.dtype;
        let rotate = |tensor: &Tensor, heads: u64| {
            if rotation.cut {
                tape.rotate_part(tensor, angles, [heads, rotation.features(head)])
            } else {
                tape.rotate(tensor, angles)
            }
        };
        let [high_queries, high_keys] = [&queries, &keys]
            .map(|tensor| if rotation.in_float32 { tape.to(tensor, Dtype::Float32) } else { tensor.clone() });
        let rotated = [rotate(&high_queries, heads), rotate(&high_keys, groups)];
        let rotated = if rotation.tokens_first { rotated.map(Tensor::with_heads_first) } else { rotated };
        if rotation.restored { rotated.map(|tensor| tape.to(tensor, dtype)) } else { rotated }
    }

    fn feed(&self, tape: &Tape, input: &Tensor) -> Tensor {
        let Architecture { hidden, inner, activation, .. } = *self.shape();
        let Decoder { names, bias, .. } = self.decoder;
        let bias = Bias::when(bias.feed);
        match self.decoder.feed {
            Feed::Plain => {
                let up = tape.linear(input, names.up, inner, bias);
                let active = tape.activate(up, activation);
                tape.linear(active, names.down, hidden, bias)
            }
            Feed::Gated => {
                let gate = tape.activate(tape.linear(input, names.gate, inner, bias), activation);
                let product = tape.multiply(gate, tape.linear(input, names.up, inner, bias));
                tape.linear(product, names.down, hidden, bias)
            }
            Feed::GatedPacked => {
                let both = tape.linear(input, names.up, inner.saturating_mul(2), bias);
                let mut parts = tape.split(&both, &[inner, inner]).into_iter();
                let [gate, up] = [(); 2].map(|()| parts.next().unwrap_or_else(|| both.clone()));
                drop(both);
                let product = tape.multiply(&up, tape.activate(&gate, activation));
                drop(up);
                tape.linear(product, names.down, hidden, bias)
            }
            Feed::Experts(mixture) => experts(tape, self.shape(), mixture, input),
        }
    }
}
