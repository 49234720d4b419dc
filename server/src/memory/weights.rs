//! The bytes of weights, by how they are held.

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// 4 bytes.
    Float32,
    /// 2 bytes.
    Float16,
    /// 2 bytes.
    BFloat16,
    /// 1 byte.
    Float8,
    /// 1 byte.
    Int8,
}

/// How weights are quantized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantization {
    /// bitsandbytes 4 bit (NF4 or FP4), with or without double quantization of the scales.
    Bnb4 {
        /// Whether the scales are quantized, too.
        double: bool,
    },
    /// bitsandbytes 8 bit.
    Bnb8,
}
