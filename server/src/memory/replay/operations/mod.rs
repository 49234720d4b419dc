//! The operations.

mod attention;
mod linear;
mod loss;
mod norm;
mod pointwise;
mod shape;

pub use attention::{Attended, Attention, AttentionKernel};
pub use linear::Bias;
pub use norm::Norm;
pub use pointwise::Activation;
