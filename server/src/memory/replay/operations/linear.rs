//! Linear layers with and without adapters, embeddings and matrix products.

use std::borrow::Borrow;

use crate::memory::replay::parameters::{Adapter, Part};
use crate::memory::replay::tape::{Operation, Rule, Tape};
use crate::memory::replay::tensor::{Target, Tensor, promoted};
use crate::memory::weights::Dtype;

/// Whether a linear layer has a bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bias {
    /// It has.
    With,
    /// It has none.
    Without,
}

impl Bias {
    /// With a bias when this holds.
    pub const fn when(holds: bool) -> Self {
        if holds { Self::With } else { Self::Without }
    }
}

impl Tape {
    /// A linear layer of the model under the name that adapters know it by.
    pub fn linear(&self, input: impl Borrow<Tensor>, name: &str, features: u64, bias: Bias) -> Tensor {
        let input = input.borrow();
        let quantized = self.parameters.quantized();
        let weight = match quantized {
            Some(quantized) => self.parameters.next_quantized(features, input.features, quantized),
            None => self.parameters.next(features, input.features),
        };
        let bias = (bias == Bias::With).then(|| self.parameters.next(1, features));
        let output = match quantized {
            Some(_) => self.affine_quantized(input, &weight),
            None => self.affine(input, &weight, bias.as_ref()),
        };
        match self.parameters.adapter(name) {
            Some(adapter) if quantized.is_some() => self.adapted_quantized(input, &output, &adapter),
            Some(adapter) => self.adapted(input, output, &adapter),
            None => output,
        }
    }

    /// `bitsandbytes`' `Linear4bit` (0.50.2): it computes in a type of its own, with a copy of its weight in that type as long
    /// as a product takes, in both directions, and keeps only the quantized weight. A bias is added by the product.
    fn affine_quantized(&self, input: &Tensor, weight: &Tensor) -> Tensor {
        let lowered = self.to(input, weight.dtype);
        let copy = weight.dtype.of(weight.elements()).0;
        let temporary = self.bytes(copy);
        let output = self.fresh(input.rows, weight.rows, weight.dtype);
        drop(temporary);
        let rule = Rule::Make { elements: lowered.elements(), dtype: weight.dtype, temporary: copy };
        let operation = Operation { inputs: &[(&lowered, rule)], saved: &[weight], ..Operation::default() };
        let output = self.record(output, &operation);
        drop(lowered);
        self.to(output, input.dtype)
    }

    /// `peft`'s `lora.Linear4bit`: as [`Self::adapted`], on a copy of the base layer's output, and converted before the sum.
    fn adapted_quantized(&self, input: &Tensor, output: &Tensor, adapter: &Adapter) -> Tensor {
        let result = self.copied(output);
        let [down, up] = self.small_layers(adapter, [input.features, output.features]);
        let input = if self.autocast().is_none() { self.to(input, adapter.dtype) } else { input.clone() };
        let small = self.affine(self.dropout(&input, adapter.dropout), &down, None);
        let update = self.scale(self.affine(small, &up, None));
        let update = if self.autocast().is_none() { self.to(update, result.dtype) } else { update };
        let sum = self.add(result, update);
        drop(input);
        sum
    }

    /// The two layers of an adapter, from and to so many features.
    fn small_layers(&self, adapter: &Adapter, [inside, outside]: [u64; 2]) -> [Tensor; 2] {
        self.parameters.of_part(Part::Adapter, || {
            let down = self.parameters.next_as(adapter.rank, inside, adapter.dtype);
            [down, self.parameters.next_as(outside, adapter.rank, adapter.dtype)]
        })
    }

    /// A linear layer without a bias whose weight has a type of its own.
    pub fn linear_as(&self, input: impl Borrow<Tensor>, name: &str, features: u64, dtype: Dtype) -> Tensor {
        let input = input.borrow();
        let weight = self.parameters.next_as(features, input.features, dtype);
        let output = self.affine(input, &weight, None);
        match self.parameters.adapter(name) {
            Some(adapter) => self.adapted(input, output, &adapter),
            None => output,
        }
    }

    /// A convolution of so many filters, each so many steps wide, with a bias. It keeps its input and its weight, as a linear
    /// layer; what its kernel needs to work in is not counted.
    pub fn convolution(&self, input: &Tensor, [filters, width]: [u64; 2], rows: u64) -> Tensor {
        let weight = self.parameters.next(filters, input.features.saturating_mul(width));
        let bias = self.parameters.next(1, filters);
        let (input, weight, bias) =
            (self.lowered(input), self.cast_parameter(&weight), self.cast_parameter(&bias));
        let output = self.fresh(rows, filters, weight.dtype);
        let make =
            |tensor: &Tensor| Rule::Make { elements: tensor.elements(), dtype: output.dtype, temporary: 0 };
        let inputs = [(&input, make(&input)), (&weight, make(&weight)), (&bias, make(&bias))];
        self.record(output, &Operation { inputs: &inputs, saved: &[&input, &weight], ..Operation::default() })
    }

