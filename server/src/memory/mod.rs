//! How many bytes: numbers in, numbers out. Knows nothing of syntax, editors or terminals.

mod bytes;
pub mod gpus;
pub mod overhead;
pub mod pictures;
pub mod replay;
pub mod sharding;
pub mod step;
pub mod transformers;
pub mod weights;

pub use bytes::Bytes;
