//! What optimizers keep, and what they make while they step.

use std::rc::Rc;

use crate::memory::replay::{Device, Kind, Parameter, Storage};
use crate::memory::weights::Dtype;

/// An optimizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimizer {
    /// `torch.optim.AdamW` and `Adam`, as they are made by default on a GPU: all parameters at once (`foreach`).
    AdamW,
    /// The same with `fused=True`.
    AdamWFused,
    /// The same with `foreach=False`: one parameter after the other.
    AdamWSingle,
    /// `torch.optim.SGD` without momentum.
    Sgd,
    /// `torch.optim.SGD` with momentum.
    SgdMomentum,
    /// `transformers.optimization.Adafactor` without a first moment.
    Adafactor,
    /// `bitsandbytes.optim.AdamW8bit`.
    AdamW8Bit,
    /// `bitsandbytes.optim.PagedAdamW8bit`, whose state the driver may move to host memory.
    PagedAdamW8Bit,
    /// Lion in full precision: one moment.
    Lion,
}

/// Parameters with fewer elements keep full moments under an 8-bit optimizer (`min_8bit_size` of bitsandbytes).
const LEAST_8_BIT: u64 = 4096;
/// Elements that share a scale (`blocksize` of bitsandbytes' optimizers).
const SCALE_BLOCK: u64 = 256;

impl Optimizer {
    /// What it keeps between steps.
    pub fn state(self, parameters: &[Parameter], device: &Rc<Device>) -> Vec<Rc<Storage>> {
        let mut held = Vec::new();
        let mut keep = |bytes: u64| held.push(device.allocate(bytes, Kind::Optimizer));
        for parameter in parameters {
            let elements = parameter.elements();
            match self {
                Self::AdamW | Self::AdamWFused | Self::AdamWSingle => {
                    keep(parameter.bytes());
                    keep(parameter.bytes());
                }
                Self::SgdMomentum | Self::Lion => keep(parameter.bytes()),
                Self::Sgd => {}
                // One number for each row and one for each column of a matrix, in float32.
                Self::Adafactor if parameter.rows > 1 => {
                    keep(parameter.rows.saturating_mul(4));
                    keep(parameter.features.saturating_mul(4));
                }
                Self::Adafactor => keep(elements.saturating_mul(4)),
                Self::AdamW8Bit | Self::PagedAdamW8Bit if elements < LEAST_8_BIT => {
                    keep(elements.saturating_mul(4));
                    keep(elements.saturating_mul(4));
                }
                Self::AdamW8Bit | Self::PagedAdamW8Bit => {
                    for bytes in [elements, elements.div_ceil(SCALE_BLOCK).saturating_mul(4)] {
                        keep(bytes);
                        keep(bytes);
                    }
                }
            }
        }
        held
    }

    /// What it makes while it steps.
    pub fn step(self, parameters: &[Parameter], device: &Rc<Device>) {
        let temporary = |bytes: u64| device.allocate(bytes, Kind::Activations);
        match self {
            // The square roots of all second moments (`_foreach_sqrt`).
            Self::AdamW => {
                drop(parameters.iter().map(|parameter| temporary(parameter.bytes())).collect::<Vec<_>>());
            }
            Self::AdamWSingle | Self::Lion => parameters.iter().for_each(|parameter| {
                drop((temporary(parameter.bytes()), temporary(parameter.bytes())));
            }),
            Self::Adafactor => parameters.iter().for_each(|parameter| {
                // Float32 copies of the parameter and its gradient where they are in half precision; the update, and what
                // replaces it.
                let copies = if parameter.dtype == Dtype::Float32 { 2 } else { 4 };
                let bytes = parameter.elements().saturating_mul(4);
                drop((0..copies).map(|_| temporary(bytes)).collect::<Vec<_>>());
            }),
            Self::AdamWFused | Self::Sgd | Self::SgdMomentum | Self::AdamW8Bit | Self::PagedAdamW8Bit => {}
        }
    }
}
