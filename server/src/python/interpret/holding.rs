//! What holds the objects of noted calls, and when they are let go.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::python::graph::LoopId;
use crate::python::holding::{Holder, Holding};
use crate::python::interpret::{Interpreter, Site, WORK_PER_STEP};
use crate::python::library_call::Action;
use crate::python::record::Shown;
use crate::python::state::State;
use crate::python::syntax::{ExprId, StmtId};
use crate::python::value::{FrameId, ObjectId, Place, Value, What};

/// Objects that hold objects that hold objects are looked through this far.
const DEEPEST: usize = 4;
/// Holders of one object that are told apart.
const MOST_HOLDERS: usize = 8;

/// Objects that are followed to what holds them.
type Seen = SmallVec<[ObjectId; 8]>;

/// The places that hold each object, as they were at the point that was asked about last.
#[derive(Default)]
pub(super) struct HoldingPlaces {
    places: FxHashMap<ObjectId, SmallVec<[Place; 2]>>,
    at: State,
}

impl HoldingPlaces {
    /// Moves on to another state. Only what differs between the two is looked at.
    fn follow(&mut self, state: &State) {
        let Self { places, at } = self;
        at.each_difference(state, |place, before, after| {
            let held = |value: Option<&Value>| SmallVec::from_slice(value.map_or(&[], Value::objects));
            let [before, after]: [Seen; 2] = [held(before), held(after)];
            if before == after {
                return;
            }
            for object in &before {
                if let Some(known) = places.get_mut(object)
                    && let Ok(index) = known.binary_search(place)
                {
                    known.remove(index);
                }
            }
            for object in &after {
                let known = places.entry(*object).or_default();
                let (Ok(index) | Err(index)) = known.binary_search(place);
                known.insert(index, place.clone());
            }
        });
        *at = state.clone();
    }

    /// The places that hold an object, in order.
    fn of(&self, object: ObjectId) -> &[Place] {
        self.places.get(&object).map_or(&[], SmallVec::as_slice)
    }
}

/// One look for what holds an object.
struct Search<'f> {
    /// The frames whose names can still be read.
    frames: &'f [FrameId],
    seen: Seen,
}

