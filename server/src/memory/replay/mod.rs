//! A program of tensors run without data: what each operation makes, keeps and lets go of, in the order in which PyTorch
//! runs it. Its peak is read off, not computed by a formula.
//!
//! What an operation keeps for its backward pass, and what it makes there, follows `derivatives.yaml` and the kernels of torch
//! 2.15.

mod allocator;
mod backward;
mod device;
mod operations;
mod parameters;
mod segment;
mod tape;
mod tensor;

pub use device::{Device, Kind, Live, Moment, Peak, Storage};
pub use operations::{Activation, Attended, Attention, AttentionKernel, Bias, Norm};
pub use parameters::{Adapters, Parameter, Parameters, Part, Quantized, Trained};
pub use segment::Layer;
pub use tape::Tape;
pub use tensor::Tensor;

#[cfg(test)]
mod tests;
