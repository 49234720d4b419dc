//! Losses.

use std::borrow::Borrow;

use crate::memory::replay::tape::{Operation, Rule, Tape};
use crate::memory::replay::tensor::Tensor;
use crate::memory::weights::Dtype;

impl Tape {
    /// Softmax over the last dimension, which keeps its output; under autocast it runs in float32.
    pub fn softmax(&self, input: impl Borrow<Tensor>) -> Tensor {
        self.keeps_output(self.raised(input))
    }

    /// `F.cross_entropy`: log-softmax keeps its output, the choice of the labels' scores makes a gradient of the same size.
    pub fn cross_entropy(&self, scores: impl Borrow<Tensor>) -> Tensor {
        let logarithms = self.keeps_output(self.raised(scores));
        let loss = self.fresh(1, 1, logarithms.dtype);
        let weight = self.fresh(1, 1, Dtype::Float32);
        let rule = Rule::Make { elements: logarithms.elements(), dtype: logarithms.dtype, temporary: 0 };
        let inputs = [(&logarithms, rule)];
        self.record(
            loss,
            &Operation { inputs: &inputs, saved: &[&logarithms, &weight], ..Operation::default() },
        )
    }

    /// The loss of a language model, which computes with a float32 copy of its scores for as long as it runs
    /// (`ForCausalLMLoss`, `ForMaskedLMLoss` in transformers).
    pub fn language_loss(&self, scores: &Tensor) -> Tensor {
        let copy = self.to(scores, Dtype::Float32);
        self.cross_entropy(&copy)
    }
}
