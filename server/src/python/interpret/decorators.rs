//! What decorators make of a function.

use crate::knowledge::{CallEffect, Role};
use crate::python::interpret::Interpreter;
use crate::python::interpret::arguments::Arguments;
use crate::python::state::GradMode;
use crate::python::syntax::{ExprId, ExprKind, FunctionId};
use crate::python::value::{Closure, Value, What};

impl Interpreter<'_> {
    /// The value of a function's definition: the function, as its decorators leave it.
    pub(super) fn define(&mut self, function: FunctionId) -> Value {
        let mut closure = Closure { function, frame: self.frame(), receiver: None };
        let decorators = self.module.function(function).decorators.clone();
        for decorator in decorators.into_iter().rev() {
            // As a decorator, `set_grad_enabled(...)` leaves the mode outside the function alone.
            let grad = self.state.grad;
            let value = self.eval(decorator);
            self.state.grad = grad;
            self.note_decorator(function, &value);
            self.note_served(function, decorator);
            self.note_foreign_decorator(function, decorator);
            if let What::Function(own) = value.what {
                let given = Arguments::positional(vec![Value::plain(What::Function(closure))]);
                match self.call_closure(decorator, own, &given).what {
                    What::Function(made) => {
                        closure = made;
                        self.wrapped.insert(function, made);
                    }
                    // It returns something else, which may switch gradients: `torch.no_grad()(function)`.
                    _ => {
                        self.decorated.entry(function).or_insert(GradMode::Unknown);
                    }
                }
            }
        }
        Value::plain(What::Function(closure))
    }

    /// A decorator that no row knows may switch gradients.
    fn note_foreign_decorator(&mut self, function: FunctionId, decorator: ExprId) {
        let name = match &self.module.expr(decorator).kind {
            ExprKind::Call { callee, .. } => *callee,
            _ => decorator,
        };
        let What::Library(path) = self.eval(name).what else { return };
        if self.knowledge.call(&path).is_none() {
            self.decorated.entry(function).or_insert(GradMode::Unknown);
        }
    }

    /// A decorator may let a function answer requests, or keep its results.
    fn note_served(&mut self, function: FunctionId, decorator: ExprId) {
        let name = match &self.module.expr(decorator).kind {
            ExprKind::Call { callee, .. } => *callee,
            _ => decorator,
        };
        let caches = match &self.eval(name).what {
            What::Library(path) => self.called_path(path).role == Some(Role::Caches),
            _ => false,
        };
        if caches {
            self.happenings.caching.insert(function);
        }
        if let ExprKind::Attribute { object, .. } = &self.module.expr(name).kind {
            let app = self.eval(*object);
            if self.is_web_app(&app) {
                self.happenings.serving.insert(function);
            }
        }
    }

    /// Whether a value answers requests with the functions that it is given.
    pub(super) fn is_web_app(&self, value: &Value) -> bool {
        let maker = value.single_object().and_then(|object| self.happenings.maker(object));
        maker
            .and_then(|maker| self.happenings.noted.get(maker))
            .is_some_and(|noted| noted.role == Role::WebApp)
    }

    /// Functions that are given to what answers requests answer them.
    pub(super) fn serve(&mut self, arguments: &Arguments) {
        let served = arguments.all().filter_map(|value| match &value.what {
            What::Function(closure) => Some(closure.function),
            _ => None,
        });
        self.happenings.serving.extend(served.collect::<Vec<_>>());
    }

    /// What a library's decorator makes of a function.
    fn note_decorator(&mut self, function: FunctionId, decorator: &Value) {
        let mode = match &decorator.what {
            What::GradientSwitch(to) => Some(GradMode::switched(*to)),
            What::Library(path) => match self.knowledge.call(path) {
                Some(CallEffect::GradOff | CallEffect::GradOffUnlessFalse) => Some(GradMode::Off),
                Some(CallEffect::GradOn) => Some(GradMode::On),
                Some(CallEffect::Property) => {
                    self.properties.insert(function);
                    None
                }
                Some(CallEffect::ContextManager) => {
                    self.managers.insert(function);
                    None
                }
                _ => None,
            },
            _ => None,
        };
        if let Some(mode) = mode {
            self.decorated.insert(function, mode);
        }
    }
}
