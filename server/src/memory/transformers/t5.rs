//! T5 and its relatives, as transformers 5.24 builds them: two stacks with relative positions.

use std::cell::RefCell;
use std::rc::Rc;

use super::architecture::{Architecture, RelativePair};
use super::context::{Context, Output};
use super::stack::{Stacked, run_layer};
use crate::memory::replay::{Attended, AttentionKernel, Bias, Kind, Norm, Tape, Tensor};
use crate::memory::weights::Dtype;

/// One of the two stacks in a forward pass.
struct Stack {
    context: Context,
    pair: RelativePair,
    /// The output of the encoder; none for the encoder itself.
    encoded: Option<Tensor>,
    /// Masks of attention within the stack and to the encoder.
    masks: [Option<Tensor>; 2],
    /// The bias on the scores within the stack and to the encoder, which the first layer makes for all.
    biases: [RefCell<Option<Tensor>>; 2],
    /// Tokens of each sequence in this stack.
    length: u64,
    decodes: bool,
}

/// A forward pass.
pub fn run(tape: &Tape, context: &Context, pair: &RelativePair) -> Output {
    let shape = &context.architecture;
    let table = tape.parameters.next(shape.vocabulary, shape.hidden);
    let encoded = if let Some(encoded) = &context.encoded {
        encoded.clone()
    } else {
        let masks = [context.mask_of_padding(tape, context.length, context.length), None];
        features(tape, context, pair, &table, (None, masks))
    };
    if pair.decoder_layers == 0 {
        return Output { scores: Some(encoded), ..Output::default() };
    }
    let within = context.causal_mask_of_decoder(tape);
    let across = context.mask_of_padding(tape, context.target, context.length);
    let decoded = features(tape, context, pair, &table, (Some(encoded.clone()), [within, across]));
    let decoded = if pair.scales_output { tape.scale(decoded) } else { decoded };
    let head = if shape.tied { table } else { tape.parameters.next(shape.vocabulary, shape.hidden) };
    tape.of_kind(Kind::Logits, || {
        let scores = tape.affine(&decoded, &head, None);
        let loss = context.labels.then(|| tape.cross_entropy(&scores));
        Output { loss, scores: Some(scores), others: vec![encoded] }
    })
}

/// The features of the last layer of a stack.
fn features(
    tape: &Tape,
    context: &Context,
    pair: &RelativePair,
    table: &Tensor,
    (encoded, masks): (Option<Tensor>, [Option<Tensor>; 2]),
) -> Tensor {
    let decodes = encoded.is_some();
    let shape = &context.architecture;
    let length = if decodes { context.target } else { context.length };
    let layers = if decodes { pair.decoder_layers } else { shape.layers };
    let embedded = tape.embedding(table, context.batch.saturating_mul(length));
    let mut hidden = tape.dropout(&embedded, shape.dropout);
    let stack = Rc::new(Stack {
        context: context.clone(),
        pair: *pair,
        encoded,
        masks,
        biases: [RefCell::default(), RefCell::default()],
        length,
        decodes,
    });
    for layer in 0..layers {
        hidden = run_layer(tape, &stack, layer, hidden);
    }
    stack.biases.iter().for_each(|bias| drop(bias.take()));
    drop(embedded);
    let normed = tape.norm(hidden, Norm::RmsT5);
    tape.dropout(normed, shape.dropout)
}

impl Stacked for Stack {
    fn layer(&self, tape: &Tape, layer: u64, input: &Tensor) -> Tensor {
        let hidden = self.attended(tape, layer, input, None);
        let hidden = match &self.encoded {
            Some(encoded) => self.attended(tape, layer, &hidden, Some(encoded)),
            None => hidden,
        };
        let normed = tape.norm(&hidden, Norm::RmsT5);
        let fed = self.feed(tape, &normed);
        drop(normed);
        tape.add(&hidden, tape.dropout(fed, self.shape().dropout))
    }

    fn checkpointing(&self) -> bool {
        self.context.checkpointing
    }
}

impl Stack {
    fn shape(&self) -> &Architecture {
        &self.context.architecture
    }

