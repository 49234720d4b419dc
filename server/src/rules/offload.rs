//! What the rules about offloading share: what is done to a pipeline, in which order, and how to take a move out.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Edit, Fix};
use crate::knowledge::Role;
use crate::knowledge::objects::{ObjectEffect, object_method};
use crate::python::blocks::share_block;
use crate::python::library_call::{Action, Device, Event, Given, LibraryCall};
use crate::rules::context::Context;
use crate::rules::writing::{arguments, removal};
use crate::texts::text;

/// The argument that spreads a pipeline over devices while it is loaded.
const DEVICE_MAP: &str = "device_map";

/// The pipelines of diffusers that a script loads.
pub fn pipelines<'a>(context: &Context<'a>) -> impl Iterator<Item = &'a LibraryCall> {
    context.script.calls.iter().filter(|call| call.role == Role::DiffusionPipeline)
}

/// What an event does, if it calls a method that the tables know.
pub fn effect(event: &Event) -> Option<ObjectEffect> {
    object_method(event.action.method()?)
}

/// How an event offloads, if it does.
pub fn offload(event: &Event) -> Option<ObjectEffect> {
    effect(event).filter(|effect| effect.offloads())
}

/// Whether an event is about the whole pipeline.
pub fn is_whole(event: &Event) -> bool {
    event.part.is_empty()
}

/// Whether an event moves the pipeline, or a part of it, to the GPU.
pub fn moves_to_gpu(event: &Event) -> bool {
    event.action.moves_to() == Some(Device::Gpu)
}

/// The events that have surely happened before one, the latest first.
pub fn latest_first<'a>(call: &'a LibraryCall, event: &'a Event) -> impl Iterator<Item = &'a Event> {
    event.before.iter().rev().filter_map(|index| call.events.get(*index))
}

/// The events that come before one wherever both happen, the latest first.
pub fn may_come_before<'a>(
    call: &'a LibraryCall,
    place: usize,
    event: &'a Event,
) -> impl Iterator<Item = &'a Event> {
    let earlier = call.events.iter().enumerate().take(place).rev();
    earlier.filter(|(index, _)| event.certain || event.before.contains(index)).map(|(_, earlier)| earlier)
}

/// Whether an event moves the pipeline to the GPU on every machine.
pub fn always_moves_to_gpu(event: &Event) -> bool {
    let Action::Called { arguments, .. } = &event.action else { return false };
    let given = arguments.named("device").into_iter().chain(&arguments.positional);
    let choices = given.flat_map(|given| given.value.alternatives());
    moves_to_gpu(event) && choices.filter_map(Device::named).all(|device| device == Device::Gpu)
}

/// Whether the second event comes whenever the first does.
pub fn always_follows(context: &Context, first: &Event, second: &Event) -> bool {
    second.certain || share_block(context.script.module, first.span, second.span)
}

/// The device map that a pipeline is loaded with, if it is certain.
pub fn device_map(call: &LibraryCall) -> Option<&Given> {
    call.arguments.named(DEVICE_MAP).filter(|given| given.value.text().is_some())
}

/// Whether a device map spreads the parts of a pipeline. One that only names a device does not.
pub fn spreads(device_map: &Given) -> bool {
    Device::named(&device_map.value).is_none()
}

/// Where a move is written: the call, or the end of the chain of calls that it ends.
pub fn place_of_move(context: &Context, event: &Event) -> Span {
    let chained = event.expr.filter(|call| !removal::is_called_on_name(context, *call));
    chained.and_then(|call| removal::method_span(context, call)).unwrap_or(event.span)
}

/// A move as it is written, without what is moved: `.to("cuda")`.
pub fn quoted_move(context: &Context, event: &Event) -> String {
    context.quote(event.expr.and_then(|call| removal::method_span(context, call)).unwrap_or(event.span))
}

/// The last part of an event's text, from the method's name on: `enable_model_cpu_offload()`.
pub fn quoted_method(event: &Event) -> String {
    event.action.method().map_or(String::new(), |method| format!("{method}()"))
}

/// The fix that takes a move out, and leaves the type that it also changes to.
pub fn without_move(context: &Context, event: &Event) -> Option<Fix> {
    let call = event.expr?;
    let Action::Called { arguments: given, .. } = &event.action else { return None };
    let edit: Edit = if given.positional.len() + given.named.len() > 1 {
        arguments::removed(context, call, device_argument(event)?)?
    } else {
        removal::method_call(context, call)?
    };
    let message = text("offload-delete-move", &[("move", &quoted_move(context, event))]);
    Some(Fix { applicability: Applicability::Safe, message, edits: vec![edit] })
}

/// Where the device of a move is written.
fn device_argument(event: &Event) -> Option<Span> {
    let Action::Called { arguments, .. } = &event.action else { return None };
    let mut given = arguments.named("device").into_iter().chain(&arguments.positional);
    given.find(|given| Device::named(&given.value).is_some())?.span
}

/// The fix that takes out the call of a method.
pub fn without_call(context: &Context, event: &Event, applicability: Applicability) -> Option<Fix> {
    let edit = removal::method_call(context, event.expr?)?;
    let message = text("offload-delete-call", &[("call", &quoted_method(event))]);
    Some(Fix { applicability, message, edits: vec![edit] })
}

/// The fix that loads a pipeline without its device map.
pub fn without_device_map(
    context: &Context,
    call: &LibraryCall,
    applicability: Applicability,
) -> Option<Fix> {
    let edit = arguments::removed(context, call.expr, device_map(call)?.span?)?;
    let message = text("offload-delete-device-map", &[]);
    Some(Fix { applicability, message, edits: vec![edit] })
}
