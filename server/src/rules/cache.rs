//! What the rules about training share on the cache of keys and values.

use crate::python::library_call::{Action, Event, LibraryCall};

/// The attribute of a model with its configuration.
const CONFIGURATION: &str = "config";
/// The option of a model, its configuration and its forward pass that makes a pass return keys and values.
pub const USE_CACHE: &str = "use_cache";

/// The statement that turns the cache of a model off.
pub fn without_cache(model: &str) -> String {
    format!("{model}.{CONFIGURATION}.{USE_CACHE} = False")
}

/// Whether a script says itself what becomes of the cache.
pub fn sets_cache(model: &LibraryCall) -> bool {
    let set = |event: &Event| match &event.action {
        Action::Set { attribute, .. } => &**attribute == USE_CACHE,
        Action::Run { arguments } => arguments.named(USE_CACHE).is_some(),
        _ => false,
    };
    model.arguments.named(USE_CACHE).is_some() || model.events.iter().any(set)
}
