//! How a checkpoint is stored, as tables and names say it.

use super::Component;
use crate::memory::weights::{Dtype, Method, Quantization};

/// What is known of how weights are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Storage {
    /// The type, or the type of what is not quantized.
    pub dtype: Option<Dtype>,
    /// How the rest is quantized.
    pub quantized: Option<Quantization>,
    /// Only the routed experts are quantized.
    pub experts_only: bool,
}

impl Storage {
    /// What the column of a table says: `bfloat16`, `float8_e4m3fn`, `mxfp4 experts+bfloat16`.
    ///
    /// Layers in 8-bit floats have their scales, and everything that is no linear layer is in bfloat16.
    pub fn of_column(written: &str) -> Option<Self> {
        if let Some((experts, rest)) = written.split_once(" experts+") {
            let quantized = match experts {
                "mxfp4" | "fp4" => Quantization::Mxfp4,
                // Groups of 32: the compressed-tensors layout of Kimi K2 Thinking.
                "int4" => Quantization::Grouped { method: Method::CompressedTensors, bits: 4, group: 32 },
                _ => return None,
            };
            let dtype = Dtype::parse(rest)?;
            return Some(Self { dtype: Some(dtype), quantized: Some(quantized), experts_only: true });
        }
        match Dtype::parse(written)? {
            Dtype::Float8 => Some(Self {
                dtype: Some(Dtype::BFloat16),
                quantized: Some(Quantization::Float8),
                experts_only: false,
            }),
            dtype => Some(Self { dtype: Some(dtype), ..Self::default() }),
        }
    }

    /// Notes on a component how it is stored.
    pub fn apply(self, component: &mut Component) {
        component.stored = self.dtype;
        component.quantized = self.quantized;
        if self.experts_only {
            component.unquantized = component.parameters.saturating_sub(component.expert_parameters);
        }
    }
}