    /// `peft`'s `lora.Linear`: the base layer's output, plus two small layers in float32 on the input after dropout.
    fn adapted(&self, input: &Tensor, output: Tensor, adapter: &Adapter) -> Tensor {
        let [down, up] = self.small_layers(adapter, [input.features, output.features]);
        let dtype = output.dtype;
        let input = self.to(input, adapter.dtype);
        let small = self.affine(self.dropout(&input, adapter.dropout), &down, None);
        let update = self.scale(self.affine(small, &up, None));
        let sum = self.add(output, update);
        let output = self.to(sum, dtype);
        drop(input);
        output
    }

    /// `F.linear`: it keeps its input where the weight is trained, and the weight where the input needs a gradient.
    pub fn affine(&self, input: impl Borrow<Tensor>, weight: &Tensor, bias: Option<&Tensor>) -> Tensor {
        let input = &self.lowered(input);
        let weight = &self.cast_parameter(weight);
        let bias = bias.map(|bias| self.cast_parameter(bias));
        let output = self.fresh(input.rows, weight.rows, promoted(input.dtype, weight.dtype));
        let make =
            |tensor: &Tensor| Rule::Make { elements: tensor.elements(), dtype: output.dtype, temporary: 0 };
        let mut inputs = vec![(input, make(input)), (weight, make(weight))];
        inputs.extend(bias.as_ref().map(|bias| (bias, Rule::Pass)));
        let kept = [(input, weight.needs_gradient()), (weight, input.needs_gradient())];
        let kept: Vec<&Tensor> =
            kept.iter().filter(|(_, needed)| *needed).map(|(tensor, _)| *tensor).collect();
        self.record(output, &Operation { inputs: &inputs, saved: &kept, ..Operation::default() })
    }

    /// What autocast makes of a parameter: a half copy, kept until autocast ends where the parameter is trained.
    fn cast_parameter(&self, parameter: &Tensor) -> Tensor {
        let (Some(half), Dtype::Float32) = (self.autocast(), parameter.dtype) else {
            return parameter.clone();
        };
        let Some(Target::Parameter(place)) = parameter.edge.map(|edge| edge.target) else {
            return self.to(parameter, half);
        };
        let known =
            self.casts.borrow().iter().find(|(known, _)| *known == place).map(|(_, cast)| cast.clone());
        known.unwrap_or_else(|| {
            let cast = self.to(parameter, half);
            self.casts.borrow_mut().push((place, cast.clone()));
            cast
        })
    }

    /// Rows of a table, one for each index. Its gradient has the size of the table.
    pub fn embedding(&self, table: &Tensor, rows: u64) -> Tensor {
        let output = self.fresh(rows, table.features, table.dtype);
        let rule = Rule::Make { elements: table.elements(), dtype: table.dtype, temporary: 0 };
        self.record(output, &Operation { inputs: &[(table, rule)], ..Operation::default() })
    }

    /// A product of two batches of matrices, each given in the layout it has; `rows` and `features` are those of the result.
    /// What has its heads before its tokens is copied first.
    pub fn product(&self, one: &Tensor, other: &Tensor, [rows, features]: [u64; 2]) -> Tensor {
        let (one, other) = (self.contiguous(self.lowered(one)), self.contiguous(self.lowered(other)));
        let output = self.fresh(rows, features, promoted(one.dtype, other.dtype));
        let make =
            |tensor: &Tensor| Rule::Make { elements: tensor.elements(), dtype: output.dtype, temporary: 0 };
        let kept = [(&other, one.needs_gradient()), (&one, other.needs_gradient())];
        let kept: Vec<&Tensor> =
            kept.iter().filter(|(_, needed)| *needed).map(|(tensor, _)| *tensor).collect();
        let inputs = [(&one, make(&one)), (&other, make(&other))];
        self.record(output, &Operation { inputs: &inputs, saved: &kept, ..Operation::default() })
    }

    /// A product in which each group of rows has a matrix of its own; `weight` holds all of them.
    pub fn grouped(&self, input: &Tensor, weight: &Tensor, features: u64) -> Tensor {
        let input = &self.to(input, weight.dtype);
        let output = self.fresh(input.rows, features, weight.dtype);
        let make =
            |tensor: &Tensor| Rule::Make { elements: tensor.elements(), dtype: output.dtype, temporary: 0 };
        let inputs = [(input, make(input)), (weight, make(weight))];
        let kept = [(input, weight.needs_gradient()), (weight, input.needs_gradient())];
        let kept: Vec<&Tensor> =
            kept.iter().filter(|(_, needed)| *needed).map(|(tensor, _)| *tensor).collect();
        self.record(output, &Operation { inputs: &inputs, saved: &kept, ..Operation::default() })
    }

    /// Sums of rows; its gradient is a view.
    pub fn summed(&self, input: &Tensor, rows: u64) -> Tensor {
        let output = self.fresh(rows, input.features, input.dtype);
        self.record(output, &Operation { inputs: &[(input, Rule::Pass)], ..Operation::default() })
    }
}
