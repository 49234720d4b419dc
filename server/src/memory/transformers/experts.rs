//! Mixtures of experts: each token goes through some of many feed-forward layers.

use super::architecture::{Architecture, Experts};
use crate::memory::replay::{Bias, Tape, Tensor};
use crate::memory::weights::Dtype;

/// A mixture as transformers 5.24 computes it on a GPU (`grouped_mm_experts_forward`): the tokens are sorted by expert, so
/// that all experts are one product of groups.
pub fn experts(tape: &Tape, shape: &Architecture, mixture: Experts, input: &Tensor) -> Tensor {
    let Experts { count, chosen, shared, .. } = mixture;
    let hidden = shape.hidden;
    let common = (shared > 0).then(|| {
        let gate = tape.activate(tape.linear(input, "gate_proj", shared, Bias::Without), shape.activation);
        let product = tape.multiply(gate, tape.linear(input, "up_proj", shared, Bias::Without));
        tape.linear(product, "down_proj", hidden, Bias::Without)
    });
    let router = tape.parameters.next(count, hidden);
    let logits = tape.affine(input, &router, None);
    let chances = tape.softmax(tape.to(&logits, Dtype::Float32));
    let weights = tape.slice(&chances, input.rows, chosen);
    let weights =
        if mixture.weights_divided { tape.multiply(&weights, tape.mean(&weights)) } else { weights };
    let weights = if mixture.weights_converted { tape.to(weights, logits.dtype) } else { weights };
    let output = routed(tape, shape, mixture, [input, &weights]);
    let Some(common) = common else { return output };
    let amount = tape.keeps_output(tape.linear(input, "shared_expert_gate", 1, Bias::Without));
    tape.add(output, tape.multiply(amount, common))
}

/// What the chosen experts give. What is named below lives until all is done, as it does there.
fn routed(tape: &Tape, shape: &Architecture, mixture: Experts, [input, weights]: [&Tensor; 2]) -> Tensor {
    let Experts { count, chosen, inner, .. } = mixture;
    let hidden = shape.hidden;
    let (up, down) = (
        tape.parameters.next(count.saturating_mul(inner).saturating_mul(2), hidden),
        tape.parameters.next(count.saturating_mul(hidden), inner),
    );
    let rows = input.rows.saturating_mul(chosen);
    // Places, by token and by expert: 8 bytes each.
    let places = [(); 3].map(|()| tape.fresh(rows, 1, Dtype::Int64));
    let sorted = tape.gathered(input, rows);
    let both = tape.grouped(&sorted, &up, inner.saturating_mul(2));
    let product = gated(tape, shape, &both);
    drop(both);
    let each = tape.grouped(&product, &down, hidden);
    drop(product);
    let weighted = tape.multiply(&each, weights.viewed(1));
    let restored = tape.gathered(&weighted, rows);
    drop(weighted);
    let sum = tape.summed(&restored, input.rows);
    drop((places, sorted, each));
    tape.to(sum, input.dtype)
}

fn gated(tape: &Tape, shape: &Architecture, both: &Tensor) -> Tensor {
    let half = both.features / 2;
    let mut parts = tape.split(both, &[half, half]).into_iter();
    let [gate, value] = [(); 2].map(|()| parts.next().unwrap_or_else(|| both.clone()));
    tape.multiply(tape.activate(&gate, shape.activation), value)
}
