//! What is done to what a call loads, along each way through the program.

use vramlens_grammars::Span;

use crate::estimates::desk::Desk;
use crate::estimates::notes::Notes;
use crate::estimates::placing::placing;
use crate::estimates::plan::{Change, Mode, Place, Step};
use crate::estimates::request::Request;
use crate::knowledge::Role;
use crate::knowledge::loading::{Loading, Treatment};
use crate::memory::weights::Dtype;
use crate::python::library_call::{Action, Arguments, Device, Event, Known, LibraryCall};

/// Something that is done to the weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Deed {
    /// What, in order.
    pub steps: Vec<Step>,
    /// The call that does it.
    pub span: Span,
    /// Whether it is done on every way through the program.
    pub certain: bool,
    /// Whether the device that is named is not known.
    pub guessed: bool,
    event: (usize, usize),
    before: Vec<(usize, usize)>,
}

impl Deed {
    /// Whether the text does it to what this call makes, and not to what that is given to.
    pub fn is_of(&self, call: usize) -> bool {
        self.event.0 == call
    }
}

/// One way through the program: what is done on it, in order.
pub type Way = Vec<Deed>;

/// More ways than this are not told apart.
const MOST_WAYS: usize = 8;

/// What is done to what the call with this index loads, by the text and by what it is given to.
pub fn deeds(index: usize, desk: Desk) -> Vec<Deed> {
    let Some(call) = desk.calls.get(index) else { return Vec::new() };
    let mut deeds = Vec::new();
    for (number, event) in call.events.iter().enumerate() {
        let id = (index, number);
        let before: Vec<_> = event.before.iter().map(|earlier| (index, *earlier)).collect();
        match &event.action {
            Action::GivenTo(owner) => deeds.extend(by_owner(Given { id, before, event }, *owner, desk)),
            _ => deeds.extend(deed(id, before, event)),
        }
    }
    deeds
}

/// The ways through the program: on each the certain deeds, and the uncertain ones that belong together.
pub fn ways(deeds: &[Deed]) -> Vec<Way> {
    let on = |chosen: Option<&Deed>| -> Way {
        let belongs = |deed: &&Deed| {
            let is_chosen = chosen
                .is_some_and(|chosen| deed.event == chosen.event || chosen.before.contains(&deed.event));
            deed.certain || is_chosen
        };
        deeds.iter().filter(belongs).cloned().collect()
    };
    let mut ways = vec![on(None)];
    for deed in deeds.iter().filter(|deed| !deed.certain) {
        let way = on(Some(deed));
        if !ways.contains(&way) && ways.len() < MOST_WAYS {
            ways.push(way);
        }
    }
    ways
}

/// What an event does to the weights, if anything.
fn deed(event: (usize, usize), before: Vec<(usize, usize)>, given: &Event) -> Option<Deed> {
    let Action::Called { method, arguments } = &given.action else { return None };
    let (treatment, value) = Loading::tables().method(method)?;
    let part = given.part.to_string();
    let step = |change| Step { part: part.clone(), change };
    let mut guessed = false;
    let steps = match treatment {
        Treatment::Cast => vec![step(Change::Cast(Dtype::parse(value)?))],
        Treatment::CastVae => {
            vec![Step { part: "vae".to_owned(), change: Change::Cast(Dtype::parse(value)?) }]
        }
        Treatment::Offload => vec![step(Change::Offload(mode(value, arguments)?))],
        Treatment::Move => {
            let (steps, unknown) = moves(&given.action, arguments);
            guessed = unknown;
            steps.into_iter().map(step).collect()
        }
        Treatment::Adapter => return None,
    };
    (!steps.is_empty()).then_some(Deed {
        steps,
        span: given.span,
        certain: given.certain,
        guessed,
        event,
        before,
    })
}

