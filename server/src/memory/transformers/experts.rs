//! Mixtures of experts: each token goes through some of many feed-forward layers.

use super::architecture::{Architecture, Experts};
use crate::memory::replay::{Bias, Tape, Tensor};
use crate::memory::weights::Dtype;

/// A mixture as transformers 5.24 computes it on a GPU (`grouped_mm_experts_forward`): the tokens are sorted by expert, so
/// that all experts are one product of groups.
pub fn experts(tape: &Tape, shape: &Architecture, mixture: Experts, input: &Tensor) -> Tensor {
    let Experts { count, chosen, inner, shared, .. } = mixture;
    let hidden = shape.hidden;
    let router = tape.parameters.next(count, hidden);
    let logits = tape.affine(input, &router, None);
    let chances = tape.softmax(tape.to(&logits, Dtype::Float32));
    let weights = tape.slice(&chances, input.rows, chosen);
    let weights = if mixture.weights_divided { tape.multiply(&weights, tape.mean(&weights)) } else { weights };
    let weights = if mixture.weights_converted { tape.to(weights, logits.dtype) } else { weights };
    let (up, down) = (
        tape.parameters.next(count.saturating_mul(inner).saturating_mul(2), hidden),
        tape.parameters.next(count.saturating_mul(hidden), inner),
    );
    let rows = input.rows.saturating_mul(chosen);
    let sorted = tape.repeated(input, chosen).viewed(hidden);
    let both = tape.grouped(&sorted, &up, inner.saturating_mul(2));
    let mut parts = tape.split(&both, &[inner, inner]).into_iter();
    let [gate, value] = [(); 2].map(|()| parts.next().unwrap_or_else(|| both.clone()));
    let product = tape.multiply(tape.activate(gate, shape.activation), value);
    let each = tape.grouped(&product, &down, hidden);
    let weighted = tape.multiply(&each, weights.viewed(1));
    let restored = tape.copied(&weighted);
    let sum = tape.summed(&restored.viewed(hidden), rows / chosen.max(1));
    let output = tape.to(sum, input.dtype);
    if shared == 0 {
        return output;
    }
    let gate = tape.activate(tape.linear(input, "gate_proj", shared, Bias::Without), shape.activation);
    let common = tape.multiply(gate, tape.linear(input, "up_proj", shared, Bias::Without));
    let common = tape.linear(common, "down_proj", hidden, Bias::Without);
    let amount = tape.keeps_output(tape.linear(input, "shared_expert_gate", 1, Bias::Without));
    tape.add(output, tape.multiply(amount, common))
}
