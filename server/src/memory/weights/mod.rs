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
    /// Parameters marked `float32_in_float16` take 4 bytes where float16 is asked for, and only there, and they are never
    /// quantized while a model is loaded: `_keep_in_fp32_modules` in transformers 5.24 (`modeling_utils`,
    /// `quantizers.base.get_modules_to_not_convert`).
    pub fn bytes(&self, precision: Precision) -> Bytes {
        let kept = self.float32_in_float16.min(self.parameters);
        let others = self.parameters - kept;
        match precision {
            Precision::Plain(dtype) => held(kept, dtype) + dtype.of(others.saturating_add(self.buffers)),
            Precision::Quantized { quantization, rest } if quantization.covers_all() => {
                quantization.of(self.parameters) + rest.of(self.buffers)
            }
            Precision::Quantized { quantization, rest } => {
                let plain = self.unquantized.min(others);
                quantization.of(others - plain)
                    + held(kept, rest)
                    + rest.of(plain.saturating_add(self.buffers))
            }
        }
    }
}

/// What parameters take that stay in float32 when float16 is asked for.
fn held(parameters: u64, dtype: Dtype) -> Bytes {
    let dtype = if dtype == Dtype::Float16 { Dtype::Float32 } else { dtype };
    dtype.of(parameters)
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
