//! Loops that run a model with gradients on and never use them.

mod fixes;
mod found;
mod silent;
