//! Normalization.

use std::borrow::Borrow;

use crate::memory::replay::tape::{Operation, Rule, Tape};
use crate::memory::replay::tensor::Tensor;
use crate::memory::weights::Dtype;

/// A kind of normalization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// `nn.LayerNorm`: one kernel that keeps its input and two numbers a row.
    Layer,
    /// The same without parameters: Galactica.
    LayerPlain,
    /// The same, computed in float32 and converted back: `OLMo`.
    LayerInFloat32,
    /// Written out, computed in float32 and converted back before the weight: Llama and most after it.
    Rms,
    /// Written out, converted back after the weight, which is shifted by one: Gemma.
    RmsWeightFirst,
    /// Written out, converted back after the weight: `OLMo` 2.
    RmsWeightInFloat32,
    /// A layer norm without a bias, written out and computed in float32: Cohere.
    LayerWrittenOut,
    /// As [`Norm::Rms`], but converted only for half-precision weights: T5.
    RmsT5,
}

impl Tape {
    /// Normalizes the last dimension.
    pub fn norm(&self, input: impl Borrow<Tensor>, kind: Norm) -> Tensor {
        match kind {
            Norm::Layer => {
                let features = input.borrow().features;
                let (weight, bias) = (self.parameters.next(1, features), self.parameters.next(1, features));
                self.layer_norm(input, &[&weight, &bias])
            }
            Norm::LayerPlain => self.layer_norm(input, &[]),
            Norm::LayerInFloat32 => {
                let dtype = input.borrow().dtype;
                self.to(self.layer_norm(self.to(input, Dtype::Float32), &[]), dtype)
            }
            Norm::LayerWrittenOut => self.layer_norm_written_out(input.borrow()),
            Norm::Rms | Norm::RmsWeightFirst | Norm::RmsWeightInFloat32 | Norm::RmsT5 => {
                self.rms_norm(input.borrow(), kind)
            }
        }
    }

    /// The same on something that nothing else holds, so that it is gone once it is converted.
    pub fn norm_owned(&self, input: Tensor, kind: Norm) -> Tensor {
        match kind {
            Norm::Rms | Norm::RmsWeightFirst | Norm::RmsWeightInFloat32 => {
                let (weight, dtype) = (self.parameters.next(1, input.features), input.dtype);
                let high = self.to(&input, Dtype::Float32);
                drop(input);
                self.rms_normed(high, &weight, (kind, dtype))
            }
            _ => self.norm(input, kind),
        }
    }

    /// `native_layer_norm`: mean and deviation are float32, four bytes a row each.
    pub fn layer_norm(&self, input: impl Borrow<Tensor>, parameters: &[&Tensor]) -> Tensor {
        let input = self.raised(input);
        let output = self.like(&input, input.dtype);
        let (mean, deviation) =
            (self.fresh(input.rows, 1, Dtype::Float32), self.fresh(input.rows, 1, Dtype::Float32));
        let make =
            |tensor: &Tensor| Rule::Make { elements: tensor.elements(), dtype: tensor.dtype, temporary: 0 };
        let mut inputs = vec![(&input, make(&input))];
        inputs.extend(parameters.iter().map(|parameter| (*parameter, make(parameter))));
        let saved = [&input, &mean, &deviation];
        let operation =
            Operation { inputs: &inputs, saved: &saved, keeps_output: true, ..Operation::default() };
        self.record(output, &operation)
    }

    fn layer_norm_written_out(&self, input: &Tensor) -> Tensor {
        let weight = self.parameters.next(1, input.features);
        let high = self.to(input, Dtype::Float32);
        let mean = self.mean(&high);
        let variance = self.mean(self.power(self.add(&high, &mean)));
        let centred = self.add(&high, &mean);
        let normed = self.multiply(centred, self.keeps_output(self.shift(variance)));
        let weighted = self.multiply(self.to(&weight, Dtype::Float32), normed);
        self.to(weighted, input.dtype)
    }

    fn rms_norm(&self, input: &Tensor, kind: Norm) -> Tensor {
        let weight = self.parameters.next(1, input.features);
        if kind == Norm::RmsT5 {
            // The float32 copy has no name outside of the expression for the variance; what is multiplied is the input.
            let variance = self.mean(self.power(self.to(input, Dtype::Float32)));
            let normed = self.multiply(input, self.keeps_output(self.shift(variance)));
            return self.multiply(&weight, self.lowered_for(normed, &weight));
        }
        self.rms_normed(self.to(input, Dtype::Float32), &weight, (kind, input.dtype))
    }

    /// T5 converts what it normalized to the type of its weight where that is half precision.
    fn lowered_for(&self, normed: Tensor, weight: &Tensor) -> Tensor {
        if weight.dtype == Dtype::Float32 { normed } else { self.to(normed, weight.dtype) }
    }

    fn rms_normed(&self, high: Tensor, weight: &Tensor, (kind, dtype): (Norm, Dtype)) -> Tensor {
        let variance = self.mean(self.power(&high));
        let normed = self.multiply(&high, self.keeps_output(self.shift(variance)));
        drop(high);
        match kind {
            Norm::RmsWeightFirst => {
                let weight = self.to(weight, Dtype::Float32);
                let weighted = self.multiply(normed, self.shift(weight));
                self.to(weighted, dtype)
            }
            Norm::RmsWeightInFloat32 => self.to(self.multiply(weight, normed), dtype),
            _ => self.multiply(weight, self.to(normed, dtype)),
        }
    }

    /// The mean of each row. Its gradient is spread over the row and divided, in new memory.
    pub fn mean(&self, input: impl Borrow<Tensor>) -> Tensor {
        let input = input.borrow();
        let output = self.fresh(input.rows, 1, input.dtype);
        let rule = Rule::Make { elements: input.elements(), dtype: input.dtype, temporary: 0 };
        self.record(output, &Operation { inputs: &[(input, rule)], ..Operation::default() })
    }
}
