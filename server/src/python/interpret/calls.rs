//! Calls: who is called, and what follows from it.

use crate::python::graph::NodeKind;
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::{Interpreter, Site};
use crate::python::state::GradMode;
use crate::python::syntax::{Argument, ClassId, ExprId, ExprKind, Symbol};
use crate::python::usage;
use crate::python::value::{Closure, ObjectId, ObjectKind, Place, Value, What};

impl Interpreter<'_> {
    pub(super) fn call(&mut self, expr: ExprId, callee: ExprId, arguments: &[Argument]) -> Value {
        if let ExprKind::Attribute { object, name, .. } = &self.module.expr(callee).kind {
            let receiver = self.eval(*object);
            if let Some(value) = self.call_method(expr, *object, callee, &receiver, *name, arguments) {
                return value;
            }
            let called = self.attribute(callee, &receiver, *name);
            let arguments = self.eval_arguments(arguments);
            self.note_library_method(expr, &called, *name, &arguments);
            return self.call_value(expr, &called, &arguments);
        }
        let called = self.eval(callee);
        let arguments = self.eval_arguments(arguments);
        self.note_options(expr, callee, &called, &arguments);
        self.call_value(expr, &called, &arguments)
    }

    /// A call of a method that depends on what its receiver is; `None` when it is to be called like anything else.
    fn call_method(
        &mut self,
        expr: ExprId,
        object: ExprId,
        callee: ExprId,
        receiver: &Value,
        name: Symbol,
        arguments: &[Argument],
    ) -> Option<Value> {
        let text = self.module.name(name);
        if self.is_super(object) {
            let arguments = self.eval_arguments(arguments);
            return Some(self.call_base_method(expr, name, &arguments));
        }
        match &receiver.what {
            What::Library(_) | What::Function(_) | What::Namespace(_) => return None,
            What::Class(class, _) => {
                let method = self.method_of(*class, name)?;
                let arguments = self.eval_arguments(arguments);
                return Some(self.call_closure(expr, method, &arguments));
            }
            _ => {}
        }
        let arguments = self.eval_arguments(arguments);
        self.note_method(expr, object, receiver, name, &arguments);
        self.note_named_method(expr, object, receiver, name, &arguments);
        self.note_move(expr, text, &arguments);
        self.note_copied(expr, receiver, name, &arguments);
        let loaded = receiver.single_object().filter(|id| self.is_loaded_object(*id));
        if let Some(loaded) = loaded {
            let part = self.loaded_method(expr, loaded, name, &arguments);
            let unknown = Value::default();
            return part.or_else(|| Some(self.call_tensor_method(expr, object, &unknown, name, &arguments)));
        }
        match &receiver.what {
            What::Objects(ids) => {
                let ids = ids.clone();
                if let Some(parameters) = self.named_parameters_of_all(expr, &ids, text) {
                    return Some(parameters);
                }
                let call = |id| self.call_object_method(expr, callee, id, name, &arguments);
                Value::any_of(ids.into_iter().map(call))
            }
            What::ParameterOf(modules) if text == "requires_grad_" => {
                let on = arguments.positional.first().map_or(Some(true), Value::truth);
                modules.clone().iter().for_each(|module| self.set_requires_grad(*module, on));
                Some(receiver.clone())
            }
            _ => {
                let result = self.call_tensor_method(expr, object, receiver, name, &arguments);
                Some(self.stored_by_method(result, receiver, text, &arguments))
            }
        }
    }

    fn call_object_method(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        id: ObjectId,
        name: Symbol,
        arguments: &Arguments,
    ) -> Value {
        let Some(kind) = self.object(id).map(|object| object.kind.clone()) else { return Value::default() };
        match kind {
            ObjectKind::Instance(class) => {
                self.call_instance_method(expr, callee, id, class, name, arguments)
            }
            ObjectKind::Module | ObjectKind::Applies { .. } => {
                self.call_module_method(expr, callee, id, name, arguments)
            }
            ObjectKind::Optimizer => self.call_optimizer_method(expr, name, arguments),
            ObjectKind::ExitStack => {
                let entered = arguments.first();
                if let What::GradientSwitch(to) = entered.what {
                    self.state.grad = GradMode::switched(to);
                }
                entered
            }
            ObjectKind::Inert(_) => self.call_inert_method(expr, id, name, arguments),
            _ => self.call_collection_method(expr, callee, id, name, arguments),
        }
    }

    fn call_instance_method(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        id: ObjectId,
        class: ClassId,
        name: Symbol,
        arguments: &Arguments,
    ) -> Value {
        if let Some(method) = self.method_of(class, name) {
            let is_forward = self.module.name(name) == "forward" && self.is_module(id);
            if !is_forward {
                return self.call_closure(expr, self.bound(method, id), arguments);
            }
        }
        let stored = self.state.get(&Place::Attribute(id, name)).cloned();
        if let Some(stored) = stored {
            let stored = self.taught(callee, &stored, None);
            let is_tensor = |value: &Value| {
                value.what.is_tensor() || value.what == What::Moved || value.stored.places.is_known()
            };
            if matches!(stored.what, What::Unknown) && self.is_module(id) && arguments.all().any(is_tensor) {
                // What a module keeps, made by a call, and gives tensors to is a part of it.
                let part = self.part_named(id, name);
                return self.call_value(expr, &part, arguments);
            }
            return self.call_value(expr, &stored, arguments);
        }
        if self.is_module(id) {
            return self.call_module_method(expr, callee, id, name, arguments);
        }
        let called = self.attribute(callee, &Value::object(id), name);
        self.call_value(expr, &called, arguments)
    }

    /// Calls a value.
    pub(super) fn call_value(&mut self, expr: ExprId, called: &Value, arguments: &Arguments) -> Value {
        match &called.what {
            What::Function(closure) => self.call_closure(expr, *closure, arguments),
            What::Class(class, _) => self.instantiate(expr, *class, arguments),
            What::Library(path) => {
                let path = path.clone();
                self.call_library(expr, &path, arguments)
            }
            What::Objects(_) if self.is_loaded(called) => self.call_unknown(expr, Some(called), arguments),
            What::Objects(ids) => {
                let ids = ids.clone();
                let values = ids.into_iter().map(|id| self.call_object(expr, id, arguments));
                Value::any_of(values).unwrap_or_default()
            }
            // Whatever is moved to a device and then called with tensors is a module.
            What::Moved if self.takes_tensors(expr, arguments) => {
                let module = self.allocate(expr, 4, ObjectKind::Module);
                self.record.by_usage.insert(module);
                self.put_on(module, called.stored.places);
                self.forward(expr, module, arguments)
            }
            // A decorator factory or context manager used as a function: `torch.no_grad()(f)`.
            What::GradientSwitch(_) => Value::default(),
            _ => self.call_unknown(expr, Some(called), arguments),
        }
    }

    /// Whether a call gives tensors to something that is no pipeline.
    fn takes_tensors(&self, expr: ExprId, arguments: &Arguments) -> bool {
        let ExprKind::Call { callee, .. } = &self.module.expr(expr).kind else { return false };
        arguments.all().any(|value| value.what.is_tensor() || value.what == What::Moved)
            && !self.is_pipeline(*callee)
    }

    fn call_object(&mut self, expr: ExprId, id: ObjectId, arguments: &Arguments) -> Value {
        self.note_run(expr, id, arguments);
        let Some(kind) = self.object(id).map(|object| object.kind.clone()) else { return Value::default() };
        match kind {
            ObjectKind::Module | ObjectKind::Applies { .. } => self.forward(expr, id, arguments),
            ObjectKind::Instance(class) => {
                if self.is_module(id) {
                    return self.forward(expr, id, arguments);
                }
                match self.module.symbol("__call__").and_then(|name| self.method_of(class, name)) {
                    Some(method) => self.call_closure(expr, self.bound(method, id), arguments),
                    None => self.call_unknown(expr, None, arguments),
                }
            }
            ObjectKind::Inert(_) => {
                arguments.all().cloned().collect::<Vec<_>>().iter().for_each(|value| self.consume(value));
                Value::default()
            }
            _ => self.call_unknown(expr, None, arguments),
        }
    }

    /// A call of something unknown: it may keep or send through backward what it is given, and its result may carry
    /// a graph.
    pub(super) fn call_unknown(
        &mut self,
        expr: ExprId,
        called: Option<&Value>,
        arguments: &Arguments,
    ) -> Value {
        let given: Vec<Value> = arguments.all().cloned().collect();
        for value in &given {
            self.escape(value);
        }
        self.call_back(expr, &given);
        let mut operands: Vec<&Value> = given.iter().collect();
        operands.extend(called);
        let graph = self.record_node(Site::Expr(expr), NodeKind::Call, false, false, &operands);
        self.record.given.extend(graph.iter().map(|node| (node, arguments.len())));
        if called.is_some() {
            self.record.given_callees.extend(graph.iter());
        }
        let path = self.path_of_callee(expr);
        self.record.called.extend(graph.iter().filter_map(|node| Some((node, path.clone()?))));
        self.stored_by_unknown(expr, Value { graph, ..Value::default() }, called.is_some(), arguments)
    }

    /// What a call calls, as the text names it.
    fn path_of_callee(&self, expr: ExprId) -> Option<usage::Path> {
        let ExprKind::Call { callee, .. } = &self.module.expr(expr).kind else { return None };
        usage::path(self.module, &self.scopes, self.scope(), *callee)
    }

    /// Runs the function that another process or thread is started with, on the arguments that it is given there.
    pub(super) fn run_target(&mut self, expr: ExprId, by_rank: bool, arguments: &Arguments) {
        let is_function = |value: &&Value| matches!(value.what, What::Function(_));
        let Some(What::Function(closure)) = arguments.all().find(is_function).map(|value| value.what.clone())
        else {
            self.call_unknown(expr, None, arguments);
            return;
        };
        let is_tuple = |value: &&Value| {
            let object = value.single_object().and_then(|id| self.object(id));
            object.is_some_and(|object| object.kind == ObjectKind::Tuple)
        };
        let given = self.keyword(arguments, "args").or_else(|| arguments.all().find(is_tuple).cloned());
        let mut its = Arguments::default();
        its.positional.extend(by_rank.then(|| Value::plain(What::Number)));
        if let Some(given) = given {
            self.unpack_sequence(&given, &mut its);
        }
        let (grad, process) = (self.state.grad, self.state.process.clone());
        // Neither knows what this thread has switched off.
        self.state.grad = GradMode::On;
        self.state.process = self.process_elsewhere(closure.function, &process);
        self.call_closure(expr, closure, &its);
        self.state.grad = grad;
        self.state.process = process;
    }

    /// Runs the functions of this module that are handed to code we do not see: it may call them.
    pub(super) fn call_back(&mut self, expr: ExprId, given: &[Value]) {
        let mut functions: Vec<Closure> = Vec::new();
        let mut note = |value: &Value| {
            if let What::Function(closure) = &value.what
                && !functions.contains(closure)
            {
                functions.push(*closure);
            }
        };
        for value in given {
            note(value);
            self.each_held(value, &mut note);
        }
        let (grad, process) = (self.state.grad, self.state.process.clone());
        for closure in functions {
            if !self.followed.contains(&closure.function) {
                // Whoever calls it back may have switched gradients off.
                self.state.grad = if grad == GradMode::On { GradMode::Unknown } else { grad };
                self.state.process = self.process_elsewhere(closure.function, &process);
                self.call_closure(expr, closure, &Arguments::default());
                self.state.grad = grad;
                self.state.process = process.clone();
            }
        }
    }
}