    /// The residual stream after attention within the stack, or to the encoder.
    fn attended(&self, tape: &Tape, layer: u64, input: &Tensor, encoded: Option<&Tensor>) -> Tensor {
        let Architecture { heads, head, hidden, dropout, .. } = *self.shape();
        let normed = tape.norm(input, Norm::RmsT5);
        let features = heads.saturating_mul(head);
        let queries = tape.linear(&normed, "q", features, Bias::Without).with_heads_first();
        let cache = if encoded.is_some() { &self.context.cross } else { &self.context.cache };
        let cache = cache.as_ref().filter(|_| self.decodes);
        let known = cache.filter(|_| encoded.is_some()).and_then(|cache| cache.borrow().layer(layer));
        let [keys, values] = if let Some(known) = known {
            // The parameters are there, but nothing is computed with them.
            tape.parameters.skip(2);
            known
        } else {
            let source = encoded.unwrap_or(&normed);
            let new =
                ["k", "v"].map(|name| tape.linear(source, name, features, Bias::Without).with_heads_first());
            match cache {
                Some(cache) => cache.borrow_mut().update(tape, layer, new, self.context.batch),
                None => new,
            }
        };
        let bias = self.bias(tape, keys.rows / self.context.batch.max(1), encoded.is_some(), queries.dtype);
        let [within, across] = &self.masks;
        let mask = if encoded.is_some() { across } else { within };
        let mut how = self.context.attention(mask.clone(), dropout);
        how.softmax_in_float32 = false;
        how.bias = Some(self.seen(tape, bias, encoded.is_some(), mask.is_some()));
        let held = [queries.clone(), keys.clone(), values.clone()];
        let Attended { output, scores: _scores } = tape.attend([queries, keys, values], &how);
        let output = tape.linear(output, "o", hidden, Bias::Without);
        drop((held, how, normed));
        tape.add(input, tape.dropout(output, dropout))
    }

    /// The bias on the scores: read from a table by the first layer, zero where the encoder is looked at.
    fn bias(&self, tape: &Tape, context: u64, across: bool, dtype: Dtype) -> Tensor {
        let [own, other] = &self.biases;
        let slot = if across { other } else { own };
        if let Some(bias) = slot.borrow().as_ref() {
            return bias.clone();
        }
        let rows = self.shape().heads.saturating_mul(self.length);
        let bias = if across {
            tape.fresh(rows, context, dtype)
        } else {
            let table = tape.parameters.next(self.pair.buckets, self.shape().heads);
            let read = tape.embedding(&table, self.length.saturating_mul(context));
            // Read with heads last and viewed with heads first, which the kernels do not take.
            read.viewed(context).with_heads_first()
        };
        slot.replace(Some(bias.clone()));
        bias
    }

    /// What of a bias may be seen. Fused attention copies it in each layer: to put it in order, or to leave out what comes
    /// later (`create_position_bias_mask`).
    fn seen(&self, tape: &Tape, bias: Tensor, across: bool, masked: bool) -> Tensor {
        match self.context.kernel {
            AttentionKernel::Sdpa if masked || across => bias,
            AttentionKernel::Sdpa => tape.contiguous(bias),
            AttentionKernel::Eager => bias,
        }
    }

    fn feed(&self, tape: &Tape, input: &Tensor) -> Tensor {
        let Architecture { hidden, inner, activation, dropout, .. } = *self.shape();
        let active = if self.pair.gated {
            let gate = tape.activate(tape.linear(input, "wi_0", inner, Bias::Without), activation);
            let up = tape.linear(input, "wi_1", inner, Bias::Without);
            tape.multiply(gate, up)
        } else {
            tape.activate(tape.linear(input, "wi", inner, Bias::Without), activation)
        };
        let active = tape.dropout(active, dropout);
        // The last matrix stays in float32 where float16 is asked for (`_keep_in_fp32_modules`).
        let dtype = tape.parameters.dtype();
        let dtype = if dtype == Dtype::Float16 { Dtype::Float32 } else { dtype };
        let active = if dtype == Dtype::Float32 && self.context.is_half(&active, tape) {
            tape.to(active, dtype)
        } else {
            active
        };
        tape.linear_as(active, "wo", hidden, dtype)
    }
}
