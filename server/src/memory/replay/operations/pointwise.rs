//! Operations on each element.

use std::borrow::Borrow;

use crate::memory::replay::tape::{Operation, Rule, Tape};
use crate::memory::replay::tensor::{Tensor, promoted};
use crate::memory::weights::Dtype;

/// An activation function, told apart by what it keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// One kernel that keeps its input: `F.gelu` (exact or with `tanh`), `F.silu`.
    OneKernel,
    /// `F.relu`, which keeps its output.
    Relu,
    /// GELU with `tanh`, written out: `gelu_new` of transformers.
    NewGelu,
    /// `x * sigmoid(1.702 * x)`: `quick_gelu`.
    QuickGelu,
    /// The square of `relu`.
    SquaredRelu,
    /// GELU with `tanh` in one custom function that keeps its input and computes with several temporaries: Bloom.
    Bloom,
}

impl Activation {
    /// The function that a configuration names.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "gelu" | "gelu_pytorch_tanh" | "gelu_python_tanh" | "silu" | "swish" | "mish" | "leaky_relu" => {
                Self::OneKernel
            }
            "relu" | "tanh" | "sigmoid" => Self::Relu,
            "gelu_new" | "gelu_fast" | "gelu_accurate" => Self::NewGelu,
            "quick_gelu" => Self::QuickGelu,
            "relu2" => Self::SquaredRelu,
            _ => return None,
        })
    }
}

/// How the gradient of an input of the same shape is made.
const fn same(tensor: &Tensor, dtype: Dtype, temporary: u64) -> Rule {
    Rule::Make { elements: tensor.elements(), dtype, temporary }
}

impl Tape {
    /// A sum. It keeps nothing and hands gradients on.
    pub fn add(&self, one: impl Borrow<Tensor>, other: impl Borrow<Tensor>) -> Tensor {
        let (one, other) = (one.borrow(), other.borrow());
        let output = self.like(larger(one, other), promoted(one.dtype, other.dtype));
        self.record(
            output,
            &Operation { inputs: &[(one, Rule::Pass), (other, Rule::Pass)], ..Operation::default() },
        )
    }

    /// A product. It keeps each factor that the gradient of the other needs.
    pub fn multiply(&self, one: impl Borrow<Tensor>, other: impl Borrow<Tensor>) -> Tensor {
        let (one, other) = (one.borrow(), other.borrow());
        let output = self.like(larger(one, other), promoted(one.dtype, other.dtype));
        let rule = same(&output, output.dtype, 0);
        let kept = [(other, one.needs_gradient()), (one, other.needs_gradient())];
        let kept: Vec<&Tensor> =
            kept.iter().filter(|(_, needed)| *needed).map(|(tensor, _)| *tensor).collect();
        let inputs = [(one, rule), (other, rule)];
        self.record(output, &Operation { inputs: &inputs, saved: &kept, ..Operation::default() })
    }

    /// A product with, or a sum with, a number: it keeps nothing, and a product makes a gradient.
    pub fn scale(&self, input: impl Borrow<Tensor>) -> Tensor {
        let input = input.borrow();
        let output = self.like(input, input.dtype);
        let inputs = [(input, same(input, input.dtype, 0))];
        self.record(output, &Operation { inputs: &inputs, ..Operation::default() })
    }

    /// A sum with a number, or with something that needs no gradient.
    pub fn shift(&self, input: impl Borrow<Tensor>) -> Tensor {
        let input = input.borrow();
        let output = self.like(input, input.dtype);
        self.record(output, &Operation { inputs: &[(input, Rule::Pass)], ..Operation::default() })
    }

    /// A function of one kernel that keeps its input.
    pub fn keeps_input(&self, input: impl Borrow<Tensor>) -> Tensor {
        let input = input.borrow();
        let output = self.like(input, input.dtype);
        let inputs = [(input, same(input, input.dtype, 0))];
        self.record(output, &Operation { inputs: &inputs, saved: &[input], ..Operation::default() })
    }

    /// A function of one kernel that keeps its output: `tanh`, `sigmoid`, `relu`, `rsqrt`.
    pub fn keeps_output(&self, input: impl Borrow<Tensor>) -> Tensor {
        let input = input.borrow();
        self.keeps_output_as(input, input.dtype)
    }

