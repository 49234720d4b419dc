//! Where a call puts what it loads.

use crate::estimates::notes::Notes;
use crate::estimates::plan::Place;
use crate::estimates::request::{Request, Said};
use crate::knowledge::loading::{About, Meaning};
use crate::python::library_call::{Device, Known};
use crate::texts::text;

/// Where a call puts what it loads, and whether the text decides that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placing {
    /// Where.
    pub place: Place,
    /// Whether the call says so.
    pub said: bool,
    /// Whether what does not fit there goes to host memory.
    pub spills: bool,
}

/// Where the call puts it. `cards` is how many GPUs there are; `quantizes` whether it is quantized while it is loaded,
/// which needs a GPU.
pub fn placing(request: &Request, cards: u32, quantizes: bool, notes: &mut Notes) -> Placing {
    let said = request.get(Meaning::DeviceMap).or_else(|| request.get(Meaning::Device));
    if let Some(said) = said {
        let Some(place) = named(said, cards) else {
            notes.add("device", shown(Place::Gpu), text("estimate-device-unknown", &[]), said.span);
            return Placing { place: Place::Gpu, said: true, spills: false };
        };
        notes.written("device", shown(place), said.span);
        let is_filled = |value: &Known| matches!(value, Known::Text(map) if is_balancing(map));
        let spills = said.value.alternatives().into_iter().any(is_filled);
        return Placing { place, said: true, spills };
    }
    if quantizes {
        notes.add(
            "device",
            shown(Place::Gpu),
            text("estimate-device-quantized", &[]),
            Some(request.call.callee),
        );
        return Placing { place: Place::Gpu, said: false, spills: false };
    }
    let rows = request.defaults(About::Place);
    let is_gpu = rows.first().is_some_and(|row| row.value == "gpu");
    let place = if is_gpu { Place::Gpu } else { Place::Host };
    if is_gpu {
        let why = match rows.as_slice() {
            [newest, _, ..] => {
                let since = newest.window.since().unwrap_or_default();
                text("estimate-device-by-version", &[("package", request.loader.package), ("since", &since)])
            }
            _ => text("estimate-device-default", &[("package", request.loader.package)]),
        };
        notes.add("device", shown(place), why, Some(request.call.callee));
    }
    Placing { place, said: false, spills: false }
}

/// A place as a person would name it.
pub fn shown(place: Place) -> String {
    match place {
        Place::Host => text("estimate-place-host", &[]),
        Place::Gpu => text("estimate-place-gpu", &[]),
        Place::Spread(cards) => text("estimate-place-spread", &[("cards", &cards.to_string())]),
    }
}

/// The place that a device or a map of devices names; `None` when that is not known.
fn named(said: Said, cards: u32) -> Option<Place> {
    let alternatives = said.value.alternatives();
    let places: Vec<Place> = alternatives.into_iter().filter_map(|value| one(value, cards)).collect();
    // What can be on the GPU is there when it matters.
    places.iter().copied().find(|place| *place != Place::Host).or_else(|| places.first().copied())
}

fn one(value: &Known, cards: u32) -> Option<Place> {
    match value {
        Known::Int(number) if *number < 0 => Some(Place::Host),
        Known::Text(map) if is_balancing(map) => Some(spread(cards)),
        Known::Table(parts) => {
            let mut devices: Vec<&Known> = parts.iter().map(|(_, device)| device).collect();
            devices.dedup();
            let on_gpu = devices.iter().filter(|device| Device::named(device) == Some(Device::Gpu)).count();
            let is_known = devices.iter().all(|device| Device::named(device).is_some());
            match (on_gpu, is_known) {
                (0, true) => Some(Place::Host),
                (0, false) => None,
                (1, _) => Some(Place::Gpu),
                (several, _) => Some(spread(u32::try_from(several).unwrap_or(cards).min(cards))),
            }
        }
        other => match Device::named(other)? {
            Device::Gpu => Some(Place::Gpu),
            Device::Host | Device::Meta => Some(Place::Host),
        },
    }
}

/// Whether a map of devices is made by filling the GPUs there are.
fn is_balancing(map: &str) -> bool {
    ["auto", "balanced", "balanced_low_0", "sequential"].contains(&map)
}

fn spread(cards: u32) -> Place {
    if cards > 1 { Place::Spread(cards) } else { Place::Gpu }
}
