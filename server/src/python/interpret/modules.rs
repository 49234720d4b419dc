//! Neural network modules: forward passes, modes, parameters, parts.

use std::rc::Rc;

use crate::knowledge::{CallEffect, ModuleEffect, Role};
use crate::python::graph::NodeKind;
use crate::python::interpret::Interpreter;
use crate::python::interpret::arguments::Arguments;
use crate::python::syntax::{ClassId, Constant, ExprId, Symbol};
use crate::python::value::{Flag, Key, Object, ObjectId, ObjectKind, Place, Value, What};

/// The path of what names the tensors of a module.
const STATE_DICT: &str = "torch.nn.Module.state_dict";

/// How far up a module's owners a flag is looked for.
pub(super) const DEEPEST_PART: usize = 8;

impl Interpreter<'_> {
    /// Whether an object is a neural network module.
    pub(super) fn is_module(&self, id: ObjectId) -> bool {
        match self.object(id).map(|object| &object.kind) {
            Some(ObjectKind::Module | ObjectKind::Applies { .. }) => true,
            Some(ObjectKind::Instance(class)) => self.is_module_class(*class),
            _ => false,
        }
    }

    /// The names and parameters of whichever of several modules it is.
    pub(super) fn named_parameters_of_all(
        &mut self,
        expr: ExprId,
        modules: &[ObjectId],
        method: &str,
    ) -> Option<Value> {
        let names = self.knowledge.module_method(method) == Some(ModuleEffect::NamedParameters);
        if !names || modules.len() < 2 || !modules.iter().all(|id| self.is_module(*id)) {
            return None;
        }
        Some(self.named(expr, Value::plain(What::ParameterOf(modules.into()))))
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
            ModuleEffect::Itself => {
                self.move_module(id, text, arguments);
                itself
            }
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
            ModuleEffect::NoGraph | ModuleEffect::LoadsState => {
                self.consume_all(arguments);
                Value::plain(What::Tensor)
            }
            ModuleEffect::StateDict => self.state_dict(expr, id),
            ModuleEffect::HooksOutput => self.hook(expr, id, arguments, true),
            ModuleEffect::HooksInput => self.hook(expr, id, arguments, false),
            ModuleEffect::NeutralContext => Value::default(),
        }
    }

    /// Whether a noted call of this role made an object.
    fn is_made_as(&self, id: ObjectId, role: Role) -> bool {
        let maker = self.happenings.maker(id).and_then(|maker| self.happenings.noted.get(maker));
        maker.is_some_and(|maker| maker.role == role)
    }

    /// The tensors of a module by name: a view of the module itself.
    fn state_dict(&mut self, expr: ExprId, module: ObjectId) -> Value {
        let path: Rc<str> = Rc::from(STATE_DICT);
        let named = self.inert(expr, &path);
        if let Some(role) = self.called_path(&path).role {
            let of = Arguments::positional(vec![Value::object(module)]);
            self.note_call(expr, (&path, role), &of, &named);
        }
        named
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
    pub(super) fn inherited(&self, id: ObjectId, flag: Flag) -> Option<Value> {
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
        id: ObjectId,
        name: Symbol,
        arguments: &Arguments,
    ) -> Value {
        let Some(ObjectKind::Inert(path)) = self.object(id).map(|object| object.kind.clone()) else {
            return Value::default();
        };
        let text = self.module.name(name);
        match self.called_path(&path).effect {
            Some(CallEffect::Scaler) => match text {
                "scale" => arguments.first(),
                "step" => {
                    self.note_training();
                    Value::default()
                }
                _ => Value::default(),
            },
            Some(CallEffect::Accelerator) => self.call_accelerator_method(expr, text, arguments),
            Some(CallEffect::OptionParser) => self.call_parser_method(expr, id, text, arguments),
            _ if self.called_path(&Rc::from(format!("{path}.{text}"))).effect
                == Some(CallEffect::Operation) =>
            {
                self.operation(expr, NodeKind::Operation, arguments, false)
            }
            _ => {
                let given: Vec<Value> = arguments.all().cloned().collect();
                self.consume_all(arguments);
                self.call_back(expr, &given);
                match self.knowledge.module_method(text) {
                    // A trainer's method of that name trains, and returns what it measured.
                    Some(ModuleEffect::Trains) if self.is_made_as(id, Role::Trainer) => Value::default(),
                    Some(ModuleEffect::Itself | ModuleEffect::Evaluates | ModuleEffect::Trains) => {
                        Value::object(id)
                    }
                    _ => self.embedded(&path, text, arguments),
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
                    return self.prepared(only);
                }
                let parts = self.allocate(expr, 0, ObjectKind::Tuple);
                for (index, value) in arguments.positional.iter().enumerate() {
                    let key = Key::Index(i64::try_from(index).unwrap_or(i64::MAX));
                    let prepared = self.prepared(value);
                    self.state.set(Place::Item(parts, key), prepared);
                }
                Value::object(parts)
            }
            "gather" | "gather_for_metrics" | "reduce" | "all_gather" | "all_reduce" => {
                self.consume_all(arguments);
                self.gathered(expr, arguments)
            }
            "unwrap_model" => arguments.first(),
            _ => Value::default(),
        }
    }
}
