//! Forward passes: what calling a module records and returns.

use vramlens_grammars::Span;

use crate::python::graph::{NodeKind, NodeSet};
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::modules::DEEPEST_PART;
use crate::python::interpret::{Activation, Interpreter, Site};
use crate::python::record::Forward;
use crate::python::state::GradMode;
use crate::python::syntax::{Constant, ExprId, ExprKind, FunctionId};
use crate::python::value::{Flag, FrameId, Key, ObjectId, ObjectKind, Place, Value, What};

impl Interpreter<'_> {
    /// A module is called.
    pub(super) fn forward(&mut self, expr: ExprId, id: ObjectId, arguments: &Arguments) -> Value {
        let result = self.forward_result(expr, id, arguments);
        self.stored_by_forward(expr, result, id, arguments)
    }

    fn forward_result(&mut self, expr: ExprId, id: ObjectId, arguments: &Arguments) -> Value {
        let operands: Vec<Value> = arguments.all().cloned().collect();
        let operands: Vec<&Value> = operands.iter().collect();
        let site = Site::Expr(expr);
        if let Some(ObjectKind::Applies { loss }) = self.object(id).map(|object| object.kind.clone()) {
            let scalar = loss && !self.unreduced(id);
            return Value::tensor(self.record_node(site, NodeKind::Operation, false, scalar, &operands));
        }
        if self.forward_is_grad_free(id) {
            return Value::plain(What::Tensor);
        }
        let frozen = self.inherited(id, Flag::Frozen).map(|frozen| frozen.truth());
        let mode = self.state.grad;
        if mode == GradMode::Off && !self.moment.is_empty() {
            self.record.without_grad.insert(id);
        }
        if frozen == Some(Some(true)) {
            // Its parts are frozen, too: what they are given may still have a graph, which the result takes over below.
            self.state.grad = GradMode::Off;
        }
        let followed = self.follow_forward(expr, id, arguments);
        self.state.grad = mode;
        if let Some(result) = &followed {
            // Where it may have some, what its own code computes tells.
            let has_any = self.has_parameters(id, 0);
            let is_plain = has_any.map_or_else(|| !self.is_certain(result), |has_any| !has_any);
            if is_plain {
                return result.clone();
            }
        }
        let own = self.object(id).is_some_and(|object| match object.kind {
            ObjectKind::Instance(class) => self.module.is_own_span(self.module.class(class).span),
            _ => !self.record.by_usage.contains(&id),
        });
        if !own && arguments.keywords.iter().any(|(_, value)| value.as_text().is_some()) {
            // `model(x, mode="inference")`: what it does then is in another file.
            return self.call_unknown(expr, None, arguments);
        }
        let kind = if frozen == Some(Some(true)) { NodeKind::Operation } else { NodeKind::Forward };
        let certain = frozen.is_none_or(|frozen| frozen == Some(false)) && self.state.grad == GradMode::On;
        let recorded = kind == NodeKind::Forward;
        let inside = followed.as_ref().map(|result| Value::tensor(self.graph_of(result)));
        let operands: Vec<&Value> = operands.into_iter().chain(inside.as_ref()).collect();
        let graph = self.record_node(
            site,
            if certain { kind } else { NodeKind::Call },
            certain && recorded,
            false,
            &operands,
        );
        if kind == NodeKind::Operation {
            return Value::tensor(self.record_node(site, kind, false, false, &operands));
        }
        for node in graph.iter() {
            if operands.iter().any(|operand| operand.what == What::Noise) {
                self.record.noise.insert(node);
            }
            if certain {
                let forward = Forward {
                    call: expr,
                    moment: self.moment.clone(),
                    evaluating: self.evaluating_since(id),
                    functions: self.calls.iter().filter_map(|call| call.function).collect(),
                    inside_forward: self.is_inside_forward(),
                    switched_on: self.switched_on.last().copied(),
                    in_module: self.is_in_module_method(),
                    object: id,
                    calls: self.calls.iter().filter_map(|call| Some((call.call?, call.loops))).collect(),
                    given: self.places_given(expr),
                };
                self.record.forwards.insert(node, forward);
            }
        }
        match followed {
            Some(result) => self.with_graph(expr, &result, &graph),
            None if self.state.flag(id, Flag::ReturnsTensor).is_some() => Value::tensor(graph),
            None => Value::output(graph),
        }
    }

    /// The names and attributes that a call is given, in displays, too.
    fn places_given(&mut self, call: ExprId) -> Vec<(ExprId, Place)> {
        let ExprKind::Call { arguments, .. } = &self.module.expr(call).kind else { return Vec::new() };
        let mut pending: Vec<ExprId> = arguments.iter().rev().map(|argument| argument.value).collect();
        let mut places = Vec::new();
        while let Some(expr) = pending.pop() {
            match &self.module.expr(expr).kind {
                ExprKind::Tuple(items) | ExprKind::List(items) => pending.extend(items.iter().rev()),
                ExprKind::Starred(item) => pending.push(*item),
                ExprKind::Name(_) | ExprKind::Attribute { .. } => {
                    places.extend(self.place_of(expr).map(|place| (expr, place)));
                }
                _ => {}
            }
        }
        places
    }

    /// What the `forward` of a module of this file returns, if it can be followed.
    fn follow_forward(&mut self, expr: ExprId, id: ObjectId, arguments: &Arguments) -> Option<Value> {
        let ObjectKind::Instance(class) = self.object(id)?.kind else { return None };
        let method = self.module.symbol("forward").and_then(|name| self.method_of(class, name))?;
        Some(self.call_closure(expr, self.bound(method, id), arguments))
    }

    /// Whether something that a value comes from certainly records a graph.
    fn is_certain(&self, value: &Value) -> bool {
        self.graph.reach(&value.graph, None).into_iter().any(|node| self.graph.node(node).certain)
    }

    /// Whether a module has parameters that take gradients; `None` where it may.
    fn has_parameters(&self, id: ObjectId, depth: usize) -> Option<bool> {
        let class = match self.object(id).map(|object| &object.kind) {
            Some(ObjectKind::Applies { .. }) => return Some(false),
            Some(ObjectKind::Instance(class)) if depth < DEEPEST_PART => *class,
            _ => return Some(true),
        };
        let bare = |base: &Option<String>| base.as_deref() == Some("torch.nn.Module");
        if !self.base_paths(class).iter().all(bare) {
            return Some(true);
        }
        any(self.state.attributes(id).map(|value| self.holds_parameters(value, depth)))
    }

    /// Whether the value of an attribute of a module is a parameter or holds some; `None` where it may.
    fn holds_parameters(&self, value: &Value, depth: usize) -> Option<bool> {
        match &value.what {
            What::Objects(objects) => {
                let held = objects.iter().map(|object| {
                    if self.is_module(*object) {
                        self.has_parameters(*object, depth + 1)
                    } else {
                        Some(self.state.items(*object).next().is_some())
                    }
                });
                any(held)
            }
            What::Unknown | What::Moved if value.graph.is_empty() => None,
            _ if value.graph.is_empty() => Some(false),
            _ => value.graph.iter().any(|node| self.graph.node(node).certain).then_some(true),
        }
    }

    /// The result of a forward pass with its structure, where every part that may carry a graph carries that of the
    /// pass.
    fn with_graph(&mut self, expr: ExprId, result: &Value, graph: &NodeSet) -> Value {
        let Some(object) = result.single_object() else {
            let is_value = result.what.is_tensor() || matches!(result.what, What::Number | What::Constant(_));
            let plain = result.graph.is_empty() && is_value;
            return if plain {
                result.clone()
            } else {
                Value { stored: result.stored, ..Value::tensor(graph.clone()) }
            };
        };
        let kind = self.object(object).map(|object| object.kind.clone());
        let Some(kind @ (ObjectKind::Tuple | ObjectKind::Dict | ObjectKind::List)) = kind else {
            return Value { stored: self.storage_of(result), ..Value::tensor(graph.clone()) };
        };
        let parts: Vec<(Option<Key>, Value)> =
            self.state.items(object).map(|(key, part)| (key.cloned(), part.clone())).collect();
        let copy = self.allocate(expr, 8, kind);
        for (key, part) in parts {
            let plain = self.graph_of(&part).is_empty() && !matches!(part.what, What::Unknown | What::Moved);
            let part =
                if plain { part } else { Value { stored: part.stored, ..Value::tensor(graph.clone()) } };
            let place = key.map_or(Place::Items(copy), |key| Place::Item(copy, key));
            self.state.set(place, part);
        }
        Value::object(copy)
    }

    /// Whether the code that runs is a method of a module, or an object that is called.
    pub(super) fn is_in_module_method(&self) -> bool {
        let function = self.calls.last().and_then(|call| call.function);
        let class = function.and_then(|function| self.scopes.class_of(function));
        let is_called =
            |function: FunctionId| self.module.name(self.module.function(function).name) == "__call__";
        class.is_some_and(|class| self.is_module_class(class))
            || self.calls.iter().filter_map(|call| call.function).any(is_called)
    }

    /// A loss made with `reduction="none"`.
    fn unreduced(&self, id: ObjectId) -> bool {
        self.state.flag(id, Flag::Default).is_some()
    }

    /// Where code still under way put a module in evaluation mode.
    fn evaluating_since(&self, id: ObjectId) -> Option<Span> {
        let mode = self.inherited(id, Flag::Evaluating)?;
        let Some(Constant::Int(frame)) = mode.as_constant() else { return None };
        let here = |call: &Activation| i64::from(call.frame.0) == *frame;
        // What the module itself puts in evaluation mode stays in it, whoever runs it.
        let active = *frame == 0 || self.calls.iter().any(here);
        if !active {
            return None;
        }
        let mut current = Some(id);
        while let Some(module) = current {
            let frame = FrameId(u32::try_from(*frame).ok()?);
            if let Some(span) = self.record.evaluated.get(&(module, frame)) {
                return Some(*span);
            }
            current = self.object(module)?.owner;
        }
        None
    }

    /// Whether a module of this file switches gradients off in its own `forward`.
    fn forward_is_grad_free(&self, id: ObjectId) -> bool {
        let Some(ObjectKind::Instance(class)) = self.object(id).map(|object| object.kind.clone()) else {
            return false;
        };
        let method = self.module.symbol("forward").and_then(|name| self.method_of(class, name));
        method.is_some_and(|method| self.decorated.get(&method.function) == Some(&GradMode::Off))
    }
}

/// Whether any of some is so; `None` where none surely is, but some may be.
fn any(all: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut any = Some(false);
    for one in all {
        match one {
            Some(true) => return Some(true),
            Some(false) => {}
            None => any = None,
        }
    }
    any
}
