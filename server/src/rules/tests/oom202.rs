//! Loops that run a model in evaluation mode with gradients still on.

mod fixes;
mod found;
mod silent;
