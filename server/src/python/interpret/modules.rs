//! Neural network modules: forward passes, modes, parameters, parts.

use std::rc::Rc;

use crate::knowledge::{CallEffect, ModuleEffect};
use crate::python::graph::{NodeKind, NodeSet};
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::{Interpreter, Site};
use crate::python::record::Forward;
use crate::python::state::GradMode;
use crate::python::syntax::{ClassId, Constant, ExprId, FunctionId, Symbol};
use crate::python::value::{Flag, Key, Object, ObjectId, ObjectKind, Place, Value, What};

/// How far up a module's owners a flag is looked for.
const DEEPEST_PART: usize = 8;

impl Interpreter<'_> {
    /// Whether an object is a neural network module.
    pub(super) fn is_module(&self, id: ObjectId) -> bool {
        match self.object(id).map(|object| &object.kind) {
            Some(ObjectKind::Module | ObjectKind::Applies { .. }) => true,
            Some(ObjectKind::Instance(class)) => self.is_module_class(*class),
            _ => false,
        }
    }

    /// Whether the instances of a class are neural network modules.
    pub(super) fn is_module_class(&self, class: ClassId) -> bool {
        self.base_paths(class).iter().flatten().any(|path| {
            let known = self.knowledge.call(path);
            matches!(
                known,
                Some(
                    CallEffect::Module | CallEffect::Layer | CallEffect::PlainModule | CallEffect::LossModule
                )
            ) || path.ends_with("Module")
                || path.ends_with("PreTrainedModel")
        })
    }

    pub(super) fn call_module_method(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        id: ObjectId,
        name: Symbol,
        arguments: &Arguments,
    ) -> Value {
        let text = self.module.name(name);
        let Some(effect) = self.knowledge.module_method(text) else {
            let part = self.state.get(&Place::Attribute(id, name)).cloned();
            return match part {
                Some(part) => self.call_value(expr, &part, arguments),
                None => self.call_module_part(expr, callee, id, arguments),
            };
        };
        let itself = Value::object(id);
        match effect {
            ModuleEffect::Itself => itself,
            ModuleEffect::Evaluates => self.set_evaluating(expr, id, true),
            ModuleEffect::Trains => {
                let training = arguments.all().next().map_or(Some(true), Value::truth);
                self.set_evaluating(expr, id, training == Some(false))
            }
            ModuleEffect::RequiresGrad => {
                self.set_requires_grad(id, arguments.all().next().map_or(Some(true), Value::truth));
                itself
            }
            ModuleEffect::Forward => self.forward(expr, id, arguments),
            ModuleEffect::Parameters => Value::plain(What::ParameterOf(smallvec::smallvec![id])),
            ModuleEffect::NamedParameters => {
                let parameter = Value::plain(What::ParameterOf(smallvec::smallvec![id]));
                self.named(expr, parameter)
            }
            ModuleEffect::Parts => self.parts_of(expr, id),
            ModuleEffect::NamedParts => {
                let part = self.module_part(id).unwrap_or_default();
                self.named(expr, part)
            }
            ModuleEffect::Backward => {
                self.backward(expr, &Value::default(), arguments);
                Value::default()
            }
            ModuleEffect::Steps => {
                self.note_training();
                Value::default()
            }
            ModuleEffect::NoGraph => {
                self.consume_all(arguments);
                Value::plain(What::Tensor)
            }
            ModuleEffect::NeutralContext => Value::default(),
        }
    }

    /// A method of a module that we know nothing of: usage may show that it is a part that is called.
    fn call_module_part(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        id: ObjectId,
        arguments: &Arguments,
    ) -> Value {
        let part = self.taught(callee, &Value::default(), None);
        if let Some(part) = part.single_object() {
            if let Some(object) = self.objects.get_mut(part.0 as usize) {
                object.owner = Some(id);
            }
            return self.call_value(expr, &Value::object(part), arguments);
        }
        self.call_unknown(expr, None, arguments)
    }

    /// An attribute of a module that is nothing else is a part of it.
    pub(super) fn part_named(&mut self, id: ObjectId, name: Symbol) -> Value {
        if let Some(part) = self.parts.get(&(id, name)) {
            return Value::object(*part);
        }
        let Some(owner) = self.object(id).cloned() else { return Value::default() };
        let part = self.new_object(Object { kind: ObjectKind::Module, owner: Some(id), ..owner });
        self.parts.insert((id, name), part);
        Value::object(part)
    }

    /// Some module inside a module.
    pub(super) fn module_part(&mut self, id: ObjectId) -> Option<Value> {
        if !self.is_module(id) {
            return None;
        }
        let name = self.module.symbol("__getitem__").unwrap_or(Symbol(u32::MAX));
        Some(self.part_named(id, name))
    }

    fn parts_of(&mut self, expr: ExprId, id: ObjectId) -> Value {
        let part = self.module_part(id).unwrap_or_default();
        let list = self.allocate(expr, 0, ObjectKind::Bounded(None));
        self.state.set(Place::Items(list), part);
        Value::object(list)
    }

    /// Pairs of a name and an item.
    pub(super) fn named(&mut self, expr: ExprId, item: Value) -> Value {
        let pair = self.allocate(expr, 1, ObjectKind::Tuple);
        self.state.set(Place::Item(pair, Key::Index(0)), Value::plain(What::Text));
        self.state.set(Place::Item(pair, Key::Index(1)), item);
        let list = self.allocate(expr, 0, ObjectKind::Bounded(None));
        self.state.set(Place::Items(list), Value::object(pair));
        Value::object(list)
    }

    fn set_evaluating(&mut self, expr: ExprId, id: ObjectId, evaluating: bool) -> Value {
        let frame = self.frame();
        let mode = if evaluating { Constant::Int(i64::from(frame.0)) } else { Constant::Bool(false) };
        if evaluating {
            self.record.evaluated.insert((id, frame), self.module.expr(expr).span);
        }
        self.state.set(Place::Flag(id, Flag::Evaluating), Value::constant(mode));
        Value::object(id)
    }

    pub(super) fn set_requires_grad(&mut self, id: ObjectId, on: Option<bool>) {
        let frozen = on.map_or_else(Value::default, |on| Value::constant(Constant::Bool(!on)));
        if on != Some(false) {
            // A part that takes gradients makes its owner take some, too.
            let mut owner = self.object(id).and_then(|object| object.owner);
            while let Some(above) = owner {
                self.state.set(Place::Flag(above, Flag::Frozen), Value::default());
                owner = self.object(above).and_then(|object| object.owner);
            }
        }
        // What is done to every part is done to the whole.
        let owner = self.object(id).and_then(|object| object.owner);
        if let Some(owner) = owner
            && self.module_part(owner) == Some(Value::object(id))
        {
            self.state.set(Place::Flag(owner, Flag::Frozen), frozen.clone());
        }
        self.state.set(Place::Flag(id, Flag::Frozen), frozen);
    }

    /// What a flag of a module says, or the same flag of what it is a part of.
    fn inherited(&self, id: ObjectId, flag: Flag) -> Option<Value> {
        let mut current = Some(id);
        for _ in 0..DEEPEST_PART {
            let module = current?;
            if let Some(value) = self.state.flag(module, flag) {
                return Some(value.clone());
            }
            current = self.object(module)?.owner;
        }
        None
    }

    /// A module is called.
    pub(super) fn forward(&mut self, expr: ExprId, id: ObjectId, arguments: &Arguments) -> Value {
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
        let followed = self.follow_forward(expr, id, arguments);
        if let Some(result) = &followed
            && !self.has_parameters(id, 0)
        {
            return result.clone();
        }
        if self.record.by_usage.contains(&id)
            && arguments.keywords.iter().any(|(_, value)| value.as_text().is_some())
        {
            // `model(x, mode="inference")`: what it does then is in another file.
            return self.call_unknown(expr, None, arguments);
        }
        let frozen = self.inherited(id, Flag::Frozen).map(|frozen| frozen.truth());
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
                    switched_on: self.switched_on > 0,
                    in_module: self.is_in_module_method(),
                    by_usage: self.record.by_usage.contains(&id),
                    calls: self.calls.iter().filter_map(|call| Some((call.call?, call.loops))).collect(),
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

    /// Whether a module has, or may have, parameters that take gradients.
    fn has_parameters(&self, id: ObjectId, depth: usize) -> bool {
        let class = match self.object(id).map(|object| &object.kind) {
            Some(ObjectKind::Applies { .. }) => return false,
            Some(ObjectKind::Instance(class)) if depth < DEEPEST_PART => *class,
            _ => return true,
        };
        let bare = |base: &Option<String>| base.as_deref() == Some("torch.nn.Module");
        if !self.base_paths(class).iter().all(bare) {
            return true;
        }
        self.state.attributes(id).any(|value| match &value.what {
            What::Objects(objects) => objects.iter().any(|object| {
                let has_any = self.is_module(*object) && self.has_parameters(*object, depth + 1);
                let is_collection = !self.is_module(*object) && self.state.items(*object).next().is_some();
                has_any || is_collection
            }),
            What::Unknown | What::Moved => true,
            _ => !value.graph.is_empty(),
        })
    }

    /// What the `forward` of a module of this file returns, if it can be followed.
    fn follow_forward(&mut self, expr: ExprId, id: ObjectId, arguments: &Arguments) -> Option<Value> {
        let ObjectKind::Instance(class) = self.object(id)?.kind else { return None };
        let method = self.module.symbol("forward").and_then(|name| self.method_of(class, name))?;
        Some(self.call_closure(expr, self.bound(method, id), arguments))
    }

    /// The result of a forward pass with its structure, where every part that may carry a graph carries that of the
    /// pass.
    fn with_graph(&mut self, expr: ExprId, result: &Value, graph: &NodeSet) -> Value {
        let Some(object) = result.single_object() else {
            let is_value = result.what.is_tensor() || matches!(result.what, What::Number | What::Constant(_));
            let plain = result.graph.is_empty() && is_value;
            return if plain { result.clone() } else { Value::tensor(graph.clone()) };
        };
        let kind = self.object(object).map(|object| object.kind.clone());
        let Some(kind @ (ObjectKind::Tuple | ObjectKind::Dict | ObjectKind::List)) = kind else {
            return Value::tensor(graph.clone());
        };
        let parts: Vec<(Option<Key>, Value)> =
            self.state.items(object).map(|(key, part)| (key.cloned(), part.clone())).collect();
        let copy = self.allocate(expr, 8, kind);
        for (key, part) in parts {
            let plain = self.graph_of(&part).is_empty() && !matches!(part.what, What::Unknown | What::Moved);
            let part = if plain { part } else { Value::tensor(graph.clone()) };
            let place = key.map_or(Place::Items(copy), |key| Place::Item(copy, key));
            self.state.set(place, part);
        }
        Value::object(copy)
    }

    /// Whether the code that runs is a method of a module, or an object that is called.
    fn is_in_module_method(&self) -> bool {
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
    fn evaluating_since(&self, id: ObjectId) -> Option<vramlens_grammars::Span> {
        let mode = self.inherited(id, Flag::Evaluating)?;
        let Some(Constant::Int(frame)) = mode.as_constant() else { return None };
        let here = |call: &crate::python::interpret::Activation| i64::from(call.frame.0) == *frame;
        // What the module itself puts in evaluation mode stays in it, whoever runs it.
        let active = *frame == 0 || self.calls.iter().any(here);
        if !active {
            return None;
        }
        let mut current = Some(id);
        while let Some(module) = current {
            let frame = crate::python::value::FrameId(u32::try_from(*frame).ok()?);
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

    pub(super) fn call_optimizer_method(
        &mut self,
        expr: ExprId,
        name: Symbol,
        arguments: &Arguments,
    ) -> Value {
        let is_step = self.module.name(name) == "step";
        if is_step {
            self.note_training();
        }
        match arguments.all().next().map(|given| given.what.clone()) {
            // What the closure returns, the step returns.
            Some(What::Function(closure)) if is_step => {
                self.call_closure(expr, closure, &Arguments::default())
            }
            _ => Value::default(),
        }
    }

    /// A method of a library object that keeps nothing. Scalers and accelerators pass through what they are given.
    pub(super) fn call_inert_method(
        &mut self,
        expr: ExprId,
        path: &Rc<str>,
        name: Symbol,
        arguments: &Arguments,
    ) -> Value {
        let text = self.module.name(name);
        match self.knowledge.call(path) {
            Some(CallEffect::Scaler) => match text {
                "scale" => arguments.first(),
                "step" => {
                    self.note_training();
                    Value::default()
                }
                _ => Value::default(),
            },
            Some(CallEffect::Accelerator) => self.call_accelerator_method(expr, text, arguments),
            _ => {
                let given: Vec<Value> = arguments.all().cloned().collect();
                self.consume_all(arguments);
                self.call_back(expr, &given);
                match self.knowledge.module_method(text) {
                    Some(ModuleEffect::Itself | ModuleEffect::Evaluates | ModuleEffect::Trains) => {
                        self.inert(expr, path)
                    }
                    _ => Value::default(),
                }
            }
        }
    }

    fn call_accelerator_method(&mut self, expr: ExprId, name: &str, arguments: &Arguments) -> Value {
        match name {
            "backward" => {
                self.backward(expr, &Value::default(), arguments);
                Value::default()
            }
            "prepare" | "setup" | "setup_module" | "setup_dataloaders" | "setup_optimizers" => {
                if let [only] = arguments.positional.as_slice() {
                    return only.clone();
                }
                let parts = self.allocate(expr, 0, ObjectKind::Tuple);
                for (index, value) in arguments.positional.iter().enumerate() {
                    let key = Key::Index(i64::try_from(index).unwrap_or(i64::MAX));
                    self.state.set(Place::Item(parts, key), value.clone());
                }
                Value::object(parts)
            }
            "gather" | "gather_for_metrics" | "reduce" | "all_gather" | "all_reduce" => {
                self.consume_all(arguments);
                Value::plain(What::Tensor)
            }
            "unwrap_model" => arguments.first(),
            _ => Value::default(),
        }
    }
}
