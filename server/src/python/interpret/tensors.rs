//! Methods of tensors, and of anything that may be made of tensors.

use crate::knowledge::{MethodEffect, Says};
use crate::python::graph::{NodeKind, NodeSet};
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::{Interpreter, Site};
use crate::python::syntax::{ExprId, Symbol};
use crate::python::value::{ObjectKind, Value, What};

/// Types that take no gradients, as the last part of their path.
const INTEGER_TYPES: &[&str] = &["int", "long", "int8", "int16", "int32", "int64", "uint8", "short", "bool"];

impl Interpreter<'_> {
    /// A method of a value that is a tensor, or unknown.
    pub(super) fn call_tensor_method(
        &mut self,
        expr: ExprId,
        object: ExprId,
        receiver: &Value,
        name: Symbol,
        arguments: &Arguments,
    ) -> Value {
        let text = self.module.name(name);
        let effect = self.knowledge.method(text);
        if effect == Some(MethodEffect::Backward) {
            self.backward(expr, receiver, arguments);
            return Value::default();
        }
        if effect == Some(MethodEffect::Leaf) {
            return self.ask_for_gradients(expr, object, receiver, arguments);
        }
        if matches!(text, "to" | "cuda") {
            // Data is moved to the device batch by batch.
            self.note_data();
            self.note_loading(receiver.stored.from_item);
        }
        if matches!(receiver.what, What::Unknown) && matches!(text, "to" | "cuda") {
            return Value { what: What::Moved, ..receiver.clone() };
        }
        if effect.is_none()
            && matches!(self.knowledge.evidence(text, arguments.len()), Some(Says::Module | Says::Trains))
        {
            // Nothing but a module has this method.
            let module = self.allocate(expr, 4, ObjectKind::Module);
            self.record.by_usage.insert(module);
            return self.call_module_method(expr, expr, module, name, arguments);
        }
        if effect == Some(MethodEffect::Items) {
            return self.named(expr, receiver.clone());
        }
        if receiver.graph.is_empty() {
            return self.call_graphless_method(expr, object, receiver, effect, arguments);
        }
        let Some(effect) = effect else {
            return self.unlisted_method(expr, receiver, arguments);
        };
        match effect {
            MethodEffect::Number => self.taken(receiver, What::Number),
            MethodEffect::NoGraph | MethodEffect::Detached => self.taken(receiver, What::Tensor),
            MethodEffect::Text => Value::plain(What::Text),
            MethodEffect::DetachedInPlace => {
                let detached = Value { stored: receiver.stored, ..self.taken(receiver, What::Tensor) };
                self.write_back(object, &detached);
                detached
            }
            MethodEffect::Arithmetic => {
                let scalar = self.is_scalar(receiver) && arguments.all().all(|value| self.is_scalar(value));
                self.derived(expr, NodeKind::Arithmetic, scalar, receiver, arguments)
            }
            MethodEffect::ArithmeticInPlace => {
                let scalar = self.is_scalar(receiver);
                let stored = receiver.stored;
                let changed = self.derived(expr, NodeKind::Arithmetic, scalar, receiver, arguments);
                let changed = Value { stored, ..changed };
                self.write_back(object, &changed);
                changed
            }
            MethodEffect::Reduction => {
                self.derived(expr, NodeKind::Reduction, arguments.len() == 0, receiver, arguments)
            }
            MethodEffect::ValuesAndIndices => self.values_and_indices(expr, receiver, arguments.len() > 0),
            MethodEffect::Moved if names_integer_type(arguments) => self.taken(receiver, What::Tensor),
            MethodEffect::Moved if names_host(arguments) => self.on_host(expr, receiver),
            MethodEffect::Host => self.on_host(expr, receiver),
            MethodEffect::Parts => receiver.clone(),
            MethodEffect::Same | MethodEffect::Moved => {
                let what = if receiver.what.is_tensor() { What::Tensor } else { receiver.what.clone() };
                Value { what, ..receiver.clone() }
            }
            MethodEffect::Nothing | MethodEffect::Backward | MethodEffect::Leaf | MethodEffect::Items => {
                Value::default()
            }
        }
    }

    /// A method of something that carries no graph.
    fn call_graphless_method(
        &mut self,
        expr: ExprId,
        object: ExprId,
        receiver: &Value,
        effect: Option<MethodEffect>,
        arguments: &Arguments,
    ) -> Value {
        let is_tensor = receiver.what.is_tensor();
        match effect {
            Some(MethodEffect::Number) => Value::plain(What::Number),
            Some(MethodEffect::ArithmeticInPlace) if !self.given_graph(arguments).is_empty() => {
                let changed = self.derived(expr, NodeKind::Arithmetic, false, receiver, arguments);
                self.write_back(object, &changed);
                changed
            }
            Some(MethodEffect::ValuesAndIndices) if is_tensor => {
                self.values_and_indices(expr, receiver, arguments.len() > 0)
            }
            Some(
                MethodEffect::Same
                | MethodEffect::Parts
                | MethodEffect::Moved
                | MethodEffect::Host
                | MethodEffect::Detached,
            ) => receiver.clone(),
            Some(MethodEffect::Reduction) if is_tensor => {
                self.derived(expr, NodeKind::Reduction, arguments.len() == 0, receiver, arguments)
            }
            Some(MethodEffect::Arithmetic) if is_tensor => {
                self.derived(expr, NodeKind::Arithmetic, false, receiver, arguments)
            }
            Some(MethodEffect::NoGraph) => {
                self.consume_all(arguments);
                Value::plain(What::Tensor)
            }
            Some(_) => Value::default(),
            None if is_tensor => self.derived(expr, NodeKind::Operation, false, receiver, arguments),
            None if receiver.what.is_text() || matches!(receiver.what, What::Constant(_) | What::Number) => {
                self.consume_all(arguments);
                Value::plain(What::Text)
            }
            None => self.call_unknown(expr, None, arguments),
        }
    }

    /// A method that no row lists, of something with a graph: an operation on it if it is a tensor.
    fn unlisted_method(&mut self, expr: ExprId, receiver: &Value, arguments: &Arguments) -> Value {
        let given: Vec<Value> = arguments.all().cloned().collect();
        self.call_back(expr, &given);
        if !receiver.what.is_tensor() {
            for value in &given {
                self.escape(value);
            }
        }
        let result = self.derived(expr, NodeKind::Operation, false, receiver, arguments);
        Value { what: if receiver.what.is_tensor() { What::Tensor } else { receiver.what.clone() }, ..result }
    }

    fn derived(
        &mut self,
        expr: ExprId,
        kind: NodeKind,
        scalar: bool,
        receiver: &Value,
        arguments: &Arguments,
    ) -> Value {
        let given: Vec<Value> = arguments.all().cloned().collect();
        let mut operands = vec![receiver];
        operands.extend(given.iter());
        Value::tensor(self.record_node(Site::Expr(expr), kind, false, scalar, &operands))
    }

    /// A copy in host memory, with its history.
    fn on_host(&mut self, expr: ExprId, receiver: &Value) -> Value {
        let scalar = self.is_scalar(receiver);
        let graph = self.record_node(Site::Expr(expr), NodeKind::Operation, false, scalar, &[receiver]);
        for node in graph.iter() {
            self.graph.node_mut(node).host = true;
            self.graph.node_mut(node).passes = true;
        }
        Value { graph, ..receiver.clone() }
    }

    /// A result without history, taken from a value with one.
    fn taken(&mut self, receiver: &Value, what: What) -> Value {
        self.consume(receiver);
        Value::plain(what)
    }

    fn given_graph(&self, arguments: &Arguments) -> NodeSet {
        let mut graph = NodeSet::default();
        arguments.all().for_each(|value| graph.extend(&self.graph_of(value)));
        graph
    }

    fn ask_for_gradients(
        &mut self,
        expr: ExprId,
        object: ExprId,
        receiver: &Value,
        arguments: &Arguments,
    ) -> Value {
        if arguments.all().next().map_or(Some(true), Value::truth) == Some(false) {
            if receiver.what.is_tensor() {
                return Value::plain(What::Tensor);
            }
            // A tensor that asks for no gradients and a frozen module: neither is the start of a graph.
            let module = self.allocate(expr, 4, ObjectKind::Module);
            self.record.by_usage.insert(module);
            self.set_requires_grad(module, Some(false));
            return Value::object(module);
        }
        let graph = self.record_node(Site::Expr(expr), NodeKind::Leaf, true, false, &[receiver]);
        let leaf = Value::tensor(graph);
        self.write_back(object, &leaf);
        leaf
    }
}

/// Whether a tensor is converted to a type that takes no gradients.
fn names_integer_type(arguments: &Arguments) -> bool {
    let is_integer = |value: &Value| match &value.what {
        What::Library(path) => path.rsplit('.').next().is_some_and(|last| INTEGER_TYPES.contains(&last)),
        _ => value
            .as_text()
            .is_some_and(|text| text.contains("Long") || text.contains("Int") || text.contains("Byte")),
    };
    arguments.all().any(is_integer)
}

/// Whether a tensor is moved to host memory.
fn names_host(arguments: &Arguments) -> bool {
    arguments.all().next().is_some_and(|value| value.as_text() == Some("cpu"))
}
