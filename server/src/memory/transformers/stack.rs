//! What stacks of layers have in common.

use std::rc::Rc;

use crate::memory::replay::{Layer, Tape, Tensor};

/// A stack of layers.
pub trait Stacked: 'static {
    /// What a layer does to the residual stream.
    fn layer(&self, tape: &Tape, layer: u64, input: &Tensor) -> Tensor;

    /// Whether layers keep only their input.
    fn checkpointing(&self) -> bool;
}

/// Runs a layer, under checkpointing where that is on.
pub fn run_layer<S: Stacked>(tape: &Tape, stack: &Rc<S>, layer: u64, input: Tensor) -> Tensor {
    if !stack.checkpointing() {
        return stack.layer(tape, layer, &input);
    }
    let held = Rc::clone(stack);
    let run: Layer = Rc::new(move |tape: &Tape, input: &Tensor| held.layer(tape, layer, input));
    tape.checkpointed(run, input)
}
