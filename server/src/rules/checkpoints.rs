//! What the rules about checkpoints share: where they are read to.

use crate::python::library_call::{Device, Known, LibraryCall};

/// The argument that says where tensors go.
pub const LOCATION: &str = "map_location";

/// Where a load puts tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// Where they were saved from.
    Saved,
    /// A GPU.
    Gpu,
    /// Host memory, or nowhere.
    Host,
    /// Wherever something says that is not known: a device that is handed in, a function.
    Unknown,
}

/// Where a load puts tensors.
pub fn location(load: &LibraryCall) -> Location {
    match load.arguments.get(LOCATION, 1).map(|given| &given.value) {
        None if load.arguments.open => Location::Unknown,
        None | Some(Known::None) => Location::Saved,
        Some(value) => match Device::named(value) {
            Some(Device::Gpu) => Location::Gpu,
            Some(_) => Location::Host,
            None => Location::Unknown,
        },
    }
}
