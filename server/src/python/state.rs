//! Everything that holds at one point of the program.

use imbl::GenericOrdMap;
use imbl::ordmap::DiffItem;
use imbl::shared_ptr::RcK;

use crate::python::happenings::History;
use crate::python::syntax::Symbol;
use crate::python::value::{Flag, FrameId, Key, ObjectId, Place, Value, What};

/// Whether operations are recorded for backward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GradMode {
    /// Recorded: how every program starts.
    #[default]
    On,
    /// Not recorded.
    Off,
    /// Depends on something unknown.
    Unknown,
}

impl GradMode {
    /// The mode that a switch sets.
    pub fn switched(to: Option<bool>) -> Self {
        match to {
            Some(true) => GradMode::On,
            Some(false) => GradMode::Off,
            None => GradMode::Unknown,
        }
    }
}

/// A map that is cheap to copy. States never leave their thread, so that counting who shares it is cheap, too.
type Map<K, V> = GenericOrdMap<K, V, RcK>;

/// What every place holds, and the grad mode. Cheap to copy.
#[derive(Clone, Debug, Default)]
pub struct State {
    places: Map<Place, Value>,
    /// What has surely happened to the objects of noted calls.
    histories: Map<ObjectId, History>,
    /// What has surely happened to the process.
    pub process: History,
    /// Whether operations are recorded.
    pub grad: GradMode,
    /// How much was compared to join the states that it comes from.
    pub work: usize,
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.grad == other.grad
            && self.places == other.places
            && self.histories == other.histories
            && self.process == other.process
    }
}

impl State {
    /// What `place` holds.
    pub fn get(&self, place: &Place) -> Option<&Value> {
        self.places.get(place)
    }

    /// How many places hold something.
    pub fn places_held(&self) -> usize {
        self.places.len()
    }

    /// Hands over each place that holds something else in `other`, with what it holds here and there. What the two
    /// states have in common costs nothing where one was made from the other.
    pub fn each_difference(
        &self,
        other: &State,
        mut hand_over: impl FnMut(&Place, Option<&Value>, Option<&Value>),
    ) {
        for item in self.places.diff(&other.places) {
            match item {
                DiffItem::Update { old, new } => hand_over(new.0, Some(old.1), Some(new.1)),
                DiffItem::Add(place, value) => hand_over(place, None, Some(value)),
                DiffItem::Remove(place, value) => hand_over(place, Some(value), None),
            }
        }
    }

    /// Puts a value in a place, over what was there.
    pub fn set(&mut self, place: Place, value: Value) {
        self.places.insert(place, value);
    }

    /// Puts a value in a place beside what was there.
    pub fn add(&mut self, place: Place, value: &Value) {
        let joined = self.places.get(&place).map_or_else(|| value.clone(), |old| old.join(value));
        self.places.insert(place, joined);
    }

    /// Empties a place.
    pub fn remove(&mut self, place: &Place) {
        self.places.remove(place);
    }

    /// The items of an object, under known keys first.
    pub fn items(&self, object: ObjectId) -> impl Iterator<Item = (Option<&Key>, &Value)> {
        let first = Place::Item(object, Key::Index(i64::MIN));
        let known = self.places.range(first..).map_while(move |(place, value)| match place {
            Place::Item(owner, key) if *owner == object => Some((Some(key), value)),
            _ => None,
        });
        known.chain(self.get(&Place::Items(object)).map(|value| (None, value)))
    }

    /// What the attributes of an object hold.
    pub fn attributes(&self, object: ObjectId) -> impl Iterator<Item = &Value> {
        let first = Place::Attribute(object, Symbol(0));
        self.places.range(first..).map_while(move |(place, value)| match place {
            Place::Attribute(owner, _) if *owner == object => Some(value),
            _ => None,
        })
    }

    /// The names of a frame that hold something.
    pub fn variables(&self, frame: FrameId) -> Vec<Symbol> {
        let places = self.places.range(Place::Variable(frame, Symbol(0))..);
        let names = places.map_while(|(place, _)| match place {
            Place::Variable(owner, name) if *owner == frame => Some(*name),
            _ => None,
        });
        names.collect()
    }

    /// Takes all items of an object away.
    pub fn clear_items(&mut self, object: ObjectId) {
        let keys: Vec<Key> = self.items(object).filter_map(|(key, _)| key.cloned()).collect();
        for key in keys {
            self.places.remove(&Place::Item(object, key));
        }
        self.places.remove(&Place::Items(object));
    }

    /// Lets one object hold all that another holds.
    pub fn copy_object(&mut self, from: ObjectId, to: ObjectId) {
        let held: Vec<(Place, Value)> = self
            .places
            .iter()
            .filter_map(|(place, value)| Some((place.moved_to(from, to)?, value.clone())))
            .collect();
        self.places.extend(held);
    }

    /// What has surely happened to an object.
    pub fn history(&self, object: ObjectId) -> History {
        self.histories.get(&object).cloned().unwrap_or_default()
    }

    /// Whether an object was made on every way here, or on the one way here that makes it.
    pub fn has_history(&self, object: ObjectId) -> bool {
        self.histories.contains_key(&object)
    }

    /// Sets what has surely happened to an object.
    pub fn set_history(&mut self, object: ObjectId, history: History) {
        self.histories.insert(object, history);
    }

    /// What has surely happened to every object.
    pub fn histories(&self) -> impl Iterator<Item = (ObjectId, &History)> {
        self.histories.iter().map(|(object, history)| (*object, history))
    }

    /// What the flag of an object says: unset, set to a constant, or unknown.
    pub fn flag(&self, object: ObjectId, flag: Flag) -> Option<&Value> {
        self.places.get(&Place::Flag(object, flag))
    }

    /// The state after either of two ways through the program.
    #[must_use]
    pub fn join(&self, other: &State) -> State {
        let mut joined = self.clone();
        if self.grad != other.grad {
            joined.grad = GradMode::Unknown;
        }
        let changes: Vec<(Place, Value)> = self
            .places
            .diff(&other.places)
            .map(|item| match item {
                DiffItem::Update { old, new } => (new.0.clone(), old.1.join(new.1)),
                DiffItem::Add(place, value) | DiffItem::Remove(place, value) => {
                    (place.clone(), alone(place, value))
                }
            })
            .collect();
        joined.work = self.work.saturating_add(other.work);
        joined.process = self.process.join(&other.process);
        let histories: Vec<(ObjectId, History)> = self
            .histories
            .diff(&other.histories)
            .map(|item| match item {
                DiffItem::Update { old, new } => (*new.0, old.1.join(new.1)),
                // What the other way never made, this way's history is the history of.
                DiffItem::Add(object, history) | DiffItem::Remove(object, history) => {
                    (*object, history.clone())
                }
            })
            .collect();
        joined.histories.extend(histories);
        for (place, value) in changes {
            joined.work = joined.work.saturating_add(1 + value.graph.len());
            joined.places.insert(place, value);
        }
        joined
    }
}

/// What a place holds when only one of two ways put something there: a flag then depends on the way; any
/// other place is not read on the way that left it empty.
fn alone(place: &Place, value: &Value) -> Value {
    match place {
        Place::Flag(_, Flag::Frozen | Flag::Evaluating) => Value::plain(What::Unknown),
        _ => value.clone(),
    }
}

/// Joins the states of two ways of which either may not exist.
pub fn join_ways(one: Option<State>, other: Option<State>) -> Option<State> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.join(&other)),
        (one, other) => one.or(other),
    }
}