impl Interpreter<'_> {
    /// What holds an object at the point reached, as far as the running code or the module can still name it.
    pub(super) fn holders(&mut self, object: ObjectId) -> Vec<Holder> {
        self.look_at_places();
        self.holders_among(object, &self.frames_in_sight())
    }

    /// Takes in which places hold what at the point reached, before it is asked what holds some objects.
    fn look_at_places(&mut self) {
        self.holding.follow(&self.state);
        let looked = self.state.places_held() / WORK_PER_STEP;
        self.spend(u32::try_from(looked).unwrap_or(u32::MAX));
    }

    fn holders_among(&self, object: ObjectId, frames: &[FrameId]) -> Vec<Holder> {
        let mut search = Search { frames, seen: Seen::new() };
        let mut found = Vec::new();
        self.add_holders(object, &mut search, &mut found);
        found
    }

    fn add_holders(&self, object: ObjectId, search: &mut Search<'_>, found: &mut Vec<Holder>) {
        if search.seen.contains(&object) || search.seen.len() > DEEPEST || found.len() >= MOST_HOLDERS {
            return;
        }
        search.seen.push(object);
        for place in self.holding.of(object) {
            match place {
                Place::Variable(frame, name) if search.frames.contains(frame) => {
                    found.push(Holder { name: Rc::from(self.module.name(*name)), how: Holding::Bound });
                }
                Place::Attribute(owner, name) => {
                    let attribute = self.module.name(*name);
                    self.add_through(*owner, search, found, |owner| Holder {
                        name: Rc::from(format!("{}.{attribute}", owner.name)),
                        how: owner.how,
                    });
                }
                Place::Item(owner, _) | Place::Items(owner) => {
                    let collected = |owner: Holder| Holder { how: Holding::Collected, ..owner };
                    self.add_through(*owner, search, found, collected);
                }
                _ => {}
            }
        }
        for part in self.copied_parts(object) {
            self.add_holders(part, search, found);
        }
        for keeper in self.happenings.keepers(object) {
            let kept = |keeper: Holder| Holder { how: Holding::Kept, ..keeper };
            self.add_through(*keeper, search, found, kept);
        }
    }

    /// What holds the owner of an object holds the object.
    fn add_through(
        &self,
        owner: ObjectId,
        search: &mut Search<'_>,
        found: &mut Vec<Holder>,
        changed: impl Fn(Holder) -> Holder,
    ) {
        let mut holders = Vec::new();
        self.add_holders(owner, search, &mut holders);
        found.extend(holders.into_iter().map(changed));
    }

    /// The frames whose names the running code, or what it returns to, can still read.
    pub(super) fn frames_in_sight(&self) -> Vec<FrameId> {
        let mut frames = vec![FrameId(0)];
        for call in &self.calls {
            let mut current = Some(call.frame);
            while let Some(frame) = current.filter(|frame| !frames.contains(frame)) {
                frames.push(frame);
                current = self.frames.get(frame.0 as usize).and_then(|frame| frame.parent);
            }
        }
        frames
    }

    /// The noted objects that something holds now, with what holds them.
    pub(super) fn noted_alive(&mut self) -> Vec<(usize, Vec<Holder>)> {
        let objects: Vec<(usize, ObjectId)> = self.happenings.followed_objects().collect();
        if objects.is_empty() {
            return Vec::new();
        }
        self.look_at_places();
        let frames = self.frames_in_sight();
        let alive = objects.into_iter().map(|(noted, object)| (noted, self.holders_among(object, &frames)));
        alive.filter(|(_, held_by)| !held_by.is_empty()).collect()
    }

    /// A place that held something gets something else, or nothing.
    pub(super) fn note_release(&mut self, held: Option<Value>, value: Option<&Value>) {
        let (Some(held), Some(stmt)) = (held, self.statement) else { return };
        if self.happenings.noted.is_empty() {
            return;
        }
        let [object] = held.objects() else { return };
        if self.happenings.maker(*object).is_none()
            || value.is_some_and(|value| value.objects().contains(object))
        {
            return;
        }
        let held_by = self.holders(*object);
        let deleted = value.is_none_or(Value::is_none);
        self.occur_at(stmt, *object, Action::Released { deleted, held_by });
    }

    fn occur_at(&mut self, stmt: StmtId, object: ObjectId, action: Action) {
        self.occur(Site::Stmt(stmt), object, Rc::from(""), action);
    }

    /// A noted object is read.
    pub(super) fn note_read(&mut self, value: &Value) {
        if self.happenings.noted.is_empty() {
            return;
        }
        for object in value.objects() {
            self.happenings.read(*object, self.steps);
        }
    }

    /// A statement of the module's top level is nothing but an expression: a notebook may show its value, and keep it.
    pub(super) fn note_shown(&mut self, expr: ExprId, value: &Value) {
        if self.calls.iter().any(|active| active.function.is_some()) || !self.loops.is_empty() {
            return;
        }
        let made = value.single_object().and_then(|object| self.happenings.maker(object));
        if made.is_some() || value.stored.places.may_be_gpu() {
            let carries_graph = !value.graph.is_empty();
            let whole = value.what == What::Output;
            self.record.shown.insert(expr, Shown { made, stored: value.stored, whole, carries_graph });
        }
    }

    /// A loop is entered: what is alive then may be alive all through it.
    pub(super) fn note_loop(&mut self, entered: LoopId) {
        if !self.happenings.noted.is_empty() && !self.is_elsewhere() {
            let alive = self.noted_alive();
            self.happenings.alive_in(entered, alive);
        }
    }

    /// A loop goes on with its next iteration: what was made in this one has been made, and something may hold it.
    pub(super) fn note_next_iteration(&mut self, id: LoopId) {
        if self.is_elsewhere() {
            return;
        }
        let made: Vec<(usize, ObjectId)> = self
            .happenings
            .followed_objects()
            .filter(|(noted, object)| {
                let moment = self.happenings.noted.get(*noted).map(|noted| &noted.moment);
                moment.is_some_and(|moment| moment.last().is_some_and(|(innermost, _)| *innermost == id))
                    && self.state.has_history(*object)
            })
            .collect();
        if made.is_empty() {
            return;
        }
        self.look_at_places();
        let frames = self.frames_in_sight();
        for (noted, object) in made {
            let held_by = self.holders_among(object, &frames);
            if let Some(noted) = self.happenings.noted.get_mut(noted) {
                noted.next_iteration = Some(held_by);
            }
        }
    }
}
