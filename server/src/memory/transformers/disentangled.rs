//! `DeBERTa` (second and third version), as transformers 5.24 builds it: attention to contents and to relative positions.

use std::rc::Rc;

use super::architecture::{Architecture, Disentangled, Encoder, Task};
use super::context::{Context, Output};
use super::encoder::{after_attention, words};
use super::heads::labelled;
use super::stack::{Stacked, run_layer};
use crate::memory::replay::{Activation, Bias, Norm, Part, Tape, Tensor};
use crate::memory::weights::Dtype;

/// A stack of layers in a forward pass.
struct Stack {
    context: Context,
    encoder: Encoder,
    /// What relative positions are told by, and how many there are.
    distances: Tensor,
}

/// A forward pass.
pub fn run(tape: &Tape, context: &Context, description: &Disentangled) -> Output {
    let shape = &context.architecture;
    let encoder = &description.encoder;
    let table = tape.parameters.next(shape.vocabulary, shape.hidden);
    let embedded = embedded(tape, context, encoder, &table);
    let rows = description.span.saturating_mul(2);
    let distances = tape.parameters.next(rows, shape.hidden);
    let distances = if description.normed { tape.norm(distances, Norm::Layer) } else { distances };
    // Who may see whom, and how far apart tokens are: held by the encoder.
    let pairs = context.length.saturating_mul(context.length);
    let seen = tape.fresh(context.batch.saturating_mul(pairs), 1, Dtype::Float32);
    let relative = tape.fresh(pairs, 1, Dtype::Int64);
    let stack = Rc::new(Stack { context: context.clone(), encoder: *encoder, distances });
    let mut hidden = embedded.clone();
    for layer in 0..shape.layers {
        hidden = run_layer(tape, &stack, layer, hidden);
    }
    drop((embedded, seen, relative));
    match shape.task {
        Task::MaskedLanguage | Task::CausalLanguage => words(tape, context, encoder, [&hidden, &table]),
        Task::TokenClassification => {
            let hidden = tape.dropout(&hidden, encoder.classifier_dropout);
            labelled(tape, context, &hidden, "classifier")
        }
        Task::Classification => classified(tape, context, encoder, &hidden),
        Task::Base => Output { scores: Some(hidden), ..Output::default() },
    }
}

fn embedded(tape: &Tape, context: &Context, encoder: &Encoder, table: &Tensor) -> Tensor {
    let tokens = context.tokens();
    let positions = (encoder.positions > 0).then(|| tape.parameters.next(encoder.positions, table.features));
    let kinds = (encoder.kinds > 0).then(|| tape.parameters.next(encoder.kinds, table.features));
    let words = tape.embedding(table, tokens);
    let mut sum = words.clone();
    match positions {
        Some(positions) => sum = tape.add(sum, tape.embedding(&positions, context.length)),
        None => drop(tape.fresh(tokens, table.features, table.dtype)),
    }
    if let Some(kinds) = kinds {
        sum = tape.add(sum, tape.embedding(&kinds, tokens));
    }
    // Padding is multiplied away, be there any or not.
    let shown = tape.scale(tape.norm(sum, Norm::Layer));
    tape.dropout(shown, context.architecture.dropout)
}

fn classified(tape: &Tape, context: &Context, encoder: &Encoder, hidden: &Tensor) -> Output {
    let first = tape.slice(hidden, context.batch, hidden.features);
    let pooled = tape.parameters.of_part(Part::Head, || {
        let dense = tape.linear(first, "dense", hidden.features, Bias::With);
        tape.activate(dense, Activation::OneKernel)
    });
    let pooled = tape.dropout(pooled, encoder.classifier_dropout);
    labelled(tape, context, &pooled, "classifier")
}

impl Stacked for Stack {
    fn layer(&self, tape: &Tape, _layer: u64, input: &Tensor) -> Tensor {
        let mixed = self.attended(tape, input);
        after_attention(tape, &self.context, &self.encoder, (input, mixed))
    }

    fn checkpointing(&self) -> bool {
        self.context.checkpointing
    }
}

impl Stack {
    fn attended(&self, tape: &Tape, input: &Tensor) -> Tensor {
        let Architecture { hidden, heads, attention_dropout, dropout, .. } = *self.context.architecture;
        let (batch, length) = (self.context.batch, self.context.length);
        let rows = batch.saturating_mul(heads).saturating_mul(length);
        let start = tape.parameters.place();
        let project = |tensor: &Tensor, name: &str| {
            tape.contiguous(tape.linear(tensor, name, hidden, Bias::With).with_heads_first())
        };
        let queries = project(input, "query_proj");
        let keys = project(input, "key_proj");
        let values = project(input, "value_proj");
        let end = tape.parameters.place();
        let scores = tape.product(&queries, &tape.scale(&keys), [rows, length]);
        let distances = tape.dropout(&self.distances, dropout);
        // The same two layers project the positions, which are then repeated for the batch.
        tape.parameters.go_to(start);
        let [position_queries, position_keys] =
            ["query_proj", "key_proj"].map(|name| tape.summed_over(&project(&distances, name), batch));
        tape.parameters.go_to(end);
        let span = self.distances.rows;
        let to_positions = self.relative(tape, [&queries, &position_keys], [rows, span]);
        let relative = tape.shift(tape.scale(&to_positions));
        let from_positions = self.relative(tape, [&keys, &position_queries], [rows, span]);
        let relative = tape.add_in_place(&relative, &tape.scale(&from_positions));
        drop((to_positions, from_positions, position_queries, position_keys));
        let sum = tape.add(&scores, &relative);
        drop(scores);
        let sum = self.masked(tape, sum);
        let chances = tape.softmax(&sum);
        drop(sum);
        let chances = tape.to(tape.dropout(chances, attention_dropout), values.dtype);
        let mixed = tape.product(&chances, &values, [rows, hidden / heads.max(1)]);
        drop((relative, queries, keys, values));
        tape.contiguous(mixed.viewed(hidden).with_heads_first())
    }

    /// Scores of contents and all positions, of which those are chosen that each pair needs.
    fn relative(&self, tape: &Tape, factors: [&Tensor; 2], [rows, span]: [u64; 2]) -> Tensor {
        let length = self.context.length;
        let [contents, positions] = factors;
        let all = tape.product(contents, positions, [rows, span]);
        tape.chosen(&all, length, length.saturating_mul(length))
    }

    /// Scores without those of padding, by a mask of one byte for each pair of a sequence.
    fn masked(&self, tape: &Tape, scores: Tensor) -> Tensor {
        let pairs = self.context.length.saturating_mul(self.context.length);
        let mask = tape.fresh(self.context.batch.saturating_mul(pairs), 1, Dtype::Int8);
        tape.masked(scores, &mask)
    }
}
