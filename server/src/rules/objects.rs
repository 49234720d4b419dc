//! What rules ask of the models, checkpoints and copies that a script makes.

use vramlens_grammars::Span;

use crate::knowledge::Role;
use crate::knowledge::loading::{About, Loading};
use crate::models::{Catalog, ModelFacts};
use crate::python::library_call::{Action, Device, Event, Known, LibraryCall};
use crate::rules::context::Context;
use crate::surroundings::LocalModel;

/// The arguments of a load that put it on a device.
const PLACES: [&str; 2] = ["device_map", "device"];
/// The place of a loader that takes the GPU, in the table of defaults.
const GPU: &str = "gpu";
/// The places of a `device_map` that fill the GPUs first.
const FILLS_GPUS: [&str; 4] = ["auto", "balanced", "balanced_low_0", "sequential"];

/// What is known of the model that a call loads by name, and what `take` makes of it.
pub fn facts_of<T>(context: &Context, call: &LibraryCall, take: impl Fn(&ModelFacts) -> T) -> Option<T> {
    let known = |name: &str| match context.surroundings.models.get(name) {
        Some(LocalModel::Found(facts)) => Some(take(facts)),
        _ => Catalog::tables().find(name).map(|facts| take(&facts)),
    };
    names_of(call).find_map(known)
}

/// What a call may load, as it is named there: an id or a path.
pub fn names_of(call: &LibraryCall) -> impl Iterator<Item = &str> {
    let names = [("pretrained_model_name_or_path", 0), ("model", 1), ("model_name", 0)];
    let given = names.into_iter().filter_map(|(name, place)| call.arguments.get(name, place)?.value.text());
    // A constructor of torchvision is named after its model.
    given.chain((call.role == Role::VisionModel).then_some(&*call.path))
}

/// Whether a call itself puts what it loads on a GPU.
pub fn loads_on_gpu(call: &LibraryCall) -> bool {
    let fills = |value: &Known| value.text().is_some_and(|text| FILLS_GPUS.contains(&text));
    let mut given = PLACES.into_iter().filter_map(|name| call.arguments.named(name)).peekable();
    if given.peek().is_none() {
        return fills_gpu_unasked(call);
    }
    given.any(|given| fills(&given.value) || Device::named(&given.value) == Some(Device::Gpu))
}

/// Whether a call that names no device takes the GPU, in every version of its library.
fn fills_gpu_unasked(call: &LibraryCall) -> bool {
    let tables = Loading::tables();
    let Some(loader) = tables.loader(&call.path).filter(|_| call.arguments.positional.len() < 2) else {
        return false;
    };
    let mut rows = tables.defaults(loader, About::Place).peekable();
    !call.arguments.open && rows.peek().is_some() && rows.all(|row| row.value == GPU)
}

/// Where the object of a call is put on a GPU, by code that stands before an offset; the call itself counts.
pub fn put_on_gpu(call: &LibraryCall, before: u32) -> Option<Span> {
    let moves = call.events.iter().filter(|event| event.part.is_empty() && event.span.start < before);
    let last = moves.filter_map(|event| Some((event.action.moves_to()?, event.span))).next_back();
    match last {
        Some((Device::Gpu, span)) => Some(span),
        Some(_) => None,
        None => loads_on_gpu(call).then_some(call.span),
    }
}

/// Whether the object of a call has surely been moved to a GPU before an event.
pub fn on_gpu_at(call: &LibraryCall, event: &Event) -> bool {
    let earlier = event.before.iter().filter_map(|index| call.events.get(*index));
    match earlier.filter_map(|event| event.action.moves_to()).next_back() {
        Some(device) => device == Device::Gpu,
        None => loads_on_gpu(call),
    }
}

/// The call that made what another call is given, with the event of the giving.
pub fn giver(calls: &[LibraryCall], taker: usize) -> Option<(&LibraryCall, &Event)> {
    let taken = calls.get(taker)?;
    let given = |event: &&Event| match event.action {
        Action::GivenTo(index) => index == taker,
        // A method is given what it is called on.
        Action::Called { .. } => event.expr == Some(taken.expr),
        _ => false,
    };
    calls.iter().find_map(|call| Some((call, call.events.iter().find(given)?)))
}
