//! Loops that run a model with gradients on and never use them.

mod found;
mod silent;
