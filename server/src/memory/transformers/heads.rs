//! What a class adds to the features of its base model, and its loss.

use super::architecture::{Architecture, Decoder, Task};
use super::context::{Context, Output};
use crate::memory::replay::{Bias, Kind, Part, Tape, Tensor};

/// The head of a decoder.
pub fn decoder_head(tape: &Tape, context: &Context, decoder: &Decoder, features: [Tensor; 2]) -> Output {
    let [features, table] = features;
    let shape = &context.architecture;
    match shape.task {
        Task::CausalLanguage | Task::MaskedLanguage => {
            let wanted = if context.last_only { features.some_rows(context.batch) } else { features.clone() };
            let table =
                if shape.tied { table } else { tape.parameters.next(shape.vocabulary, table.features) };
            let bias = decoder.bias.head.then(|| tape.parameters.next(1, shape.vocabulary));
            let output = language(tape, context, || {
                let mut scores = tape.affine(&wanted, &table, bias.as_ref());
                if decoder.capped_logits {
                    scores = tape.scale(tape.keeps_output(tape.scale(scores)));
                }
                if decoder.scales.logits { tape.scale(scores) } else { scores }
            });
            drop(features);
            output
        }
        Task::Classification | Task::TokenClassification => classified(tape, context, &features),
        Task::Base => Output { scores: Some(features), ..Output::default() },
    }
}

/// Scores over the vocabulary, with the loss where there are labels.
pub fn language(tape: &Tape, context: &Context, scores: impl FnOnce() -> Tensor) -> Output {
    tape.of_kind(Kind::Logits, || {
        let scores = scores();
        let loss = context.labels.then(|| tape.language_loss(&scores));
        Output { loss, scores: Some(scores), ..Output::default() }
    })
}

/// Scores over labels by one linear layer on every token (`GenericForSequenceClassification`).
fn classified(tape: &Tape, context: &Context, features: &Tensor) -> Output {
    let Architecture { labels, task, .. } = *context.architecture;
    let scores =
        tape.parameters.of_part(Part::Head, || tape.linear(features, "score", labels, Bias::Without));
    let chosen = match task {
        Task::TokenClassification => scores,
        _ => tape.slice(&scores, context.batch, labels),
    };
    let loss = context.labels.then(|| tape.cross_entropy(&chosen));
    Output { loss, scores: Some(chosen), ..Output::default() }
}

/// Scores over labels by one linear layer with a bias, and their loss.
pub fn labelled(tape: &Tape, context: &Context, features: &Tensor, name: &str) -> Output {
    let labels = context.architecture.labels;
    let scores = tape.parameters.of_part(Part::Head, || tape.linear(features, name, labels, Bias::With));
    let loss = context.labels.then(|| tape.cross_entropy(&scores));
    Output { loss, scores: Some(scores), ..Output::default() }
}
