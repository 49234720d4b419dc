//! Other files of the workspace: running what is linked of them, and telling what they do in terms of the document.

use vramlens_grammars::Span;

use crate::python::interpret::{Activation, Context, Interpreter, MOST_STEPS, Site};
use crate::python::link::submodule;
use crate::python::scopes::Scope;
use crate::python::state::GradMode;
use crate::python::syntax::linked::{Importer, UnitId};
use crate::python::syntax::{ExprId, FunctionId, ImportFrom, Symbol};
use crate::python::units::OutgoingCall;
use crate::python::value::{FrameId, Place, Value, What};

impl Interpreter<'_> {
    /// Runs what is linked of other files, each once, as if the document imported all of them first: what an import
    /// binds is then the same wherever it stands.
    pub(super) fn run_units(&mut self) {
        let Some(linked) = &self.module.linked else { return };
        self.allow();
        let process = self.state.process.clone();
        for id in (0..).map(UnitId).take(linked.units.len()) {
            self.run_unit(id);
        }
        self.calls.clear();
        self.state.process = process;
        self.state.grad = GradMode::On;
        self.live = true;
        self.exhausted &= self.steps >= MOST_STEPS;
    }

    /// The packages that are imported with the file that an import leads to.
    pub(super) fn packages_behind(&self, spelled: &str) -> Option<&[String]> {
        let unit = self.module.linked.as_ref()?.unit(self.target(spelled)?)?;
        Some(&unit.packages)
    }

    /// The frame of a file's top level, which is run if it was not yet. One that is still running, because files import
    /// each other, has what it has so far.
    fn run_unit(&mut self, id: UnitId) -> FrameId {
        if let Some(frame) = self.unit_frames.get(&id) {
            return *frame;
        }
        let frame = self.frame_of(Scope::Unit(id), Context(0), None);
        self.unit_frames.insert(id, frame);
        let module = self.module;
        let Some(unit) = module.linked.as_ref().and_then(|linked| linked.unit(id)) else { return frame };
        self.calls.push(Activation {
            clock: self.steps,
            loops: self.loops.len(),
            ..Activation::new(frame, Context(0))
        });
        self.run_block(&unit.body);
        self.calls.pop();
        self.live = true;
        frame
    }

    /// The file whose code runs.
    fn importer(&self) -> Importer {
        match self.scopes.root(self.scope()) {
            Scope::Unit(id) => Some(id),
            _ => None,
        }
    }

    fn target(&self, spelled: &str) -> Option<UnitId> {
        self.module.linked.as_ref()?.target(self.importer(), spelled)
    }

    /// The file that a dotted path leads to, imported as a module.
    pub(super) fn namespace(&mut self, spelled: &str) -> Option<Value> {
        let id = self.target(spelled)?;
        self.run_unit(id);
        Some(Value::plain(What::Namespace(id)))
    }

    /// What `from module import name` binds, if it leads to a file of the workspace that says so.
    pub(super) fn imported(&mut self, import: &ImportFrom, name: Symbol) -> Option<Value> {
        self.module.linked.as_ref()?;
        let spelled = import.spelled();
        let value = self.target(&spelled).and_then(|id| self.value_in(id, name));
        value.or_else(|| self.namespace(&submodule(&spelled, self.module.name(name))))
    }

    /// What a file binds to a name. What cannot be told from outside is better learnt from how the document uses it.
    fn value_in(&mut self, id: UnitId, name: Symbol) -> Option<Value> {
        let frame = self.run_unit(id);
        let value = self.state.get(&Place::Variable(frame, name))?.clone();
        let is_open = match &value.what {
            What::Unknown => true,
            What::Class(class, _) => self.base_paths(*class).contains(&None),
            _ => false,
        };
        (!is_open).then_some(value)
    }

    /// `from module import *` of a file of the workspace.
    pub(super) fn import_all(&mut self, import: &ImportFrom) {
        let Some(id) = self.target(&import.spelled()) else { return };
        let frame = self.run_unit(id);
        for name in self.state.variables(frame) {
            if !self.module.name(name).starts_with('_')
                && let Some(value) = self.value_in(id, name)
            {
                self.set_name(name, value);
            }
        }
    }

    /// An attribute of a file imported as a module.
    pub(super) fn namespace_attribute(&mut self, id: UnitId, name: Symbol) -> Value {
        if let Some(value) = self.value_in(id, name) {
            return value;
        }
        let importer = self.importer();
        let imports = self.module.linked.iter().flat_map(|linked| &linked.imports);
        let spelled = imports.filter(|((from, _), to)| *from == importer && **to == id);
        let Some(spelled) = spelled.map(|((_, spelled), _)| spelled).min() else { return Value::default() };
        let part = submodule(spelled, self.module.name(name));
        self.namespace(&part).unwrap_or_else(|| Value::library(&part))
    }

    /// An attribute of a file imported as a module is set.
    pub(super) fn set_namespace_attribute(&mut self, id: UnitId, name: Symbol, value: &Value) {
        let frame = self.run_unit(id);
        self.put(Place::Variable(frame, name), value.clone());
    }

    /// Whether the code that runs is that of another file.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.module.linked.is_some() && self.importer().is_some()
    }

    /// The call in the document's own code that other files' code runs for.
    pub(super) fn own_call(&self) -> Option<ExprId> {
        self.calls.iter().rev().find_map(|active| active.call.filter(|call| self.module.is_own_expr(*call)))
    }

    /// Where something that happens is told: where it does, or at the document's call of other files' code.
    pub(super) fn told_at(&self, site: Site) -> Option<Site> {
        let is_own = match site {
            Site::Expr(expr) => self.module.is_own_expr(expr),
            Site::Stmt(stmt) => self.module.is_own_stmt(stmt),
        };
        if is_own { Some(site) } else { self.own_call().map(Site::Expr) }
    }

    /// The bytes of an expression, or of the document's call of other files' code that it stands in.
    pub(super) fn told_span(&self, expr: ExprId) -> Span {
        let told = if self.module.is_own_expr(expr) { None } else { self.own_call() };
        self.module.expr(told.unwrap_or(expr)).span
    }

    /// Notes that a function is called, if another file defines it.
    pub(super) fn note_outgoing(&mut self, function: FunctionId) {
        if !self.module.is_own_function(function) {
            self.outgoing.insert((function, self.state.grad == GradMode::Off));
        }
    }

    /// The calls of functions of other files, each once.
    pub(super) fn outgoing_calls(&self) -> Vec<OutgoingCall> {
        let mut calls: Vec<(FunctionId, bool)> = self.outgoing.iter().copied().collect();
        calls.sort_unstable();
        let outgoing = |(function, without_gradients)| {
            let Scope::Unit(id) = self.scopes.root(Scope::Function(function)) else { return None };
            let unit = self.module.linked.as_ref()?.unit(id)?.name.clone();
            Some(OutgoingCall { unit, function: self.qualified_name(function)?, without_gradients })
        };
        calls.into_iter().filter_map(outgoing).collect()
    }

    /// The name of a function of a file's top level, or of a method of a class there: `Meter.update`.
    pub(super) fn qualified_name(&self, function: FunctionId) -> Option<String> {
        let name = self.module.name(self.module.function(function).name);
        match self.scopes.parent(Scope::Function(function))? {
            Scope::Module | Scope::Unit(_) => Some(name.to_owned()),
            Scope::Class(class) => match self.scopes.parent(Scope::Class(class))? {
                Scope::Module | Scope::Unit(_) => {
                    Some(format!("{}.{name}", self.module.name(self.module.class(class).name)))
                }
                _ => None,
            },
            Scope::Function(_) => None,
        }
    }

    /// The grad mode that a function runs in when only other files call it.
    pub(super) fn grad_of_callers(&self, function: FunctionId) -> GradMode {
        let callers = self.qualified_name(function).and_then(|name| self.callers.get(&name));
        match callers {
            Some(callers) if callers.without_gradients && !callers.with_gradients => GradMode::Off,
            _ => GradMode::On,
        }
    }
}
