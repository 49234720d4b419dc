//! Comparing, and what a condition tells about the values in it.
use crate::python::graph::NodeSet;
use crate::python::interpret::Interpreter;
use crate::python::interpret::statements::none;
use crate::python::state::GradMode;
use crate::python::syntax::{Argument, CompareOp, Constant, ExprId, ExprKind, UnaryOp};
use crate::python::value::{Place, Value, What};

/// Types whose instances carry no graph.
const PLAIN_TYPES: &[&str] = &[
    "builtins.int",
    "builtins.float",
    "builtins.str",
    "builtins.bool",
    "builtins.bytes",
    "numbers.Number",
    "numpy.ndarray",
    "numpy.generic",
];

/// The paths of the tensor type.
const TENSOR_TYPES: &[&str] =
    &["torch.Tensor", "torch.FloatTensor", "torch.autograd.Variable", "torch.nn.Parameter"];

impl Interpreter<'_> {
    pub(super) fn compare(&mut self, left: ExprId, rest: &[(CompareOp, ExprId)]) -> Value {
        let mut before = self.eval(left);
        let mut result = Value::default();
        for (op, operand) in rest {
            let after = self.eval(*operand);
            self.consume(&before);
            self.consume(&after);
            result = compared(*op, &before, &after);
            before = after;
        }
        if rest.len() == 1 { result } else { Value::default() }
    }

    /// Takes a condition as given, or its opposite: what that says about names and attributes in it.
    pub(super) fn assume(&mut self, test: ExprId, holds: bool) {
        if !self.live {
            return;
        }
        let module = self.module;
        match &module.expr(test).kind {
            ExprKind::Unary { op: UnaryOp::Not, operand } => self.assume(*operand, !holds),
            ExprKind::Logical { and, values } if *and == holds => {
                values.iter().for_each(|value| self.assume(*value, holds));
            }
            ExprKind::Compare { left, rest } => {
                if let [(op @ (CompareOp::Is | CompareOp::IsNot), operand)] = rest.as_slice()
                    && matches!(module.expr(*operand).kind, ExprKind::Constant(Constant::None))
                    && (*op == CompareOp::Is) == holds
                {
                    self.narrow(*left, |_| none());
                }
            }
            ExprKind::Call { callee, arguments } => self.assume_call(*callee, arguments, holds),
            ExprKind::Attribute { object, name, .. } if module.name(*name) == "requires_grad" && !holds => {
                self.narrow(*object, without_graph);
            }
            _ => {}
        }
    }

    fn assume_call(&mut self, callee: ExprId, arguments: &[Argument], holds: bool) {
        let What::Library(path) = self.eval(callee).what else { return };
        self.note_imported(&path);
        let Some(first) = arguments.first() else { return };
        let type_path = |it: &mut Self| {
            let second = arguments.get(1).map(|argument| it.eval(argument.value));
            second.map(|value| it.type_paths(&value)).unwrap_or_default()
        };
        let is_tensor = match &*path {
            "torch.is_tensor" => true,
            "builtins.isinstance" => {
                let types = type_path(self);
                let plain = types.iter().all(|path| PLAIN_TYPES.contains(&path.as_str()));
                if !types.is_empty() && plain && holds {
                    self.narrow(first.value, without_graph);
                }
                types.iter().any(|path| TENSOR_TYPES.contains(&path.as_str()))
            }
            "builtins.hasattr" => {
                let name = arguments.get(1).map(|argument| self.eval(argument.value)).unwrap_or_default();
                matches!(name.as_text(), Some("item" | "detach" | "backward" | "grad_fn"))
            }
            _ => false,
        };
        if is_tensor && !holds {
            self.narrow(first.value, without_graph);
        }
    }

    /// The canonical paths of a type or a tuple of types.
    fn type_paths(&self, types: &Value) -> Vec<String> {
        let mut paths = Vec::new();
        let mut note = |value: &Value| {
            if let What::Library(path) = &value.what {
                paths.push(path.to_string());
            }
        };
        note(types);
        self.each_held(types, &mut note);
        paths
    }

    /// Changes what a name or attribute is known to be.
    fn narrow(&mut self, expr: ExprId, change: impl Fn(&Value) -> Value) {
        if !matches!(self.module.expr(expr).kind, ExprKind::Name(_) | ExprKind::Attribute { .. }) {
            return;
        }
        let value = self.eval(expr);
        if value.graph.is_empty() && !matches!(value.what, What::Unknown | What::Objects(_) | What::Either(_))
        {
            return;
        }
        let narrowed = change(&value);
        if narrowed == value {
            return;
        }
        match &self.module.expr(expr).kind {
            ExprKind::Name(name) => {
                let place = Place::Variable(self.home_frame(*name), *name);
                self.state.set(place, narrowed);
            }
            ExprKind::Attribute { object, name, .. } => {
                let holder = self.eval(*object);
                if let Some(id) = holder.single_object() {
                    self.state.set(Place::Attribute(id, *name), narrowed);
                }
            }
            _ => {}
        }
    }

    /// Whether gradients are on, as `torch.is_grad_enabled()` says.
    pub(super) fn grad_is_on(&self) -> Value {
        match self.state.grad {
            GradMode::On => Value::constant(Constant::Bool(true)),
            GradMode::Off => Value::constant(Constant::Bool(false)),
            GradMode::Unknown => Value::default(),
        }
    }
}

fn without_graph(value: &Value) -> Value {
    Value { graph: NodeSet::default(), ..value.clone() }
}

fn compared(op: CompareOp, left: &Value, right: &Value) -> Value {
    let known = |truth: bool| Value::constant(Constant::Bool(truth));
    let certainly_not_none = |value: &Value| {
        value.what.is_tensor()
            || matches!(value.what, What::Function(_) | What::Class(..) | What::Number)
            || value.what.is_text()
    };
    match (op, left.as_constant(), right.as_constant()) {
        (CompareOp::Equal | CompareOp::Is, Some(left), Some(right)) => known(left == right),
        (CompareOp::NotEqual | CompareOp::IsNot, Some(left), Some(right)) => known(left != right),
        (CompareOp::Is, _, Some(Constant::None)) if certainly_not_none(left) => known(false),
        (CompareOp::IsNot, _, Some(Constant::None)) if certainly_not_none(left) => known(true),
        (op, Some(left), Some(right)) => ordered(op, left, right).map_or_else(Value::default, known),
        _ if left.what.is_tensor() || right.what.is_tensor() => Value::plain(What::Tensor),
        _ => Value::default(),
    }
}

fn ordered(op: CompareOp, left: &Constant, right: &Constant) -> Option<bool> {
    let (Constant::Int(left), Constant::Int(right)) = (left, right) else { return None };
    match op {
        CompareOp::Less => Some(left < right),
        CompareOp::LessOrEqual => Some(left <= right),
        CompareOp::Greater => Some(left > right),
        CompareOp::GreaterOrEqual => Some(left >= right),
        _ => None,
    }
}
