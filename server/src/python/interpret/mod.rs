//! Follows values through a module: an abstract interpreter over the lowered tree.
//!
//! It runs the module's body, then whatever nothing has called yet, as somebody else would call it. A call
//! of the module's own code is followed into it, so that a function runs in its callers' grad mode with
//! their values. Loops run to a fixpoint; recursion and an exhausted budget give unknown. Budgets count
//! steps, never time, so that the same text always gives the same result.

mod arguments;
mod assign;
mod builtins;
mod calls;
mod classes;
mod collections;
mod conditions;
mod decorators;
mod displays;
mod entries;
mod expressions;
mod forward;
mod functions;
mod growing;
mod holding;
mod hooks;
mod lasting;
mod library;
mod loaded;
mod logits;
mod loops;
mod modules;
mod names;
mod noted;
mod noted_names;
mod objects;
mod options;
mod process;
mod recording;
mod residents;
mod running;
mod stashes;
mod statements;
mod storage;
mod tensors;
mod texts;
mod units;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::knowledge::objects::offloading_methods;
use crate::knowledge::{CallEffect, Knowledge, ProcessEffect, Role};
use crate::python::graph::{Graph, LoopId, Moment};
use crate::python::happenings::Happenings;
use crate::python::interpret::holding::HoldingPlaces;
use crate::python::interpret::logits::LanguageModels;
use crate::python::interpret::noted_names::NotedNames;
use crate::python::interpret::running::{Activation, Condition, OpenLoop};
use crate::python::record::Record;
use crate::python::scopes::{Scope, Scopes};
use crate::python::state::{GradMode, State};
use crate::python::syntax::linked::UnitId;
use crate::python::syntax::{ClassId, ExprId, FunctionId, Module, StmtId, StmtKind, Symbol};
use crate::python::units::{Callers, OutgoingCall};
use crate::python::usage::{Path, Usages};
use crate::python::value::{Closure, Frame, FrameId, Key, Object, ObjectId, Value};

/// Expressions and statements evaluated in one module before the rest of it is unknown.
const MOST_STEPS: u32 = 1_500_000;
/// Steps that one entry may take, so that one tangled function does not use up the others' share.
const MOST_STEPS_PER_ENTRY: u32 = 200_000;
/// Steps that one entry may take in other files' code. They come on top of its own: what a file imports takes nothing
/// from what is said of the file itself.
const MOST_STEPS_ELSEWHERE: u32 = 5_000;
/// Steps that all entries together may take there.
const MOST_STEPS_ELSEWHERE_IN_ALL: u32 = 40_000;
/// Places and graph nodes joined that count as one step.
const WORK_PER_STEP: usize = 64;
/// Calls followed into each other.
const MOST_CALLS: usize = 10;
/// Passes over a loop's body; the lattice is low, so that nearly all loops are stable after two.
const MOST_PASSES: u32 = 4;

/// What following the values of a module yields.
pub(super) struct Outcome {
    /// Every graph the program records.
    pub graph: Graph,
    /// What happened to them.
    pub record: Record,
    /// What happened to the things that libraries make, and to the process.
    pub happenings: Happenings,
    /// The module's scopes.
    pub scopes: Scopes,
    /// How its things are used.
    pub usages: Usages,
    /// The calls of functions of other files, each once.
    pub outgoing: Vec<OutgoingCall>,
    /// Whether the budget ran out.
    pub exhausted: bool,
}

/// Follows the values of a module whose functions other files call like this.
pub(super) fn follow(module: &Module, callers: &BTreeMap<String, Callers>) -> Outcome {
    let (scopes, usages) = Usages::read(module);
    let mut interpreter = Interpreter::new(module, scopes, usages);
    interpreter.callers = callers.clone();
    if !interpreter.belongs_to_another_framework() {
        interpreter.run();
    }
    let outgoing = interpreter.outgoing_calls();
    Outcome {
        graph: interpreter.graph,
        record: interpreter.record,
        happenings: interpreter.happenings,
        scopes: interpreter.scopes,
        usages: interpreter.usages,
        outgoing,
        exhausted: interpreter.exhausted,
    }
}

/// A place in the text that makes something: an expression or a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Site {
    /// An expression.
    Expr(ExprId),
    /// A statement.
    Stmt(StmtId),
}

impl Site {
    fn number(self) -> u32 {
        match self {
            Site::Expr(expr) => expr.0 << 1,
            Site::Stmt(stmt) => (stmt.0 << 1) | 1,
        }
    }
}

/// A calling context: how the code that runs was reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Context(u32);

/// What a class of the module is built on and where it was defined.
struct ClassFacts {
    frame: FrameId,
    bases: Vec<Value>,
}

