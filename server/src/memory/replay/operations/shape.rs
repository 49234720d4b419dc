//! Operations that move elements around.

use std::borrow::Borrow;

use crate::memory::replay::tape::{Operation, Rule, Tape, output_edge};
use crate::memory::replay::tensor::Tensor;
use crate::memory::weights::Dtype;

/// The rule that makes a whole tensor's gradient.
const fn whole(tensor: &Tensor) -> Rule {
    Rule::Make { elements: tensor.elements(), dtype: tensor.dtype, temporary: 0 }
}

impl Tape {
    /// A copy in the order of its dimensions; nothing happens when it is in order already.
    pub fn contiguous(&self, input: impl Borrow<Tensor>) -> Tensor {
        let input = input.borrow();
        if !input.heads_first {
            return input.clone();
        }
        let output = self.like(input, input.dtype);
        let output =
            self.record(output, &Operation { inputs: &[(input, Rule::Pass)], ..Operation::default() });
        Tensor { heads_first: false, ..output }
    }

    /// A copy.
    pub fn copied(&self, input: impl Borrow<Tensor>) -> Tensor {
        let input = input.borrow();
        let output = self.like(input, input.dtype);
        self.record(output, &Operation { inputs: &[(input, Rule::Pass)], ..Operation::default() })
    }

    /// Every row so many times, in new memory: keys and values for all the heads that share them.
    pub fn repeated(&self, input: impl Borrow<Tensor>, times: u64) -> Tensor {
        let input = input.borrow();
        if times == 1 {
            return input.clone();
        }
        let output = self.fresh(input.rows, input.features.saturating_mul(times), input.dtype);
        self.record(output, &Operation { inputs: &[(input, Rule::Pass)], ..Operation::default() })
    }

    /// Parts of the last dimension, as views of one memory. The gradients of all are joined in new memory.
    pub fn split(&self, input: impl Borrow<Tensor>, sizes: &[u64]) -> Vec<Tensor> {
        let input = input.borrow();
        let part = |features: &u64| Tensor { features: *features, edge: None, ..input.clone() };
        let mut parts: Vec<Tensor> = sizes.iter().map(part).collect();
        let outputs: Vec<&Tensor> = parts.iter().collect();
        let inputs = [(input, whole(input))];
        let node = self.node(&Operation { inputs: &inputs, ..Operation::default() }, &outputs);
        if let Some(node) = node {
            let number =
                |(place, part): (usize, &mut Tensor)| part.edge = Some(output_edge(node, place, part));
            parts.iter_mut().enumerate().for_each(number);
        }
        parts
    }

    /// Part of the last dimension, as a view. Its gradient is written into a tensor of the whole size.
    pub fn slice(&self, input: impl Borrow<Tensor>, rows: u64, features: u64) -> Tensor {
        let input = input.borrow();
        let view = Tensor { rows, features, edge: None, ..input.clone() };
        self.record(view, &Operation { inputs: &[(input, whole(input))], ..Operation::default() })
    }

    /// Some tensors one after the other, in new memory, with so many features; gradients are views.
    pub fn concatenated(&self, parts: &[&Tensor], rows: u64, features: u64) -> Tensor {
        let Some(first) = parts.first() else { return self.fresh(0, features, self.parameters.dtype()) };
        let output = self.fresh(rows, features, first.dtype);
        let inputs: Vec<(&Tensor, Rule)> = parts.iter().map(|part| (*part, Rule::Pass)).collect();
        self.record(output, &Operation { inputs: &inputs, ..Operation::default() })
    }

    /// A tensor as often as there are sequences, in new memory. Its gradient is a sum.
    pub fn summed_over(&self, input: &Tensor, batch: u64) -> Tensor {
        let output = self.fresh(input.rows.saturating_mul(batch), input.features, input.dtype);
        let rule = Rule::Make { elements: input.elements(), dtype: input.dtype, temporary: 0 };
        self.record(output, &Operation { inputs: &[(input, rule)], ..Operation::default() })
    }

    /// Some of each row, chosen by numbers of eight bytes of which there are so many (`gather`, which keeps its input and
    /// the numbers).
    pub fn chosen(&self, input: &Tensor, features: u64, numbers: u64) -> Tensor {
        let numbers = self.fresh(numbers, 1, Dtype::Int64);
        let output = self.fresh(input.rows, features, input.dtype);
        let inputs = [(input, whole(input))];
        self.record(output, &Operation { inputs: &inputs, saved: &[input, &numbers], ..Operation::default() })
    }

    /// A tensor with what a mask says put to a number (`masked_fill`, which keeps the mask).
    pub fn masked(&self, input: impl Borrow<Tensor>, mask: &Tensor) -> Tensor {
        let input = input.borrow();
        let output = self.like(input, input.dtype);
        let inputs = [(input, whole(input))];
        self.record(output, &Operation { inputs: &inputs, saved: &[mask], ..Operation::default() })
    }

    /// A sum in the memory of the first.
    pub fn add_in_place(&self, one: &Tensor, other: &Tensor) -> Tensor {
        let output = one.detached();
        let inputs = [(one, Rule::Pass), (other, Rule::Pass)];
        self.record(output, &Operation { inputs: &inputs, ..Operation::default() })
    }

    /// Rows chosen by their numbers. The gradient is added up in a tensor of zeros, into a new one (`index_put`).
    pub fn gathered(&self, input: &Tensor, rows: u64) -> Tensor {
        let output = self.fresh(rows, input.features, input.dtype);
        let temporary = input.dtype.of(input.elements()).0;
        let rule = Rule::Make { elements: input.elements(), dtype: input.dtype, temporary };
        self.record(output, &Operation { inputs: &[(input, rule)], ..Operation::default() })
    }
}
