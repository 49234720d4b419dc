//! Running statements.

use std::rc::Rc;

use crate::knowledge::CallEffect;
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::{Condition, Interpreter, Site};
use crate::python::library_call::Way;
use crate::python::state::{GradMode, State, join_ways};
use crate::python::syntax::{
    Case, Constant, ExprId, ExprKind, Handler, ImportFrom, ImportedModule, StmtId, StmtKind, Symbol,
};
use crate::python::value::{Closure, Flag, ObjectId, ObjectKind, Place, Value, What};

impl Interpreter<'_> {
    pub(super) fn run_block(&mut self, block: &[StmtId]) {
        for stmt in block {
            if !self.live {
                return;
            }
            stacker::maybe_grow(128 * 1024, 1024 * 1024, || self.run_statement(*stmt));
        }
    }

    fn run_statement(&mut self, stmt: StmtId) {
        if !self.step() {
            self.live = false;
            return;
        }
        let outer = self.statement.replace(stmt);
        self.run_kind(stmt);
        self.statement = outer;
    }

    fn run_kind(&mut self, stmt: StmtId) {
        let module = self.module;
        match &module.stmt(stmt).kind {
            StmtKind::Pass | StmtKind::Global(_) | StmtKind::Nonlocal(_) => {}
            StmtKind::SetVariable(set) => self.set_by_command(stmt, set),
            StmtKind::Expr(expr) => {
                let value = self.eval(*expr);
                self.note_shown(*expr, &value);
            }
            StmtKind::Assign { targets, value } => {
                let assigned = self.eval(*value);
                self.note_tensor(*value, &assigned);
                targets.iter().for_each(|target| self.assign(*target, &assigned, stmt));
            }
            StmtKind::AugmentedAssign { target, op, value } => {
                self.augmented_assign(stmt, *target, *op, *value);
            }
            StmtKind::AnnotatedAssign { target, value, .. } => {
                if let Some(value) = value {
                    let value = self.eval(*value);
                    self.assign(*target, &value, stmt);
                }
            }
            StmtKind::Return(value) => {
                let value = value.map_or_else(none, |value| self.eval(value));
                self.return_value(&value);
            }
            StmtKind::Raise(values) => {
                values.iter().for_each(|value| {
                    self.eval(*value);
                });
                self.live = false;
            }
            StmtKind::Delete(targets) => targets.iter().for_each(|target| self.delete(*target)),
            StmtKind::Break => {
                self.leave_switches(self.loops.len());
                let way = self.take_way();
                if let Some(open) = self.loops.last_mut() {
                    open.breaks = join_ways(open.breaks.take(), way);
                }
            }
            StmtKind::Continue => {
                self.leave_switches(self.loops.len());
                let way = self.take_way();
                if let Some(open) = self.loops.last_mut() {
                    open.continues = join_ways(open.continues.take(), way);
                }
            }
            StmtKind::Import(modules) => modules.iter().for_each(|imported| self.import(stmt, imported)),
            StmtKind::ImportFrom(import) => self.import_from(stmt, import),
            StmtKind::Assert { test, message } => {
                self.eval(*test);
                self.assume(*test, true);
                message.iter().for_each(|message| {
                    self.eval(*message);
                });
            }
            StmtKind::If { test, body, orelse } => {
                self.branch(*test, |it| it.run_block(body), |it| it.run_block(orelse));
            }
            StmtKind::While { test, body, orelse } => self.run_while(Site::Stmt(stmt), *test, body, orelse),
            StmtKind::For { target, iterable, body, orelse, .. } => {
                self.run_for(stmt, *target, *iterable, body);
                self.run_block(orelse);
            }
            StmtKind::With { items, body, .. } => self.run_with(stmt, items, body),
            StmtKind::Try { body, handlers, orelse, finally } => {
                self.run_try(body, handlers, orelse, finally);
            }
            StmtKind::Match { subject, cases } => self.run_match(*subject, cases),
            StmtKind::Function(function) => {
                let value = self.define(*function);
                self.set_name(module.function(*function).name, value);
            }
            StmtKind::Class(class) => {
                let value = self.define_class(*class);
                self.set_name(module.class(*class).name, value);
            }
        }
    }

    /// Follows both ways of a condition that is not certain.
    pub(super) fn branch(
        &mut self,
        test: ExprId,
        then: impl FnOnce(&mut Self),
        orelse: impl FnOnce(&mut Self),
    ) {
        let truth = self.eval(test).truth();
        let before = self.state.clone();
        let mut after = None;
        let outside = self.enter_condition(truth.is_none(), false);
        if truth != Some(false) {
            self.assume(test, true);
            then(self);
            after = self.take_way();
        }
        if truth != Some(true) {
            self.resume(Some(before));
            self.assume(test, false);
            orelse(self);
            after = join_ways(after, self.take_way());
        }
        self.conditions.truncate(outside);
        self.resume(after);
    }

    /// What follows is reached on some ways only, until as many conditions are under way as this returns.
    pub(super) fn enter_condition(&mut self, open: bool, handling: bool) -> usize {
        let outside = self.conditions.len();
        if open {
            self.conditions.push(Condition { loops: self.loops.len(), handling });
        }
        outside
    }

    /// What decides whether the point reached is reached.
    pub(super) fn way_here(&self) -> Way {
        let innermost = self.loops.len();
        let inside = |condition: &&Condition| condition.loops >= innermost;
        let went_on = self.loops.last().is_some_and(|open| open.continues.is_some());
        let inner_calls = self.calls.iter().filter(|call| call.loops >= innermost);
        let returned = inner_calls.filter(|call| call.call.is_some()).any(|call| call.returned.is_some());
        Way {
            conditional: went_on || returned || self.conditions.iter().any(|condition| inside(&condition)),
            handling: self.conditions.iter().any(|condition| condition.handling),
        }
    }

    /// Goes back to the grad mode outside the `with` blocks that began since this many loops were open.
    fn leave_switches(&mut self, loops: usize) {
        let left = self.calls.last().and_then(|call| call.switches.iter().find(|(open, _)| *open >= loops));
        if let Some((_, before)) = left {
            self.state.grad = *before;
        }
    }

    fn return_value(&mut self, value: &Value) {
        self.leave_switches(0);
        let way = self.take_way();
        let Some(activation) = self.calls.last_mut() else { return };
        activation.returned = join_ways(activation.returned.take(), way);
        activation.result =
            Some(activation.result.take().map_or_else(|| value.clone(), |old| old.join(value)));
    }

    fn run_with(&mut self, stmt: StmtId, items: &[(ExprId, Option<ExprId>)], body: &[StmtId]) {
        let before = self.state.grad;
        let mut switch = None;
        for (context, target) in items {
            let entered = self.eval(*context);
            if self.expects_failure(*context) {
                self.record.meant_to_fail.insert(self.module.stmt(stmt).span);
            }
            let (mode, bound) = self.entered(*context, &entered);
            if let Some(mode) = mode.or_else(|| self.may_switch(*context)) {
                self.state.grad = mode;
                switch = Some(*context);
            }
            if let Some(target) = target {
                self.assign(*target, &bound, stmt);
            }
        }
        if switch.is_none() {
            self.run_block(body);
            return;
        }
        let loops = self.loops.len();
        if let Some(activation) = self.calls.last_mut() {
            activation.switches.push((loops, before));
        }
        let outside = self.switched_on.len();
        if self.state.grad == GradMode::On {
            self.switched_on.extend(switch);
        }
        self.run_block(body);
        self.switched_on.truncate(outside);
        if let Some(activation) = self.calls.last_mut() {
            activation.switches.pop();
        }
        self.state.grad = before;
    }

    /// The path of the library's function that a context manager is a call of.
    fn path_of_context(&mut self, context: ExprId) -> Option<Rc<str>> {
        let ExprKind::Call { callee, .. } = &self.module.expr(context).kind else { return None };
        match self.eval(*callee).what {
            What::Library(path) => Some(path),
            _ => None,
        }
    }

    /// Whether a context manager is put around code that is meant to fail.
    fn expects_failure(&mut self, context: ExprId) -> bool {
        let path = self.path_of_context(context);
        path.is_some_and(|path| self.knowledge.call(&path) == Some(CallEffect::ExpectsFailure))
    }

    /// A context manager of another file whose name speaks of gradients or evaluation may switch them.
    fn may_switch(&mut self, context: ExprId) -> Option<GradMode> {
        let path = self.path_of_context(context)?;
        let speaks = ["grad", "eval", "infer"].iter().any(|word| path.to_lowercase().contains(word));
        (speaks && self.knowledge.call(&path).is_none()).then_some(GradMode::Unknown)
    }

    /// The `__enter__` of an instance of one of the module's classes.
    fn own_enter(&self, object: ObjectId) -> Option<Closure> {
        let ObjectKind::Instance(class) = self.object(object)?.kind else { return None };
        let method = self.method_of(class, self.module.symbol("__enter__")?)?;
        Some(self.bound(method, object))
    }

    /// The grad mode that entering a context manager sets, and what `as` binds.
    fn entered(&mut self, context: ExprId, manager: &Value) -> (Option<GradMode>, Value) {
        if let What::GradientSwitch(to) = manager.what {
            return (Some(GradMode::switched(to)), Value::default());
        }
        let Some(object) = manager.single_object() else { return (None, manager.clone()) };
        if let Some(switch) = self.state.flag(object, Flag::Switch) {
            let mode = match switch.what {
                What::GradientSwitch(to) => GradMode::switched(to),
                _ => GradMode::Unknown,
            };
            let bound = self.state.get(&Place::Items(object)).cloned().unwrap_or_default();
            return (Some(mode), bound);
        }
        if let Some(ObjectKind::Instance(class)) = self.object(object).map(|object| &object.kind) {
            let bases = self.base_paths(*class);
            let off = |path: &String| self.knowledge.call(path) == Some(CallEffect::GradOff);
            if bases.iter().flatten().any(off) {
                return (Some(GradMode::Off), manager.clone());
            }
        }
        if let Some(enter) = self.own_enter(object) {
            let before = self.state.grad;
            let bound = self.call_closure(context, enter, &Arguments::default());
            return ((self.state.grad != before).then_some(self.state.grad), bound);
        }
        // What an exit stack enters is left when the block ends.
        let stacks = self.object(object).is_some_and(|object| object.kind == ObjectKind::ExitStack);
        (stacks.then_some(self.state.grad), manager.clone())
    }

    fn run_try(&mut self, body: &[StmtId], handlers: &[Handler], orelse: &[StmtId], finally: &[StmtId]) {
        let before = self.state.clone();
        self.guarded += 1;
        self.run_block(body);
        let interrupted = if self.live { before.join(&self.state) } else { before };
        self.run_block(orelse);
        let mut after = self.take_way();
        for handler in handlers {
            self.resume(Some(interrupted.clone()));
            let outside = self.enter_condition(true, true);
            if let Some(kind) = handler.kind {
                self.note_caught(kind);
            }
            if let Some(name) = handler.name {
                self.set_name(name, Value::default());
            }
            self.run_block(&handler.body);
            self.conditions.truncate(outside);
            after = join_ways(after, self.take_way());
        }
        self.guarded -= 1;
        let ended = after.is_none();
        self.resume(after.or_else(|| (!finally.is_empty()).then_some(interrupted)));
        self.run_block(finally);
        self.live &= !ended;
    }

    fn run_match(&mut self, subject: ExprId, cases: &[Case]) {
        let subject = self.eval(subject);
        let mut after: Option<State> = None;
        let before = self.state.clone();
        let outside = self.enter_condition(true, false);
        for case in cases {
            self.resume(Some(before.clone()));
            for name in &case.names {
                self.set_name(*name, Value { what: What::Unknown, ..subject.clone() });
            }
            case.guard.iter().for_each(|guard| {
                self.eval(*guard);
            });
            self.run_block(&case.body);
            after = join_ways(after, self.take_way());
        }
        self.conditions.truncate(outside);
        self.resume(join_ways(after, Some(before)));
    }

    fn import(&mut self, stmt: StmtId, imported: &ImportedModule) {
        self.note_import(stmt, &imported.path);
        if let Some(alias) = imported.alias
            && let Some(namespace) = self.namespace(&imported.path)
        {
            self.set_name(alias, namespace);
            return;
        }
        let first = imported.path.split('.').next().unwrap_or_default();
        let (name, path) = match imported.alias {
            Some(alias) => (Some(alias), imported.path.as_str()),
            None => (self.module.symbol(first), first),
        };
        if let Some(name) = name {
            let value = self.namespace(path).unwrap_or_else(|| Value::library(path));
            self.set_name(name, value);
        }
    }

    fn import_from(&mut self, stmt: StmtId, import: &ImportFrom) {
        self.note_import(stmt, &import.spelled());
        if import.star {
            self.import_all(import);
        }
        for (name, alias) in &import.names {
            if let Some(value) = self.imported(import, *name) {
                self.set_name(alias.unwrap_or(*name), value);
                continue;
            }
            let own = ".".repeat(import.level as usize);
            let name_text = self.module.name(*name);
            let path = if import.module.is_empty() {
                format!("{own}{name_text}")
            } else {
                format!("{own}{}.{name_text}", import.module)
            };
            self.set_name(alias.unwrap_or(*name), Value::library(&path));
        }
    }

    /// Binds a name in the scope that the running code writes it to.
    pub(super) fn set_name(&mut self, name: Symbol, value: Value) {
        let place = Place::Variable(self.home_frame(name), name);
        self.put(place, value);
    }
}

/// The value of a function that returns nothing.
pub(super) fn none() -> Value {
    Value::constant(Constant::None)
}