/// What a move does: it may convert, and it may name a device that is not known.
fn moves(action: &Action, arguments: &Arguments) -> (Vec<Change>, bool) {
    let given = || arguments.positional.iter().chain(arguments.named.iter().map(|(_, given)| given));
    let dtype = given().find_map(|given| type_of(&given.value));
    let device = match action.moves_to() {
        Some(Device::Gpu) => Some(Place::Gpu),
        Some(Device::Host | Device::Meta) => Some(Place::Host),
        None => None,
    };
    let unknown = device.is_none() && given().any(|given| given.value == Known::Unknown);
    let place = device.or(unknown.then_some(Place::Gpu));
    (dtype.map(Change::Cast).into_iter().chain(place.map(Change::Put)).collect(), unknown)
}

/// The type that a value names, which a device is not.
fn type_of(value: &Known) -> Option<Dtype> {
    value.alternatives().into_iter().find_map(|value| match value {
        Known::Library(path) => Dtype::parse(path),
        _ => None,
    })
}

fn mode(word: &str, arguments: &Arguments) -> Option<Mode> {
    let by_leaf =
        || arguments.named("offload_type").and_then(|given| given.value.text()) == Some("leaf_level");
    match word {
        "components" => Some(Mode::Components),
        "leaves" => Some(Mode::Leaves),
        "groups" => Some(if by_leaf() { Mode::Leaves } else { Mode::Groups }),
        _ => None,
    }
}

/// An event by which an object is given to another call.
struct Given<'a> {
    id: (usize, usize),
    before: Vec<(usize, usize)>,
    event: &'a Event,
}

/// What is done to it by what it is given to.
fn by_owner(given: Given, owner: usize, desk: Desk) -> Vec<Deed> {
    let Some(call) = desk.calls.get(owner) else { return Vec::new() };
    match call.role {
        Role::Trainer => vec![given.put(Place::Gpu)],
        Role::TaskPipeline => {
            let mut notes = Notes::new(desk.source);
            let placing = Request::read(owner, desk).map(|request| placing(&request, 1, false, &mut notes));
            placing.map(|placing| given.put(placing.place)).into_iter().collect()
        }
        Role::Adapter | Role::DiffusionPipeline if given.id.0 != owner => {
            let part = argument_name(call, given.id.0).unwrap_or_default();
            let deeds = deeds_of_owner(owner, desk.calls, &part);
            deeds.into_iter().map(|deed| given.passes_on(deed)).collect()
        }
        _ => Vec::new(),
    }
}

impl Given<'_> {
    /// The deed of a call that puts what it is given somewhere.
    fn put(self, place: Place) -> Deed {
        let step = Step { part: String::new(), change: Change::Put(place) };
        let Self { id, before, event } = self;
        Deed {
            steps: vec![step],
            span: event.span,
            certain: event.certain,
            guessed: false,
            event: id,
            before,
        }
    }

    /// What is done to the owner, after it was given this.
    fn passes_on(&self, mut deed: Deed) -> Deed {
        deed.certain &= self.event.certain;
        deed.before.extend(self.before.iter().copied());
        deed.before.push(self.id);
        deed
    }
}

/// What is done to an owner as a whole or to the part that this is.
fn deeds_of_owner(owner: usize, calls: &[LibraryCall], part: &str) -> Vec<Deed> {
    let Some(call) = calls.get(owner) else { return Vec::new() };
    let events = call.events.iter().enumerate();
    let deeds = events.filter(|(_, event)| event.part.is_empty() || *event.part == *part);
    deeds
        .filter_map(|(number, event)| {
            let before = event.before.iter().map(|earlier| (owner, *earlier)).collect();
            let mut deed = deed((owner, number), before, event)?;
            deed.steps.iter_mut().for_each(|step| step.part.clear());
            Some(deed)
        })
        .collect()
}

/// The name of the argument by which a call is given what another one made.
fn argument_name(call: &LibraryCall, made: usize) -> Option<String> {
    let found = call.arguments.named.iter().find(|(_, given)| given.value == Known::Made(made));
    found.map(|(name, _)| name.to_string())
}
