//! Tensors without a graph that a collection keeps on the GPU.

mod fixes;
mod found;
mod silent;
