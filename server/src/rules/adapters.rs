//! What rules ask of models that are trained by an adapter, or whose layers hold on to what they are given.

use vramlens_grammars::Span;

use crate::knowledge::Role;
use crate::knowledge::checkpointing::{self, Default};
use crate::knowledge::objects::{ObjectEffect, object_method};
use crate::python::library_call::{Action, Known, LibraryCall};
use crate::rules::context::Context;

/// The option that leaves checkpointing, and with it gradients for the inputs, out of a preparation.
const CHECKPOINTING: &str = "use_gradient_checkpointing";
/// The option of a load, or of the configuration it is given, that stores weights in 8 bit.
const EIGHT_BIT: &str = "load_in_8bit";
/// The option that names such a configuration.
const CONFIGURATION: &str = "quantization_config";

/// The adapters that a model is given to, and the calls that prepare it for one.
pub fn adapters<'a>(context: &'a Context, model: &LibraryCall) -> Vec<&'a LibraryCall> {
    let takers = model.events.iter().filter_map(|event| match event.action {
        Action::GivenTo(index) => context.script.calls.get(index),
        _ => None,
    });
    takers.filter(|taker| taker.role == Role::Adapter).collect()
}

/// Whether a call prepares a model for an adapter, and lets gradients reach the inputs of its layers.
pub fn prepares(taker: &LibraryCall) -> bool {
    let is_off = taker.arguments.named(CHECKPOINTING).is_some_and(|given| given.value == Known::Bool(false));
    !is_off && checkpointing::default(&taker.path) == Some(Default::On)
}

/// Where gradients are let through to the inputs of a model's layers, if the text shows it.
pub fn opened_at(model: &LibraryCall) -> Option<Span> {
    let opens = |action: &Action| {
        let effect = action.method().and_then(object_method);
        matches!(effect, Some(ObjectEffect::OpensInputs | ObjectEffect::Checkpoints))
    };
    model.events.iter().find(|event| opens(&event.action)).map(|event| event.span)
}

/// What makes the graph of a forward pass hold its inputs after backward, where a model that runs at one of some
/// places does: gradients that are let through to the inputs of frozen layers, or layers in 8 bit.
pub fn holds_inputs(context: &Context, runs: &[Span]) -> Option<Span> {
    let runs_here = |model: &&LibraryCall| {
        let is_run = |action: &Action| matches!(action, Action::Run { .. });
        model.events.iter().any(|event| is_run(&event.action) && runs.contains(&event.span))
    };
    context.script.calls.iter().filter(runs_here).find_map(|model| {
        let adapters = adapters(context, model);
        let prepared = adapters.iter().find(|taker| prepares(taker)).map(|taker| taker.span);
        let opened = || opened_at(model).filter(|_| !adapters.is_empty());
        prepared.or_else(opened).or_else(|| in_eight_bit(context, model))
    })
}

/// Where a model is loaded in 8 bit: its layers keep their inputs beside the graph.
fn in_eight_bit(context: &Context, model: &LibraryCall) -> Option<Span> {
    let asks = |call: &LibraryCall| {
        call.arguments.named(EIGHT_BIT).is_some_and(|given| given.value == Known::Bool(true))
    };
    if asks(model) {
        return Some(model.span);
    }
    match model.arguments.named(CONFIGURATION)?.value {
        Known::Made(index) => context.script.calls.get(index).filter(|call| asks(call)).map(|call| call.span),
        _ => None,
    }
}
