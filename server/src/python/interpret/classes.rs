//! Classes of the module: their definition, and making instances.

use std::rc::Rc;

use crate::knowledge::CallEffect;
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::{Activation, ClassFacts, Interpreter};
use crate::python::scopes::Scope;
use crate::python::state::GradMode;
use crate::python::syntax::{ArgumentKind, ClassId, ExprId, ExprKind, StmtKind, Symbol};
use crate::python::value::{ObjectId, ObjectKind, Place, Value, What};

impl Interpreter<'_> {
    /// Runs a class's body and notes what it is built on.
    pub(super) fn define_class(&mut self, class: ClassId) -> Value {
        let module = self.module;
        let definition = module.class(class);
        let bases: Vec<Value> = definition
            .bases
            .iter()
            .filter(|base| base.kind == ArgumentKind::Positional)
            .map(|base| self.eval(base.value))
            .collect();
        let outer = self.frame();
        let context = self.context();
        let frame = self.frame_of(Scope::Class(class), context, Some(outer));
        self.classes.insert(class, ClassFacts { frame, bases });
        self.calls.push(Activation {
            function: self.calls.last().and_then(|call| call.function),
            clock: self.steps,
            loops: self.loops.len(),
            ..Activation::new(frame, context)
        });
        self.run_block(&definition.body);
        self.calls.pop();
        self.note_hooks(class);
        Value::plain(What::Class(class, outer))
    }

    /// Methods that a framework calls with gradients off.
    fn note_hooks(&mut self, class: ClassId) {
        let bases = self.base_paths(class);
        for (name, function) in self.scopes.methods(class).to_vec() {
            let text = self.module.name(name);
            if self.knowledge.runs_without_grad(text, bases.iter().map(|base| base.as_deref())) {
                self.decorated.entry(function).or_insert(GradMode::Off);
            }
        }
    }

    /// Makes an instance of one of the module's classes.
    pub(super) fn instantiate(&mut self, expr: ExprId, class: ClassId, arguments: &Arguments) -> Value {
        let object = self.allocate(expr, 0, ObjectKind::Instance(class));
        self.initialize(expr, object, class, arguments);
        let made = Value::object(object);
        // An instance of a trainer's subclass is a trainer.
        for base in self.base_paths(class).into_iter().flatten() {
            let path = Rc::from(base);
            if let Some(role) = self.called_path(&path).role {
                self.note_call(expr, (&path, role), arguments, &made);
            }
        }
        made
    }

    pub(super) fn initialize(
        &mut self,
        expr: ExprId,
        object: ObjectId,
        class: ClassId,
        arguments: &Arguments,
    ) {
        let init = self.module.symbol("__init__").and_then(|name| self.method_of(class, name));
        match init {
            Some(init) => {
                self.call_closure(expr, self.bound(init, object), arguments);
            }
            None => self.fill_record(expr, object, class, arguments),
        }
    }

    /// Whether instances of a class are nothing but their fields: a dataclass or the like.
    pub(super) fn is_record(&self, class: ClassId) -> bool {
        self.module.symbol("__init__").and_then(|name| self.method_of(class, name)).is_none()
            && !self.fields(class).is_empty()
    }

    /// The annotated fields of a class and of the classes it is built on, with their defaults.
    fn fields(&self, class: ClassId) -> Vec<(Symbol, Option<ExprId>)> {
        let module = self.module;
        let line = self.line_of(class).into_iter().rev();
        let statements = line.flat_map(|class| module.class(class).body.iter());
        statements
            .filter_map(|stmt| match &module.stmt(*stmt).kind {
                StmtKind::AnnotatedAssign { target, value, .. } => match &module.expr(*target).kind {
                    ExprKind::Name(name) => Some((*name, *value)),
                    _ => None,
                },
                _ => None,
            })
            .collect()
    }

    fn fill_record(&mut self, expr: ExprId, object: ObjectId, class: ClassId, arguments: &Arguments) {
        let fields = self.fields(class);
        for (index, (name, default)) in fields.iter().enumerate() {
            let by_name = arguments.keywords.iter().find(|(keyword, _)| keyword == name);
            let given = arguments.positional.get(index).or(by_name.map(|(_, value)| value));
            let value = match (given, default) {
                (Some(given), _) => Some(given.clone()),
                (None, _) if !arguments.rest.is_empty() => Some(Value::default()),
                (None, Some(default)) => self.made_by_default(expr, *default, index),
                (None, None) => None,
            };
            if let Some(value) = value {
                self.put(Place::Attribute(object, *name), value);
            }
        }
        if fields.is_empty() {
            arguments.all().for_each(|value| self.escape(value));
        }
    }

    /// What `field(default_factory=…)` makes for a new instance.
    fn made_by_default(&mut self, expr: ExprId, default: ExprId, index: usize) -> Option<Value> {
        let ExprKind::Call { callee, arguments } = &self.module.expr(default).kind else { return None };
        let What::Library(path) = self.eval(*callee).what else { return None };
        if self.knowledge.call(&path) != Some(CallEffect::Field) {
            return None;
        }
        let given = self.eval_arguments(arguments);
        let factory = self.keyword(&given, "default_factory")?;
        self.made_by(expr, &factory, 16_u8.saturating_add(u8::try_from(index).unwrap_or(u8::MAX)))
    }
}