/// What the tables say of a library path that is called.
#[derive(Clone, Copy)]
struct CalledPath {
    effect: Option<CallEffect>,
    role: Option<Role>,
    process: Option<ProcessEffect>,
}

impl CalledPath {
    /// Whether no table knows it.
    fn is_unknown(self) -> bool {
        self.effect.is_none() && self.role.is_none() && self.process.is_none()
    }
}

struct Interpreter<'a> {
    module: &'a Module,
    scopes: Scopes,
    usages: Usages,
    knowledge: &'static Knowledge,
    has_star_import: bool,
    /// How other files call the functions of this one.
    callers: BTreeMap<String, Callers>,
    outgoing: FxHashSet<(FunctionId, bool)>,
    /// The frames of the other files' top levels, once they have begun to run.
    unit_frames: FxHashMap<UnitId, FrameId>,
    graph: Graph,
    record: Record,
    happenings: Happenings,
    /// The places that hold each object.
    holding: HoldingPlaces,
    /// What the tables say of the library paths that were called, for which they are searched once.
    called_paths: FxHashMap<Rc<str>, CalledPath>,
    /// The methods and the arguments that calls are noted by, as far as the module mentions them.
    noted_names: NotedNames,
    language_models: LanguageModels,
    objects: Vec<Object>,
    /// How many of the objects were made by the module's own run.
    made_by_module: usize,
    object_ids: FxHashMap<(u32, Context, u8), ObjectId>,
    named_objects: FxHashMap<(Path, FrameId), ObjectId>,
    parts: FxHashMap<(ObjectId, Symbol), ObjectId>,
    /// The parts of what was read back, by key.
    loaded_parts: FxHashMap<(ObjectId, Option<Key>), ObjectId>,
    /// What was read back, or a part of it, that was copied into a module or an optimizer.
    copied: FxHashSet<ObjectId>,
    frames: Vec<Frame>,
    frame_ids: FxHashMap<(Scope, Context), FrameId>,
    contexts: FxHashMap<(Context, ExprId), Context>,
    loop_ids: FxHashMap<(u32, Context), LoopId>,
    classes: FxHashMap<ClassId, ClassFacts>,
    /// The grad mode that a function's decorators set.
    decorated: FxHashMap<FunctionId, GradMode>,
    properties: FxHashSet<FunctionId>,
    /// What a function's own decorators make of it.
    wrapped: FxHashMap<FunctionId, Closure>,
    /// Generators that are used as context managers.
    managers: FxHashSet<FunctionId>,
    /// Instances that code elsewhere may hold, too.
    shared: FxHashSet<ObjectId>,
    followed: FxHashSet<FunctionId>,
    calls: Vec<Activation>,
    loops: Vec<OpenLoop>,
    moment: Moment,
    state: State,
    /// The conditions under way that may turn out either way.
    conditions: Vec<Condition>,
    /// The statement under way.
    statement: Option<StmtId>,
    /// What switches gradients on around the code under way, the outermost first.
    switched_on: Vec<ExprId>,
    /// How many `try` statements are under way.
    guarded: usize,
    /// Whether the point reached can be reached at all.
    live: bool,
    steps: u32,
    /// How many functions of other files are under way.
    elsewhere: usize,
    /// Steps that the entry has taken in other files' code.
    steps_elsewhere: u32,
    steps_elsewhere_in_all: u32,
    entry_limit: u32,
    exhausted: bool,
}

impl<'a> Interpreter<'a> {
    fn new(module: &'a Module, scopes: Scopes, usages: Usages) -> Self {
        Self {
            noted_names: NotedNames::read(module),
            language_models: LanguageModels::read(module),
            module,
            scopes,
            usages,
            knowledge: Knowledge::tables(),
            has_star_import: has_star_import(module),
            callers: BTreeMap::new(),
            outgoing: FxHashSet::default(),
            unit_frames: FxHashMap::default(),
            graph: Graph::default(),
            record: Record::default(),
            happenings: Happenings::default(),
            holding: HoldingPlaces::default(),
            called_paths: FxHashMap::default(),
            objects: Vec::new(),
            made_by_module: 0,
            object_ids: FxHashMap::default(),
            named_objects: FxHashMap::default(),
            parts: FxHashMap::default(),
            loaded_parts: FxHashMap::default(),
            copied: FxHashSet::default(),
            frames: vec![Frame { scope: Scope::Module, parent: None }],
            frame_ids: FxHashMap::default(),
            contexts: FxHashMap::default(),
            loop_ids: FxHashMap::default(),
            classes: FxHashMap::default(),
            decorated: FxHashMap::default(),
            properties: FxHashSet::default(),
            wrapped: FxHashMap::default(),
            managers: FxHashSet::default(),
            shared: FxHashSet::default(),
            followed: FxHashSet::default(),
            calls: Vec::new(),
            loops: Vec::new(),
            moment: Rc::new([]),
            state: State::default(),
            conditions: Vec::new(),
            statement: None,
            switched_on: Vec::new(),
            guarded: 0,
            live: true,
            steps: 0,
            elsewhere: 0,
            steps_elsewhere: 0,
            steps_elsewhere_in_all: 0,
            entry_limit: 0,
            exhausted: false,
        }
    }

