//! Encoders of text with norms after each sum, as transformers 5.24 builds them.

use std::rc::Rc;

use super::architecture::{Architecture, ClassifierHead, Encoder, Task};
use super::context::{Context, Output};
use super::heads::labelled;
use super::stack::{Stacked, run_layer};
use crate::memory::replay::{Attended, Bias, Kind, Norm, Part, Tape, Tensor};

/// A stack of layers in a forward pass.
struct Stack {
    context: Context,
    encoder: Encoder,
    mask: Option<Tensor>,
    /// The place of the first layer's parameters, which all layers share where they do.
    first: Option<usize>,
}

/// A forward pass.
pub fn run(tape: &Tape, context: &Context, encoder: &Encoder) -> Output {
    let shape = &context.architecture;
    let table = tape.parameters.next(shape.vocabulary, encoder.width);
    let mut embedded = embedded(tape, context, encoder, &table);
    let mut hidden = if encoder.width == shape.hidden {
        embedded.clone()
    } else {
        tape.linear(&embedded, "embeddings_project", shape.hidden, Bias::With)
    };
    // ALBERT's stack projects by itself, so that the name of its caller is that of what went in.
    if !encoder.shared_layers {
        embedded.clone_from(&hidden);
    }
    let mask = context.mask_of_padding(tape, context.length, context.length);
    let first = encoder.shared_layers.then(|| tape.parameters.place());
    let stack = Rc::new(Stack { context: context.clone(), encoder: *encoder, mask, first });
    for _ in 0..shape.layers {
        hidden = run_layer(tape, &stack, 0, hidden);
    }
    drop(embedded);
    let output = match shape.task {
        Task::MaskedLanguage | Task::CausalLanguage => words(tape, context, encoder, [&hidden, &table]),
        Task::Classification => classified(tape, context, encoder, &hidden),
        Task::TokenClassification => {
            let hidden = tape.dropout(&hidden, encoder.classifier_dropout);
            labelled(tape, context, &hidden, "classifier")
        }
        Task::Base => {
            let pooled = encoder.pooler.then(|| pooled(tape, context, &hidden));
            Output { scores: Some(hidden.clone()), others: pooled.into_iter().collect(), ..Output::default() }
        }
    };
    drop(hidden);
    output
}

/// Words, kinds of sentence and positions, added up, normalized and dropped out.
fn embedded(tape: &Tape, context: &Context, encoder: &Encoder, table: &Tensor) -> Tensor {
    let tokens = context.tokens();
    let positions = tape.parameters.next(encoder.positions, encoder.width);
    let kinds = (encoder.kinds > 0).then(|| tape.parameters.next(encoder.kinds, encoder.width));
    let words = tape.embedding(table, tokens);
    let mut sum = words.clone();
    if let Some(kinds) = kinds {
        sum = tape.add(sum, tape.embedding(&kinds, tokens));
    }
    let places = if encoder.positions_each { tokens } else { context.length };
    let sum = tape.add(sum, tape.embedding(&positions, places));
    tape.dropout(tape.norm(sum, Norm::Layer), context.architecture.dropout)
}

impl Stacked for Stack {
    fn checkpointing(&self) -> bool {
        self.context.checkpointing
    }

    fn layer(&self, tape: &Tape, _layer: u64, input: &Tensor) -> Tensor {
        if let Some(first) = self.first {
            tape.parameters.go_to(first);
        }
        let Architecture { hidden, attention_dropout, .. } = *self.context.architecture;
        let Encoder { names, .. } = self.encoder;
        let [queries, keys, values] = [names.query, names.key, names.value]
            .map(|name| tape.linear(input, name, hidden, Bias::With).with_heads_first());
        let mut how = self.context.attention(self.mask.clone(), attention_dropout);
        how.softmax_in_float32 = false;
        let held = [queries.clone(), keys.clone(), values.clone()];
        let Attended { output, scores: _scores } = tape.attend([queries, keys, values], &how);
        drop(held);
        after_attention(tape, &self.context, &self.encoder, (input, output))
    }
}

/// What a layer does after attention: a linear layer, and a feed-forward layer, each with a sum and a norm.
pub fn after_attention(
    tape: &Tape,
    context: &Context,
    encoder: &Encoder,
    (input, attended): (&Tensor, Tensor),
) -> Tensor {
    let Architecture { hidden, inner, activation, dropout, .. } = *context.architecture;
    let Encoder { names, drops_attention, drops_feed, parts_named, .. } = *encoder;
    let named = parts_named.then(|| attended.clone());
    let output = tape.linear(attended, names.output, hidden, Bias::With);
    let output = if drops_attention { tape.dropout(output, dropout) } else { output };
    let attended = tape.norm(tape.add(&output, input), Norm::Layer);
    drop((named, output));
    let up = tape.linear(&attended, names.up, inner, Bias::With);
    let active = tape.activate(up, activation);
    let named = parts_named.then(|| active.clone());
    let down = tape.linear(active, names.down, hidden, Bias::With);
    let down = if drops_feed { tape.dropout(down, dropout) } else { down };
    let output = tape.norm(tape.add(&down, &attended), Norm::Layer);
    drop((named, down));
    output
}

/// Scores over the vocabulary: a linear layer, a norm, and the table of the embedding with a bias.
pub fn words(tape: &Tape, context: &Context, encoder: &Encoder, [hidden, table]: [&Tensor; 2]) -> Output {
    let shape = &context.architecture;
    let (dense, bias) =
        (tape.parameters.next(encoder.width, shape.hidden), tape.parameters.next(1, encoder.width));
    let transformed = tape.affine(hidden, &dense, Some(&bias));
    let transformed = tape.activate(transformed, shape.activation);
    let normed = tape.norm(transformed, Norm::Layer);
    let table =
        if shape.tied { table.clone() } else { tape.parameters.next(shape.vocabulary, encoder.width) };
    let bias = tape.parameters.next(1, shape.vocabulary);
    tape.of_kind(Kind::Logits, || {
        let scores = tape.affine(&normed, &table, Some(&bias));
        let loss = context.labels.then(|| tape.cross_entropy(&scores));
        Output { loss, scores: Some(scores), ..Output::default() }
    })
}

/// What the first token of each sequence says of all of it.
fn pooled(tape: &Tape, context: &Context, hidden: &Tensor) -> Tensor {
    let first = tape.slice(hidden, context.batch, hidden.features);
    let dense = tape.linear(first, "dense", hidden.features, Bias::With);
    tape.keeps_output(dense)
}

fn classified(tape: &Tape, context: &Context, encoder: &Encoder, hidden: &Tensor) -> Output {
    let dropped = match encoder.classifier {
        ClassifierHead::Pooled => pooled(tape, context, hidden),
        ClassifierHead::Dense(activation) => {
            let first = tape.slice(hidden, context.batch, hidden.features);
            tape.parameters.of_part(Part::Head, || {
                let dense = tape.linear(first, "dense", hidden.features, Bias::With);
                tape.activate(dense, activation)
            })
        }
    };
    let dropped = tape.dropout(dropped, encoder.classifier_dropout);
    labelled(tape, context, &dropped, "classifier")
}
