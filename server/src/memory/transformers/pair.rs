//! Two stacks with learnt positions, as transformers 5.24 builds them: BART, mBART, Pegasus, Marian, Whisper.

use std::rc::Rc;

use super::architecture::{Architecture, Pair};
use super::context::{Context, Output};
use super::stack::{Stacked, run_layer};
use crate::memory::replay::{Attended, Bias, Kind, Norm, Tape, Tensor};

/// One of the two stacks in a forward pass.
struct Stack {
    context: Context,
    pair: Pair,
    /// The output of the encoder; none for the encoder itself.
    encoded: Option<Tensor>,
    /// Masks of attention within the stack and to the encoder.
    masks: [Option<Tensor>; 2],
    inner: u64,
    heads: u64,
}

/// A forward pass.
pub fn run(tape: &Tape, context: &Context, pair: &Pair) -> Output {
    let shape = &context.architecture;
    let table = tape.parameters.next(shape.vocabulary, shape.hidden);
    let encoded = if let Some(encoded) = &context.encoded {
        encoded.clone()
    } else {
        encode(tape, context, pair, &table)
    };
    let decoded = decode(tape, context, pair, [&table, &encoded]);
    let head = if shape.tied { table } else { tape.parameters.next(shape.vocabulary, shape.hidden) };
    tape.of_kind(Kind::Logits, || {
        let scores = tape.affine(&decoded, &head, None);
        // `lm_logits + final_logits_bias`.
        let scores = if pair.audio.is_none() { tape.shift(scores) } else { scores };
        let loss = context.labels.then(|| tape.cross_entropy(&scores));
        Output { loss, scores: Some(scores), others: vec![encoded] }
    })
}

fn encode(tape: &Tape, context: &Context, pair: &Pair, table: &Tensor) -> Tensor {
    let shape = &context.architecture;
    let positions = tape.parameters.next(pair.positions, shape.hidden);
    let length = context.source_length(pair);
    let (embedded, places) = match pair.audio {
        Some(audio) => (heard(tape, context, audio), length),
        None => (tape.embedding(table, context.tokens()), context.tokens()),
    };
    let embedded = if pair.embedding_scaled { tape.scale(embedded) } else { embedded };
    let places = tape.embedding(&positions, places);
    let hidden = tape.add(&embedded, &places);
    // BART gives its positions a name, Whisper does not.
    let _named = pair.audio.is_none().then_some(places);
    let mask = context.mask_of_padding(tape, length, length).filter(|_| pair.audio.is_none());
    let stack = Stack {
        context: context.clone(),
        pair: *pair,
        encoded: None,
        masks: [mask, None],
        inner: shape.inner,
        heads: shape.heads,
    };
    stack.run(tape, shape.layers, hidden)
}

fn decode(tape: &Tape, context: &Context, pair: &Pair, [table, encoded]: [&Tensor; 2]) -> Tensor {
    let shape = &context.architecture;
    let positions = tape.parameters.next(pair.decoder_positions, shape.hidden);
    let tokens = context.batch.saturating_mul(context.target);
    let embedded = tape.embedding(table, tokens);
    let embedded = if pair.embedding_scaled { tape.scale(embedded) } else { embedded };
    let places = if pair.audio.is_some() { tokens } else { context.target };
    let hidden = tape.add(&embedded, tape.embedding(&positions, places));
    let within = context.causal_mask_of_decoder(tape);
    let across = context
        .mask_of_padding(tape, context.target, context.source_length(pair))
        .filter(|_| pair.audio.is_none());
    let stack = Stack {
        context: context.clone(),
        pair: *pair,
        encoded: Some(encoded.clone()),
        masks: [within, across],
        inner: pair.decoder_inner,
        heads: pair.decoder_heads,
    };
    stack.run(tape, pair.decoder_layers, hidden)
}

/// Two convolutions over the frames of a spectrogram, the second of which takes every other one.
fn heard(tape: &Tape, context: &Context, audio: super::architecture::Audio) -> Tensor {
    let hidden = context.architecture.hidden;
    let frames = context.batch.saturating_mul(audio.frames);
    let first = tape.convolution(&context.signal(tape).viewed(audio.bands), [hidden, 3], frames);
    let first = tape.keeps_input(first);
    let second = tape.convolution(&first, [hidden, 3], frames / 2);
    drop(first);
    tape.keeps_input(second)
}

