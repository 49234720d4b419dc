//! Where a program can be entered: the module's body, then whatever it never calls itself.

use rustc_hash::FxHashSet;

use crate::knowledge::{HookEffect, StepHook};
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::{Activation, Context, Interpreter, MOST_STEPS, MOST_STEPS_PER_ENTRY, Site};
use crate::python::scopes::Scope;
use crate::python::state::{GradMode, State};
use crate::python::storage::{Places, Size, Storage};
use crate::python::syntax::{ClassId, ExprKind, FunctionId, StmtId, Symbol};
use crate::python::value::{Closure, FrameId, Object, ObjectId, ObjectKind, Value};

/// A method that a framework calls again and again.
struct RepeatedHook {
    definition: StmtId,
    /// What the framework does with its result.
    effect: Option<HookEffect>,
    /// For one that is called for every batch: how.
    step: Option<&'static StepHook>,
}

impl RepeatedHook {
    /// What the framework gives it.
    fn given(&self) -> Arguments {
        if !self.step.is_some_and(|step| step.gets_batch) {
            return Arguments::default();
        }
        let stored = Storage::new(Places::GPU, Size::Data);
        Arguments::positional(vec![Value { stored, ..Value::default() }])
    }
}

impl Interpreter<'_> {
    /// Runs the module, then every function that nothing in it has called, as somebody else would call it.
    pub(super) fn run(&mut self) {
        self.run_units();
        self.allow();
        let body = self.module.body.clone();
        self.calls.push(Activation::new(FrameId(0), Context(0)));
        self.run_block(&body);
        self.note_end();
        self.calls.clear();
        self.loops.clear();
        self.refresh_moment();
        self.made_by_module = self.objects.len();
        let after = self.state.clone();
        let called = self.called_names();
        for first in [true, false] {
            for (id, function) in self.module.functions() {
                if called.contains(&function.name) != first && !self.followed.contains(&id) {
                    self.enter(id, &after);
                }
            }
        }
    }

    pub(super) fn allow(&mut self) {
        self.steps_elsewhere = 0;
        self.entry_limit = self.steps.saturating_add(MOST_STEPS_PER_ENTRY).min(MOST_STEPS);
    }

    /// Names that some call in the module mentions: their functions are better followed from there.
    fn called_names(&self) -> FxHashSet<Symbol> {
        let mut names = FxHashSet::default();
        for (_, expr) in self.module.exprs() {
            if let ExprKind::Call { callee, .. } = &expr.kind {
                match &self.module.expr(*callee).kind {
                    ExprKind::Name(name) | ExprKind::Attribute { name, .. } => {
                        names.insert(*name);
                    }
                    _ => {}
                }
            }
        }
        names
    }

    /// Calls a function as code elsewhere would, after the module was run.
    fn enter(&mut self, function: FunctionId, after: &State) {
        let class = self.scopes.class_of(function);
        let is_nested = matches!(self.scopes.parent(Scope::Function(function)), Some(Scope::Function(_)));
        if is_nested {
            // It is reached from the function around it or not at all.
            return;
        }
        self.allow();
        self.live = true;
        self.exhausted &= self.steps >= MOST_STEPS;
        self.state = after.clone();
        self.state.grad = GradMode::On;
        let receiver = class.map(|class| self.receiver_for(class));
        self.state.grad = self.grad_of_callers(function);
        let frame = class.and_then(|class| self.classes.get(&class)).map_or(FrameId(0), |facts| facts.frame);
        let plain = Closure { function, frame, receiver: None };
        let closure = self.wrapped.get(&function).copied().unwrap_or(plain);
        let closure = match receiver {
            Some(receiver) => self.bound(closure, receiver),
            None => closure,
        };
        if let Some(hook) = self.repeated_hook(function) {
            let stmt = hook.definition;
            self.record.step_hooks.extend(hook.step.map(|step| (function, step.epoch_end)));
            self.run_loop(Site::Stmt(stmt), |it| {
                it.note_hook(&hook);
                let result = it.activate(closure, Context(0), None, &hook.given());
                if hook.effect == Some(HookEffect::TrainsOnResult) {
                    it.backward_of_hook(stmt, &result);
                }
            });
        } else if let Some(stmt) = self.forward_of_module(function) {
            self.run_loop(Site::Stmt(stmt), |it| {
                it.note_calls_from_elsewhere(None);
                let result = it.activate(closure, Context(0), None, &Arguments::default());
                it.hand_back(&result);
            });
        } else {
            let result = self.activate(closure, Context(0), None, &Arguments::default());
            self.note_yielded(function, &result);
            self.hand_back(&result);
        }
        self.note_end();
        self.calls.clear();
        self.loops.clear();
        self.refresh_moment();
    }

    /// How a framework calls a method again and again, if it does.
    fn repeated_hook(&self, function: FunctionId) -> Option<RepeatedHook> {
        let class = self.scopes.class_of(function)?;
        let name = self.module.name(self.module.function(function).name);
        let bases = self.base_paths(class);
        let bases: Vec<&str> = bases.iter().flatten().map(String::as_str).collect();
        let effect = self.knowledge.repeated_hook(name, &bases);
        let step = self.knowledge.step_hook(name, &bases);
        if effect.is_none() && step.is_none() {
            return None;
        }
        Some(RepeatedHook { definition: self.scopes.definition_of(function)?, effect, step })
    }

    /// A hook is called for the batches of a loader.
    fn note_hook(&mut self, hook: &RepeatedHook) {
        if hook.step.is_some() {
            self.note_data();
            self.note_batches();
        }
    }

    /// The definition of the `forward` of a module, which runs for every batch.
    fn forward_of_module(&self, function: FunctionId) -> Option<StmtId> {
        let class = self.scopes.class_of(function)?;
        let is_forward = self.module.name(self.module.function(function).name) == "forward";
        let is_one = is_forward && self.is_module_class(class);
        self.scopes.definition_of(function).filter(|_| is_one)
    }

    /// An instance for the methods of a class that are called from elsewhere: one that the module made, or a new one.
    pub(super) fn receiver_for(&mut self, class: ClassId) -> ObjectId {
        let is_instance = |object: &Object| object.kind == ObjectKind::Instance(class);
        let found = self.objects.iter().position(is_instance);
        let made = found.is_some_and(|index| index < self.made_by_module);
        let receiver = found.and_then(|index| u32::try_from(index).ok()).map_or_else(
            || {
                let kind = ObjectKind::Instance(class);
                self.new_object(Object { kind, moment: self.moment.clone(), owner: None })
            },
            ObjectId,
        );
        self.share(receiver);
        let init = self.module.symbol("__init__").and_then(|name| self.method_of(class, name));
        if let Some(init) = init
            && !made
        {
            let grad = self.state.grad;
            self.activate(self.bound(init, receiver), Context(0), None, &Arguments::default());
            self.state.grad = grad;
            self.live = true;
        }
        receiver
    }
}
