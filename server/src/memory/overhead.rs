//! What the driver and libraries take beside a program's own tensors.

use super::Bytes;

/// The CUDA context of one process of PyTorch, usually: 0.30 to 0.45 GiB where kernels are loaded lazily (CUDA 11.7 and
/// later), 0.51 GiB on an H100, 0.61 GiB on an A10G, by public logs of `nvidia-smi` beside `memory_reserved()`.
pub const CUDA_CONTEXT: Bytes = Bytes::mib(460);

/// The most that it takes on common cards.
pub const CUDA_CONTEXT_AT_MOST: Bytes = Bytes::mib(614);

/// What NCCL takes on each of several GPUs that train together, beside the context: 0.2 to 1 GiB in public logs of plain
/// data-parallel training.
pub const COMMUNICATION: Bytes = Bytes::mib(512);

/// What PyTorch's allocator holds for so many bytes that are allocated once and kept: rounding to its blocks, at most
/// 2 % in public logs of loads.
pub fn reserved(allocated: Bytes) -> Bytes {
    Bytes(allocated.0.saturating_add(allocated.0 / 50))
}