impl Stacked for Stack {
    fn layer(&self, tape: &Tape, layer: u64, input: &Tensor) -> Tensor {
        let mut hidden = self.attended(tape, layer, input, None);
        if let Some(encoded) = &self.encoded {
            hidden = self.attended(tape, layer, &hidden, Some(encoded));
        }
        let Architecture { activation, dropout, .. } = *self.shape();
        let normed = self.before(tape, &hidden);
        let active = tape.activate(tape.linear(&normed, "fc1", self.inner, Bias::With), activation);
        drop(normed);
        let active = tape.dropout(active, self.pair.activation_dropout);
        let down = tape.linear(active, "fc2", self.shape().hidden, Bias::With);
        self.after(tape, tape.add(&hidden, tape.dropout(down, dropout)))
    }

    fn checkpointing(&self) -> bool {
        self.context.checkpointing
    }
}

impl Stack {
    fn run(self, tape: &Tape, layers: u64, hidden: Tensor) -> Tensor {
        let hidden = if self.pair.embedding_norm { tape.norm(hidden, Norm::Layer) } else { hidden };
        let mut hidden = tape.dropout(hidden, self.shape().dropout);
        let ends_with_norm = self.pair.final_norm;
        let stack = Rc::new(self);
        for layer in 0..layers {
            hidden = run_layer(tape, &stack, layer, hidden);
        }
        if ends_with_norm { tape.norm(hidden, Norm::Layer) } else { hidden }
    }

    fn shape(&self) -> &Architecture {
        &self.context.architecture
    }

    fn before(&self, tape: &Tape, input: &Tensor) -> Tensor {
        if self.pair.norm_before { tape.norm(input, Norm::Layer) } else { input.clone() }
    }

    fn after(&self, tape: &Tape, output: Tensor) -> Tensor {
        if self.pair.norm_before { output } else { tape.norm(output, Norm::Layer) }
    }

    /// The residual stream after attention within the stack, or to the encoder.
    fn attended(&self, tape: &Tape, layer: u64, input: &Tensor, encoded: Option<&Tensor>) -> Tensor {
        let Architecture { hidden, dropout, attention_dropout, .. } = *self.shape();
        let audio = self.pair.audio.is_some();
        let normed = self.before(tape, input);
        let mut queries = tape.linear(&normed, "q_proj", hidden, Bias::With);
        if audio {
            queries = tape.scale(queries);
        }
        let ordered = |tensor: Tensor| {
            let tensor = tensor.with_heads_first();
            if audio { tape.contiguous(tensor) } else { tensor }
        };
        let queries = ordered(queries);
        let cache = if encoded.is_some() { &self.context.cross } else { &self.context.cache };
        let cache = cache.as_ref().filter(|_| self.encoded.is_some());
        let known = cache.filter(|_| encoded.is_some()).and_then(|cache| cache.borrow().layer(layer));
        let [keys, values] = if let Some(known) = known {
            tape.parameters.skip(if audio { 3 } else { 4 });
            known
        } else {
            let source = encoded.unwrap_or(&normed);
            let keys = ordered(tape.linear(source, "k_proj", hidden, Bias::when(!audio)));
            let new = [keys, ordered(tape.linear(source, "v_proj", hidden, Bias::With))];
            match cache {
                Some(cache) => cache.borrow_mut().update(tape, layer, new, self.context.batch),
                None => new,
            }
        };
        let [within, across] = &self.masks;
        let mask = if encoded.is_some() { across } else { within };
        let mut how = self.context.attention(mask.clone(), attention_dropout);
        (how.heads, how.groups, how.softmax_in_float32) = (self.heads, self.heads, false);
        let held = [queries.clone(), keys.clone(), values.clone()];
        let Attended { output, scores: _scores } = tape.attend([queries, keys, values], &how);
        let output = tape.linear(output, "out_proj", hidden, Bias::With);
        drop((held, normed));
        self.after(tape, tape.add(input, tape.dropout(output, dropout)))
    }
}
