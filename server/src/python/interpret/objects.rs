//! Instances of the module's classes, and their classes.

use rustc_hash::FxHashSet;

use crate::python::interpret::Interpreter;
use crate::python::interpret::arguments::Arguments;
use crate::python::syntax::{ClassId, ExprId, ExprKind, FunctionId, Symbol};
use crate::python::value::{Closure, ObjectId, ObjectKind, Place, Value, What};

impl Interpreter<'_> {
    /// An attribute of an object, read.
    pub(super) fn object_attribute(&mut self, expr: ExprId, id: ObjectId, name: Symbol) -> Value {
        let place = Place::Attribute(id, name);
        if let Some(value) = self.state.get(&place).cloned() {
            return self.taught(expr, &value, Some(place));
        }
        let Some(kind) = self.object(id).map(|object| object.kind.clone()) else { return Value::default() };
        match kind {
            ObjectKind::Instance(class) => match self.class_attribute(class, name, Some(id)) {
                Some(value) => self.property(expr, value),
                None => self.taught(expr, &Value::default(), Some(place)),
            },
            ObjectKind::Module => {
                let text = self.module.name(name);
                if matches!(text, "device" | "dtype" | "config" | "training" | "name") {
                    return Value::default();
                }
                self.part_named(id, name)
            }
            ObjectKind::Tuple => self.any_item(&Value::object(id)),
            _ => self.taught(expr, &Value::default(), None),
        }
    }

    /// A method decorated as a property is its result.
    fn property(&mut self, expr: ExprId, value: Value) -> Value {
        match &value.what {
            What::Function(closure) if self.properties.contains(&closure.function) => {
                self.call_closure(expr, *closure, &Arguments::default())
            }
            _ => value,
        }
    }

    /// An attribute of a class or of the classes it is built on; a method is bound to `receiver`.
    pub(super) fn class_attribute(
        &self,
        class: ClassId,
        name: Symbol,
        receiver: Option<ObjectId>,
    ) -> Option<Value> {
        if let Some(method) = self.method_of(class, name) {
            let bound = receiver.map_or(method, |receiver| self.bound(method, receiver));
            return Some(Value::plain(What::Function(bound)));
        }
        self.line_of(class).into_iter().find_map(|class| {
            let frame = self.classes.get(&class)?.frame;
            self.state.get(&Place::Variable(frame, name)).cloned()
        })
    }

    /// A method of a class or of the classes of this module it is built on.
    pub(super) fn method_of(&self, class: ClassId, name: Symbol) -> Option<Closure> {
        self.line_of(class).into_iter().find_map(|class| {
            let methods = self.scopes.methods(class);
            let (_, function) = methods.iter().rev().find(|(method, _)| *method == name)?;
            let frame = self.classes.get(&class)?.frame;
            let plain = Closure { function: *function, frame, receiver: None };
            Some(self.wrapped.get(function).copied().unwrap_or(plain))
        })
    }

    /// A method bound to an object, unless it is a static one.
    pub(super) fn bound(&self, method: Closure, receiver: ObjectId) -> Closure {
        let is_static = self.is_decorated_with(method.function, "staticmethod");
        Closure { receiver: (!is_static).then_some(receiver), ..method }
    }

    /// Whether a decorator of this plain name stands above a function.
    pub(super) fn is_decorated_with(&self, function: FunctionId, decorator: &str) -> bool {
        let decorators = &self.module.function(function).decorators;
        decorators.iter().any(|written| {
            matches!(&self.module.expr(*written).kind, ExprKind::Name(name) if self.module.name(*name) == decorator)
        })
    }

    /// A class and the classes of this module it is built on, nearest first.
    pub(super) fn line_of(&self, class: ClassId) -> Vec<ClassId> {
        let mut line = Vec::new();
        let mut pending = vec![class];
        let mut seen = FxHashSet::default();
        while let Some(class) = pending.pop() {
            if !seen.insert(class) {
                continue;
            }
            line.push(class);
            let bases = self.classes.get(&class).map(|facts| facts.bases.as_slice()).unwrap_or_default();
            pending.extend(bases.iter().rev().filter_map(|base| match base.what {
                What::Class(base, _) => Some(base),
                _ => None,
            }));
        }
        line
    }

    /// The library classes that a class is built on, at any distance; `None` stands for one that is not known.
    pub(super) fn base_paths(&self, class: ClassId) -> Vec<Option<String>> {
        let facts = self.line_of(class).into_iter().filter_map(|class| self.classes.get(&class));
        facts
            .flat_map(|facts| &facts.bases)
            .filter_map(|base| match &base.what {
                What::Class(..) => None,
                What::Library(path) if &**path == "builtins.object" => None,
                What::Library(path) if self.knowledge.call(path).is_some() || path.contains("lightning") => {
                    Some(Some(path.to_string()))
                }
                _ => Some(None),
            })
            .collect()
    }

    /// Whether an expression is `super()`.
    pub(super) fn is_super(&self, expr: ExprId) -> bool {
        matches!(&self.module.expr(expr).kind, ExprKind::Call { callee, .. }
            if matches!(&self.module.expr(*callee).kind, ExprKind::Name(name) if self.module.name(*name) == "super"))
    }

    /// `super().name(…)`.
    pub(super) fn call_base_method(&mut self, expr: ExprId, name: Symbol, arguments: &Arguments) -> Value {
        let class = self.scopes.class_in_sight(self.scope());
        let receiver = self.own_receiver();
        if let (Some(class), Some(receiver)) = (class, receiver) {
            let base = self.line_of(class).into_iter().skip(1).find_map(|base| self.method_of(base, name));
            if let Some(method) = base {
                return self.call_closure(expr, self.bound(method, receiver), arguments);
            }
            if self.module.name(name) == "__init__" {
                return Value::default();
            }
        }
        self.call_unknown(expr, None, arguments)
    }

    /// What `self` is in the method under way.
    fn own_receiver(&self) -> Option<ObjectId> {
        let active = self.calls.last()?;
        let function = self.module.function(active.function?);
        let first = function.parameters.first()?.name;
        self.state.get(&Place::Variable(active.frame, first))?.single_object()
    }
}
