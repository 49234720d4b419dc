//! The bytes of weights, by how they are held.

mod dtype;
mod quantization;

use std::fmt;

use super::Bytes;

pub use dtype::Dtype;
pub use quantization::{GgufType, Method, Quantization};

/// How many elements of each kind a model has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeightCounts {
    /// Parameters, tied ones once.
    pub parameters: u64,
    /// Elements of persistent buffers.
    pub buffers: u64,
    /// Parameters that quantization leaves alone: embeddings, output head, norms.
    pub unquantized: u64,
    /// Parameters that stay in float32 when float16 is asked for.
    pub float32_in_float16: u64,
}

/// How weights are to be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// All in one type.
    Plain(Dtype),
    /// Linear layers quantized, everything else in a plain type.
    Quantized {
        /// How the linear layers are quantized.
        quantization: Quantization,
        /// The type of what is not quantized.
        rest: Dtype,
    },
}

impl WeightCounts {
    /// The bytes of the weights on the device that holds them, without what the allocator adds.
    ///
    /// Parameters marked `float32_in_float16` take 4 bytes when float16 is asked for, and only then:
    /// transformers' `_keep_in_fp32_modules`.
    pub fn bytes(&self, precision: Precision) -> Bytes {
        match precision {
            Precision::Plain(dtype) => {
                let kept = if dtype == Dtype::Float16 { self.float32_in_float16 } else { 0 };
                Dtype::Float32.of(kept)
                    + dtype.of(self.parameters.saturating_sub(kept).saturating_add(self.buffers))
            }
            Precision::Quantized { quantization, rest } => {
                let plain = if quantization.covers_all() { 0 } else { self.unquantized };
                quantization.of(self.parameters.saturating_sub(plain))
                    + rest.of(plain.min(self.parameters).saturating_add(self.buffers))
            }
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(dtype) => dtype.fmt(f),
            Self::Quantized { quantization, .. } => quantization.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests;