    /// What the tables say of a library path that is called.
    fn called_path(&mut self, path: &Rc<str>) -> CalledPath {
        if let Some(known) = self.called_paths.get(path) {
            return *known;
        }
        let said = CalledPath {
            effect: self.knowledge.call(path),
            role: self.knowledge.role(path).or_else(|| self.offloaded_pipeline(path)),
            process: self.knowledge.process(path),
        };
        self.called_paths.insert(path.clone(), said);
        said
    }

    /// The role of a pipeline whose class is in another file: it is called a pipeline, and something here is offloaded
    /// as only those of diffusers can be.
    fn offloaded_pipeline(&self, path: &str) -> Option<Role> {
        let named = path.strip_suffix(".from_pretrained").unwrap_or(path);
        let offloads = || offloading_methods().any(|method| self.module.mentions(method));
        let is_one = named.ends_with("Pipeline") && self.knowledge.call(path).is_none() && offloads();
        is_one.then_some(Role::DiffusionPipeline)
    }

    /// Counts a step; false when the budget is spent.
    fn step(&mut self) -> bool {
        if self.steps >= self.entry_limit {
            self.exhausted = true;
            return false;
        }
        self.spend(1);
        true
    }

    /// Counts what joining states took as steps.
    fn count_joins(&mut self) {
        let work = std::mem::take(&mut self.state.work) / WORK_PER_STEP;
        self.spend(u32::try_from(work).unwrap_or(u32::MAX));
    }

    /// Takes steps: from the budget for other files' code while that runs, as long as it lasts.
    fn spend(&mut self, steps: u32) {
        self.steps = self.steps.saturating_add(steps);
        if self.elsewhere > 0 {
            let given = steps.min(MOST_STEPS_ELSEWHERE.saturating_sub(self.steps_elsewhere));
            self.steps_elsewhere += given;
            self.steps_elsewhere_in_all += given;
            self.entry_limit = self.entry_limit.saturating_add(given);
        }
    }

    fn frame(&self) -> FrameId {
        self.calls.last().map_or(FrameId(0), |call| call.frame)
    }

    fn context(&self) -> Context {
        self.calls.last().map_or(Context(0), |call| call.context)
    }

    /// The scope whose code runs.
    fn scope(&self) -> Scope {
        self.frame_scope(self.frame())
    }

    fn frame_scope(&self, frame: FrameId) -> Scope {
        self.frames.get(frame.0 as usize).map_or(Scope::Module, |frame| frame.scope)
    }

    /// Whether the file is written for a framework without PyTorch's graphs and does not use PyTorch.
    fn belongs_to_another_framework(&self) -> bool {
        let imported: Vec<&str> = imported_modules(self.module).collect();
        imported.iter().any(|name| self.knowledge.is_other_framework(name)) && !imported.contains(&"torch")
    }

    /// Takes the state of the way just followed, if it goes on.
    fn take_way(&mut self) -> Option<State> {
        std::mem::replace(&mut self.live, false).then(|| self.state.clone())
    }

    /// Goes on from a state, or nowhere.
    fn resume(&mut self, way: Option<State>) {
        self.live = way.is_some();
        if let Some(state) = way {
            self.state = state;
            self.count_joins();
        }
    }

    fn refresh_moment(&mut self) {
        self.moment = self.loops.iter().map(|open| (open.id, open.pass)).collect();
    }
}

/// Whether names may come from `from module import *`.
pub(super) fn has_star_import(module: &Module) -> bool {
    module.stmts().any(|(_, stmt)| matches!(&stmt.kind, StmtKind::ImportFrom(import) if import.star))
}

/// The top-level modules that a module imports anywhere.
fn imported_modules(module: &Module) -> impl Iterator<Item = &str> {
    let first = |path: &'_ str| path.split('.').next().map(str::len);
    module.stmts().flat_map(move |(_, stmt)| -> Vec<&str> {
        match &stmt.kind {
            StmtKind::Import(modules) => {
                modules.iter().filter_map(|imported| imported.path.get(..first(&imported.path)?)).collect()
            }
            StmtKind::ImportFrom(import) if import.level == 0 => {
                first(&import.module).and_then(|end| import.module.get(..end)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    })
}
