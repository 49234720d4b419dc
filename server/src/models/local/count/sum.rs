//! Parameters, by what quantization makes of them. Sums and products never overflow: they stop at the largest number.

use std::ops::{Add, Mul};

/// A number of parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Weights of linear layers.
    pub matrices: u64,
    /// Weights of the routed experts of a mixture.
    pub experts: u64,
    /// Everything else: embeddings, the output head, norms, biases, convolutions.
    pub others: u64,
    /// Those of them all that stay in float32 when float16 is asked for.
    pub float32: u64,
}

impl Sum {
    /// All of them.
    pub fn total(self) -> u64 {
        self.matrices.saturating_add(self.experts).saturating_add(self.others)
    }

    /// What quantization leaves alone.
    pub const fn unquantized(self) -> u64 {
        self.others
    }

    /// The same weights as those of routed experts.
    pub fn as_experts(self) -> Self {
        Self { matrices: 0, experts: self.matrices.saturating_add(self.experts), ..self }
    }

    /// The same weights, kept in float32.
    pub fn in_float32(self) -> Self {
        Self { float32: self.total(), ..self }
    }

    /// These, if a condition holds.
    pub fn when(self, condition: bool) -> Self {
        if condition { self } else { Self::default() }
    }
}

/// A linear layer without a bias.
pub fn matrix(inputs: u64, outputs: u64) -> Sum {
    Sum { matrices: inputs.saturating_mul(outputs), ..Sum::default() }
}

/// A linear layer, with or without a bias.
pub fn linear(inputs: u64, outputs: u64, bias: bool) -> Sum {
    matrix(inputs, outputs) + vector(outputs).when(bias)
}

/// One parameter for each feature: a bias, or a norm without one.
pub fn vector(features: u64) -> Sum {
    Sum { others: features, ..Sum::default() }
}

/// A layer norm with weight and bias.
pub fn layer_norm(features: u64) -> Sum {
    vector(features) * 2
}

/// A table of vectors, or an output head.
pub fn embedding(entries: u64, features: u64) -> Sum {
    vector(entries.saturating_mul(features))
}

impl Add for Sum {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            matrices: self.matrices.saturating_add(other.matrices),
            experts: self.experts.saturating_add(other.experts),
            others: self.others.saturating_add(other.others),
            float32: self.float32.saturating_add(other.float32),
        }
    }
}

impl Mul<u64> for Sum {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self {
            matrices: self.matrices.saturating_mul(times),
            experts: self.experts.saturating_mul(times),
            others: self.others.saturating_mul(times),
            float32: self.float32.saturating_mul(times),
        }
    }
}
