//! Calls of libraries that the tables name, what is done to what they make, and what happens to the process: as the
//! interpreter sees it.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use vramlens_grammars::Span;

use crate::knowledge::Role;
use crate::python::graph::{LoopId, Moment};
use crate::python::holding::Holder;
use crate::python::library_call::{Action, Arguments, Known, ProcessChange, Way};
use crate::python::state::GradMode;
use crate::python::syntax::{ExprId, FunctionId, StmtId};
use crate::python::value::ObjectId;

/// Objects of noted calls that are followed to what holds them. Real programs make a handful.
const MOST_FOLLOWED: usize = 24;

/// What has surely happened so far, to an object or to the process: numbers of events, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History(Rc<[u32]>);

impl History {
    /// The events, the oldest first.
    pub fn events(&self) -> &[u32] {
        &self.0
    }

    /// With one more event; one that has happened before has now happened last.
    #[must_use]
    pub fn with(&self, event: u32) -> Self {
        Self(self.0.iter().copied().filter(|earlier| *earlier != event).chain([event]).collect())
    }

    /// What has happened on both of two ways.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        if self == other {
            return self.clone();
        }
        Self(self.0.iter().copied().filter(|event| other.0.contains(event)).collect())
    }
}

/// A call that a table names, in one calling context.
#[derive(Clone, Debug)]
pub struct Noted {
    /// What it is for.
    pub role: Role,
    /// What is called.
    pub path: Rc<str>,
    /// The call.
    pub call: ExprId,
    /// What it is given.
    pub arguments: Arguments,
    /// For a method, or a thing that is called itself: the noted call that made what it belongs to, by its number.
    pub receiver: Option<usize>,
    /// What it makes.
    pub object: Option<ObjectId>,
    /// What has surely happened to the object by the end.
    pub end: Option<History>,
    /// The loops open when it is reached, outermost first.
    pub moment: Moment,
    /// The functions under way, outermost first.
    pub functions: Vec<FunctionId>,
    /// The calls of this module's own code under way, outermost first.
    pub calls: Vec<ExprId>,
    /// Whether operations are recorded for backward where it stands.
    pub grad: GradMode,
    /// What decides whether it is reached.
    pub way: Way,
    /// When it was last reached.
    pub reached: u32,
    /// What else was there then.
    pub beside: Vec<(usize, Vec<Holder>)>,
    /// What holds its object when the innermost loop goes on.
    pub next_iteration: Option<Vec<Holder>>,
    /// What holds its object at the end of the run that made it.
    pub at_end: Vec<Holder>,
}

/// Something that is done to what a noted call made.
#[derive(Clone, Debug)]
pub struct Occurrence {
    /// The noted call, by its number.
    pub noted: usize,
    /// What is done.
    pub action: Action,
    /// To which part of it.
    pub part: Rc<str>,
    /// The call or assignment.
    pub span: Span,
    /// The call.
    pub expr: Option<ExprId>,
    /// What has surely happened to the object before.
    pub before: History,
    /// When it is last done, in steps of the program.
    pub at: u32,
}

/// Something that happens to the process.
#[derive(Clone, Debug)]
pub struct Change {
    /// What.
    pub what: ProcessChange,
    /// The statement or call.
    pub span: Span,
    /// The statement it stands in.
    pub stmt: StmtId,
    /// What has surely happened to the process before.
    pub before: History,
}

/// Everything of the kind that happens in a program.
#[derive(Clone, Debug, Default)]
pub struct Happenings {
    /// The noted calls, in the order in which they are reached.
    pub noted: Vec<Noted>,
    /// What is done to what they make.
    pub occurrences: Vec<Occurrence>,
    /// What happens to the process.
    pub changes: Vec<Change>,
    /// The exception types that `except` clauses catch, by the expression that names them.
    pub caught: FxHashMap<ExprId, Known>,
    /// Calls of libraries in `try` statements.
    pub guarded_library_calls: FxHashSet<ExprId>,
    /// Objects that code elsewhere gets.
    pub left: FxHashSet<ObjectId>,
    /// Functions that answer requests.
    pub serving: FxHashSet<FunctionId>,
    /// Functions whose results are kept for the next call.
    pub caching: FxHashSet<FunctionId>,
    /// What holds the objects of noted calls when a loop is entered.
    pub alive: FxHashMap<(usize, LoopId), Vec<Holder>>,
    /// When an object was last read.
    pub reads: FxHashMap<ObjectId, u32>,
    /// What keeps an object: its pipeline, its optimizer.
    keepers: FxHashMap<ObjectId, Vec<ObjectId>>,
    numbers: FxHashMap<(ExprId, u32), usize>,
    makers: FxHashMap<ObjectId, usize>,
    /// What is followed of the objects that take memory by themselves.
    followed: Vec<(usize, ObjectId)>,
    occurrence_numbers: FxHashMap<(u32, u32, usize), u32>,
    change_numbers: FxHashMap<(u32, u32, u8), u32>,
}