    /// The same, with an output of another type.
    pub fn keeps_output_as(&self, input: &Tensor, dtype: Dtype) -> Tensor {
        let output = self.like(input, dtype);
        let inputs = [(input, same(input, input.dtype, 0))];
        let saved = [&output.clone()];
        let operation =
            Operation { inputs: &inputs, saved: &saved, keeps_output: true, ..Operation::default() };
        self.record(output, &operation)
    }

    /// A power. Its gradient is `g * (n * x^(n-1))`, two temporaries; under autocast it runs in float32.
    pub fn power(&self, input: impl Borrow<Tensor>) -> Tensor {
        let input = self.raised(input);
        let output = self.like(&input, input.dtype);
        let temporary = input.dtype.of(input.elements()).0.saturating_mul(2);
        let inputs = [(&input, same(&input, input.dtype, temporary))];
        self.record(output, &Operation { inputs: &inputs, saved: &[&input], ..Operation::default() })
    }

    /// A conversion to another type; nothing happens when it has it already.
    pub fn to(&self, input: impl Borrow<Tensor>, dtype: Dtype) -> Tensor {
        let input = input.borrow();
        if input.dtype == dtype {
            return input.clone();
        }
        let output = self.like(input, dtype);
        let inputs = [(input, same(input, input.dtype, 0))];
        self.record(output, &Operation { inputs: &inputs, ..Operation::default() })
    }

    /// What autocast makes of an input of an operation that it runs in float32.
    pub fn raised(&self, input: impl Borrow<Tensor>) -> Tensor {
        let input = input.borrow();
        if self.autocast().is_some() { self.to(input, Dtype::Float32) } else { input.clone() }
    }

    /// What autocast makes of an input of an operation that it runs in half precision.
    pub fn lowered(&self, input: impl Borrow<Tensor>) -> Tensor {
        let input = input.borrow();
        match self.autocast() {
            Some(half) if input.dtype == Dtype::Float32 => self.to(input, half),
            _ => input.clone(),
        }
    }

    /// Dropout: in training it makes a mask of one byte an element, which is all that it keeps.
    pub fn dropout(&self, input: impl Borrow<Tensor>, probability: f64) -> Tensor {
        let input = input.borrow();
        if !self.training || probability <= 0.0 {
            return input.clone();
        }
        let output = self.like(input, input.dtype);
        let mask = self.like(input, Dtype::Int8);
        let inputs = [(input, same(input, input.dtype, 0))];
        let operation =
            Operation { inputs: &inputs, saved: &[&mask], keeps_output: true, ..Operation::default() };
        self.record(output, &operation)
    }

    /// An activation function.
    pub fn activate(&self, input: impl Borrow<Tensor>, function: Activation) -> Tensor {
        match function {
            Activation::OneKernel => self.keeps_input(input),
            Activation::Relu => self.keeps_output(input),
            Activation::SquaredRelu => self.power(self.keeps_output(input)),
            Activation::QuickGelu => {
                let input = input.borrow();
                self.multiply(input, self.keeps_output(self.scale(input)))
            }
            Activation::NewGelu => {
                // 0.5 * x * (1 + tanh(c * (x + 0.044715 * x ** 3)))
                let input = input.borrow();
                let half = self.scale(input);
                let inner = self.add(input, self.scale(self.power(input)));
                let tanh = self.keeps_output(self.scale(inner));
                self.multiply(half, self.shift(tanh))
            }
            Activation::Bloom => {
                // At most three of the forward pass's tensors live at once beside the input; of the backward pass's, five:
                // the `tanh`, both factors made of it, and a product on its way.
                let input = input.borrow();
                let bytes = input.dtype.of(input.elements()).0;
                let temporaries = self.bytes(bytes.saturating_mul(2));
                let output = self.like(input, input.dtype);
                drop(temporaries);
                let inputs = [(input, same(input, input.dtype, bytes.saturating_mul(4)))];
                self.record(output, &Operation { inputs: &inputs, saved: &[input], ..Operation::default() })
            }
        }
    }
}

/// The operand that the other is broadcast to.
fn larger<'a>(one: &'a Tensor, other: &'a Tensor) -> &'a Tensor {
    if one.elements() >= other.elements() { one } else { other }
}
