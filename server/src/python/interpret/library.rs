//! Calls into libraries: what their rows say.

use std::rc::Rc;

use crate::knowledge::CallEffect;
use crate::python::graph::{NodeKind, NodeSet};
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::{CalledPath, Interpreter, Site};
use crate::python::state::GradMode;
use crate::python::syntax::{Constant, ExprId};
use crate::python::value::{Flag, Key, ObjectId, ObjectKind, Place, Value, What};

/// Names of pretrained classes that are not modules end in these.
const NOT_MODULES: &[&str] = &["Tokenizer", "TokenizerFast", "Processor", "Config", "Extractor", "Scheduler"];

impl Interpreter<'_> {
    pub(super) fn call_library(&mut self, expr: ExprId, path: &Rc<str>, arguments: &Arguments) -> Value {
        let CalledPath { effect, role, process } = self.called_path(path);
        self.note_imported(path);
        if path.starts_with("torch.distributed.") {
            self.note_collective(path, arguments);
        }
        if self.guarded > 0 && !path.starts_with('.') {
            self.happenings.guarded_library_calls.insert(expr);
        }
        if let Some(process) = process {
            self.note_process_call(expr, process, arguments);
        }
        let made = if effect.is_none() && role.is_some() {
            self.consume_all(arguments);
            self.inert(expr, path)
        } else {
            let result = self.library_result(expr, (path, effect), arguments);
            self.stored_by_call(expr, result, (path, effect), arguments)
        };
        if let Some(role) = role {
            self.note_call(expr, (path, role), arguments, &made);
        }
        made
    }

    fn library_result(
        &mut self,
        expr: ExprId,
        (path, effect): (&Rc<str>, Option<CallEffect>),
        arguments: &Arguments,
    ) -> Value {
        let Some(effect) = effect else {
            if path.ends_with(".backward") {
                self.backward(expr, &Value::default(), arguments);
            }
            return self.call_unknown(expr, None, arguments);
        };
        match effect {
            CallEffect::Opaque => self.call_unknown(expr, None, arguments),
            CallEffect::Loaded => {
                self.call_unknown(expr, None, arguments);
                Value::object(self.allocate(expr, 0, ObjectKind::Loaded))
            }
            CallEffect::Arithmetic => {
                self.operation(expr, NodeKind::Arithmetic, arguments, self.all_scalar(arguments))
            }
            CallEffect::Operation => self.operation(expr, NodeKind::Operation, arguments, false),
            CallEffect::Concatenation => self.operation(expr, NodeKind::Concatenation, arguments, false),
            CallEffect::Reduction => {
                self.operation(expr, NodeKind::Reduction, arguments, arguments.len() == 1)
            }
            CallEffect::Loss => {
                let scalar = self.reduces(arguments);
                self.operation(expr, NodeKind::Operation, arguments, scalar)
            }
            CallEffect::Sum => self.python_sum(expr, arguments),
            CallEffect::ValuesAndIndices => match arguments.positional.get(1) {
                // `torch.max(one, other)` picks element by element.
                Some(other) if !other.is_number() => {
                    self.operation(expr, NodeKind::Operation, arguments, false)
                }
                _ => self.values_and_indices(expr, &arguments.first(), arguments.len() > 1),
            },
            CallEffect::Leaf => self.leaf(expr, NodeKind::Parameter),
            CallEffect::NewTensor | CallEffect::NewNoise => self.new_tensor(expr, effect, arguments),
            CallEffect::Inert => {
                let given: Vec<Value> = arguments.all().cloned().collect();
                given.iter().for_each(|value| self.show(value));
                self.call_back(expr, &given);
                Value::plain(What::Number)
            }
            CallEffect::NoGraph | CallEffect::Numbers | CallEffect::Text => {
                self.consume_all(arguments);
                Value::plain(match effect {
                    CallEffect::Text => What::Text,
                    CallEffect::NoGraph => What::Tensor,
                    _ => What::Number,
                })
            }
            CallEffect::InertObject => {
                self.note_data_object(expr, path, arguments);
                self.consume_all(arguments);
                self.inert(expr, path)
            }
            CallEffect::Same | CallEffect::NeutralDecorator => arguments.first(),
            CallEffect::MapsTree => self.mapped_tree(expr, arguments),
            CallEffect::Copies => self.copied(expr, &arguments.first()),
            CallEffect::RunsForEachBatch => {
                let function = arguments.first();
                self.run_loop(Site::Expr(expr), |it| {
                    it.call_value(expr, &function, &Arguments::default());
                });
                self.inert(expr, path)
            }
            CallEffect::RunsTarget | CallEffect::RunsTargetByRank => {
                self.run_target(expr, effect == CallEffect::RunsTargetByRank, arguments);
                self.inert(expr, path)
            }
            CallEffect::Wraps => Self::wrapped(arguments),
            CallEffect::Module | CallEffect::Layer => self.new_module(expr, (path, effect), arguments),
            CallEffect::PlainModule | CallEffect::LossModule => Value::object(self.allocate(
                expr,
                0,
                ObjectKind::Applies { loss: effect == CallEffect::LossModule },
            )),
            CallEffect::Pretrained => self.pretrained(expr, path),
            CallEffect::PretrainedPair => self.pretrained_pair(expr, path),
            CallEffect::Device | CallEffect::EnvironmentOption | CallEffect::Path => {
                self.text_of_call(effect, arguments)
            }
            CallEffect::ExitStack => Value::object(self.allocate(expr, 0, ObjectKind::ExitStack)),
            CallEffect::RecordClass => Value::library(&format!("{path}()")),
            CallEffect::Optimizer => self.new_optimizer(expr, arguments),
            CallEffect::Scaler | CallEffect::Accelerator | CallEffect::OptionParser => {
                Value::object(self.allocate(expr, 0, ObjectKind::Inert(path.clone())))
            }
            CallEffect::Engine => self.engine(expr, arguments),
            CallEffect::Backward => {
                self.backward(expr, &Value::default(), arguments);
                Value::plain(What::Tensor)
            }
            CallEffect::AppliesFunction | CallEffect::Partial => self.applied(expr, effect, arguments),
            CallEffect::GradOff
            | CallEffect::GradOffUnlessFalse
            | CallEffect::GradOn
            | CallEffect::GradSwitch
            | CallEffect::GradMode
            | CallEffect::NeutralContext => self.grad_call(effect, arguments),
            CallEffect::ExpectsFailure => Value::default(),
            _ => self.call_builtin(expr, effect, arguments),
        }
    }

    fn grad_call(&mut self, effect: CallEffect, arguments: &Arguments) -> Value {
        let argument = arguments.all().next().map(Value::truth);
        match effect {
            // `no_grad(f)` is `f`, decorated: what it does is known when it is called.
            CallEffect::GradOff | CallEffect::GradOn
                if matches!(arguments.first().what, What::Function(_) | What::Objects(_)) =>
            {
                Value::default()
            }
            CallEffect::GradOff => Value::plain(What::GradientSwitch(Some(false))),
            CallEffect::GradOn => Value::plain(What::GradientSwitch(Some(true))),
            CallEffect::GradOffUnlessFalse => {
                let off = argument.unwrap_or(Some(true));
                Value::plain(What::GradientSwitch(off.map(|off| !off)))
            }
            CallEffect::GradSwitch => {
                let to = argument.flatten();
                self.state.grad = GradMode::switched(to);
                Value::plain(What::GradientSwitch(to))
            }
            CallEffect::GradMode => self.grad_is_on(),
            _ => Value::default(),
        }
    }

    /// An operation on everything it is given.
    pub(super) fn operation(
        &mut self,
        expr: ExprId,
        kind: NodeKind,
        arguments: &Arguments,
        scalar: bool,
    ) -> Value {
        let operands: Vec<&Value> = arguments.all().collect();
        Value::tensor(self.record_node(Site::Expr(expr), kind, false, scalar, &operands))
    }

    /// A tensor and where its values came from: only the values have history.
    pub(super) fn values_and_indices(&mut self, expr: ExprId, tensor: &Value, by_dimension: bool) -> Value {
        let graph = self.record_node(Site::Expr(expr), NodeKind::Operation, false, !by_dimension, &[tensor]);
        if !by_dimension {
            return Value::tensor(graph);
        }
        let pair = self.allocate(expr, 0, ObjectKind::Tuple);
        self.state.set(Place::Item(pair, Key::Index(0)), Value::tensor(graph));
        self.state.set(Place::Item(pair, Key::Index(1)), Value::plain(What::Tensor));
        Value::object(pair)
    }

    fn python_sum(&mut self, expr: ExprId, arguments: &Arguments) -> Value {
        let mut operands: Vec<Value> = arguments.all().cloned().collect();
        if let Some(first) = operands.first_mut() {
            *first = self.item_of(first);
        }
        let scalar = operands.iter().all(|operand| self.is_scalar(operand));
        let operands: Vec<&Value> = operands.iter().collect();
        let graph = self.record_node(Site::Expr(expr), NodeKind::Arithmetic, false, scalar, &operands);
        if graph.is_empty() { Value::default() } else { Value::tensor(graph) }
    }

    fn leaf(&mut self, expr: ExprId, kind: NodeKind) -> Value {
        Value::tensor(self.record_node(Site::Expr(expr), kind, true, false, &[]))
    }

    fn new_tensor(&mut self, expr: ExprId, effect: CallEffect, arguments: &Arguments) -> Value {
        self.consume_all(arguments);
        if let Some(device) = self.keyword(arguments, "device") {
            self.note_device(Site::Expr(expr), &device);
        }
        if self.keyword(arguments, "requires_grad").and_then(|value| value.truth()) == Some(true) {
            return self.leaf(expr, NodeKind::Leaf);
        }
        Value::plain(if effect == CallEffect::NewNoise { What::Noise } else { What::Tensor })
    }

    pub(super) fn inert(&mut self, expr: ExprId, path: &Rc<str>) -> Value {
        Value::object(self.allocate(expr, 0, ObjectKind::Inert(path.clone())))
    }

    fn new_optimizer(&mut self, expr: ExprId, arguments: &Arguments) -> Value {
        let optimizer = self.allocate(expr, 0, ObjectKind::Optimizer);
        if let What::ParameterOf(modules) = arguments.first().what {
            modules.iter().for_each(|module| self.happenings.keep(optimizer, *module));
            self.record.optimized.extend(modules);
        }
        Value::object(optimizer)
    }

    fn new_module(
        &mut self,
        expr: ExprId,
        (path, effect): (&Rc<str>, CallEffect),
        arguments: &Arguments,
    ) -> Value {
        let module = self.allocate(expr, 0, ObjectKind::Module);
        self.record.made_from.insert(module, path.clone());
        self.note_head(module, path, arguments);
        if effect == CallEffect::Layer {
            self.state.set(Place::Flag(module, Flag::ReturnsTensor), Value::constant(Constant::Bool(true)));
        }
        // A container of modules is one of its parts away from them.
        let parts: Vec<Value> = arguments.positional.clone();
        for part in parts {
            let mut held = vec![part.clone()];
            self.each_held(&part, &mut |value| held.push(value.clone()));
            for value in held {
                if value.objects().iter().any(|id| self.is_module(*id)) {
                    self.state.add(Place::Items(module), &value);
                }
            }
        }
        Value::object(module)
    }

    /// What a library's `from_pretrained` makes, by the name of its class.
    fn pretrained(&mut self, expr: ExprId, path: &Rc<str>) -> Value {
        let class = path.rsplit('.').nth(1).unwrap_or_default();
        if NOT_MODULES.iter().any(|end| class.ends_with(end)) || class.contains("Pipeline") {
            return self.inert(expr, path);
        }
        Value::object(self.allocate(expr, 0, ObjectKind::Module))
    }

    /// A model and its tokenizer.
    fn pretrained_pair(&mut self, expr: ExprId, path: &Rc<str>) -> Value {
        let model = self.pretrained(expr, path);
        let pair = self.allocate(expr, 1, ObjectKind::Tuple);
        self.state.set(Place::Item(pair, Key::Index(0)), model);
        self.state.set(Place::Item(pair, Key::Index(1)), Value::default());
        Value::object(pair)
    }

    /// What a function makes of the leaves of a tree.
    fn mapped_tree(&mut self, expr: ExprId, arguments: &Arguments) -> Value {
        let (functions, trees): (Vec<Value>, Vec<Value>) =
            arguments.all().cloned().partition(|value| matches!(value.what, What::Function(_)));
        let mut graph = NodeSet::default();
        trees.iter().for_each(|tree| graph.extend(&self.graph_of(tree)));
        let leaf = Value::tensor(graph);
        match functions.first() {
            Some(function) => self.call_value(expr, function, &Arguments::positional(vec![leaf])),
            None => self.call_unknown(expr, None, arguments),
        }
    }

    /// A copy of a module has modes and parts of its own; a copy of anything else is as good as the thing.
    fn copied(&mut self, expr: ExprId, original: &Value) -> Value {
        let has_identity = |id: &ObjectId| {
            self.is_module(*id)
                || self.object(*id).is_some_and(|object| matches!(object.kind, ObjectKind::Inert(_)))
        };
        let Some(module) = original.single_object().filter(has_identity) else {
            return original.clone();
        };
        let Some(kind) = self.object(module).map(|object| object.kind.clone()) else {
            return original.clone();
        };
        let copy = self.allocate(expr, 0, kind);
        self.state.copy_object(module, copy);
        Value::object(copy)
    }

    fn wrapped(arguments: &Arguments) -> Value {
        let first = arguments.all().next().cloned().unwrap_or_default();
        match &first.what {
            // `torch.compile` of a function is the function.
            What::Objects(_) | What::Function(_) | What::Class(..) => first,
            _ => Value { what: What::Moved, ..first },
        }
    }

    fn engine(&mut self, expr: ExprId, arguments: &Arguments) -> Value {
        let model = self.keyword(arguments, "model").filter(|value| !value.objects().is_empty());
        let engine = model.unwrap_or_else(|| Value::object(self.allocate(expr, 1, ObjectKind::Module)));
        let parts = self.allocate(expr, 0, ObjectKind::Tuple);
        self.state.set(Place::Item(parts, Key::Index(0)), engine);
        let optimizer = self.allocate(expr, 2, ObjectKind::Optimizer);
        self.state.set(Place::Item(parts, Key::Index(1)), Value::object(optimizer));
        Value::object(parts)
    }

    fn applied(&mut self, expr: ExprId, effect: CallEffect, arguments: &Arguments) -> Value {
        if effect == CallEffect::Partial {
            return arguments.first();
        }
        let mut rest = arguments.clone();
        if rest.positional.is_empty() {
            return self.call_unknown(expr, None, arguments);
        }
        let called = rest.positional.remove(0);
        self.call_value(expr, &called, &rest)
    }

    /// Whether a loss reduces to one number.
    pub(super) fn reduces(&self, arguments: &Arguments) -> bool {
        let reduction = self.keyword(arguments, "reduction");
        reduction
            .is_none_or(|value| matches!(value.as_constant(), Some(Constant::Text(text)) if text != "none"))
    }

    fn all_scalar(&self, arguments: &Arguments) -> bool {
        arguments.all().all(|value| self.is_scalar(value))
    }

    /// Whether a value is one number: a Python number, or a tensor that every way through is one.
    pub(super) fn is_scalar(&self, value: &Value) -> bool {
        if value.graph.is_empty() {
            return value.is_number();
        }
        value.objects().is_empty() && value.graph.iter().all(|node| self.graph.node(node).scalar)
    }

    pub(super) fn consume_all(&mut self, arguments: &Arguments) {
        let mut graph = NodeSet::default();
        arguments.all().for_each(|value| graph.extend(&self.graph_of(value)));
        self.consume_graph(&graph);
    }
}