impl Happenings {
    /// The noted call that made an object.
    pub fn maker(&self, object: ObjectId) -> Option<usize> {
        self.makers.get(&object).copied()
    }

    /// What keeps an object.
    pub fn keepers(&self, object: ObjectId) -> &[ObjectId] {
        self.keepers.get(&object).map(Vec::as_slice).unwrap_or_default()
    }

    /// One object keeps another.
    pub fn keep(&mut self, keeper: ObjectId, kept: ObjectId) {
        let keepers = self.keepers.entry(kept).or_default();
        if keeper != kept && !keepers.contains(&keeper) {
            keepers.push(keeper);
        }
    }

    /// The first objects that take memory by themselves, each with the noted call that made it.
    pub fn followed_objects(&self) -> impl Iterator<Item = (usize, ObjectId)> {
        self.followed.iter().copied()
    }

    /// An object is read.
    pub fn read(&mut self, object: ObjectId, clock: u32) {
        if self.makers.contains_key(&object) {
            self.reads.insert(object, clock);
        }
    }

    /// These objects are alive when a loop is entered.
    pub fn alive_in(&mut self, entered: LoopId, alive: Vec<(usize, Vec<Holder>)>) {
        self.alive.extend(alive.into_iter().map(|(noted, held_by)| ((noted, entered), held_by)));
    }

    /// Notes a call, or that it is reached again in the same context: what it is given then, it may be given, too.
    pub fn note(&mut self, context: u32, noted: Noted) -> usize {
        let next = self.noted.len();
        let number = *self.numbers.entry((noted.call, context)).or_insert(next);
        if let Some(object) = noted.object {
            self.makers.entry(object).or_insert(number);
        }
        if let Some(known) = self.noted.get_mut(number) {
            known.arguments.join(&noted.arguments);
            known.reached = noted.reached;
            known.way = noted.way;
            known.beside = noted.beside;
            return number;
        }
        let object = noted.object.filter(|_| noted.role.takes_memory());
        if let Some(object) = object.filter(|_| self.followed.len() < MOST_FOLLOWED) {
            self.followed.push((number, object));
        }
        self.noted.push(noted);
        number
    }

    /// Notes what is done to what a noted call made, and returns the number of that event.
    pub fn occur(&mut self, site: u32, context: u32, occurrence: Occurrence) -> u32 {
        let next = number(self.occurrences.len());
        let number = *self.occurrence_numbers.entry((site, context, occurrence.noted)).or_insert(next);
        match self.occurrences.get_mut(number as usize) {
            Some(known) => {
                known.before = known.before.join(&occurrence.before);
                known.at = occurrence.at;
            }
            None => self.occurrences.push(occurrence),
        }
        number
    }

    /// Whether an event of the process is this.
    pub fn is_change(&self, event: u32, what: &ProcessChange) -> bool {
        self.changes.get(event as usize).is_some_and(|change| change.what == *what)
    }

    /// Whether an event of the process is an import of PyTorch.
    pub fn is_import(&self, event: u32) -> bool {
        let what = self.changes.get(event as usize).map(|change| &change.what);
        matches!(what, Some(ProcessChange::ImportsTorch { .. }))
    }

    /// The first import of a package, where it imports PyTorch.
    pub fn import_of(&self, package: &str) -> Option<u32> {
        let is_import = |change: &Change| matches!(&change.what, ProcessChange::ImportsTorch { package: imported } if **imported == *package);
        self.changes.iter().position(is_import).map(number)
    }

    /// Notes what happens to the process, and returns the number of that event.
    pub fn change(&mut self, key: (u32, u32, u8), change: Change) -> u32 {
        let next = number(self.changes.len());
        let number = *self.change_numbers.entry(key).or_insert(next);
        match self.changes.get_mut(number as usize) {
            Some(known) => known.before = known.before.join(&change.before),
            None => self.changes.push(change),
        }
        number
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
