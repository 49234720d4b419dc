//! Evaluating expressions.

use std::rc::Rc;

use smallvec::SmallVec;

use crate::knowledge::AttributeEffect;
use crate::python::graph::{NodeId, NodeKind, NodeSet};
use crate::python::interpret::logits::names_logits;
use crate::python::interpret::{Interpreter, Site};
use crate::python::state::join_ways;
use crate::python::storage::{Size, Storage};
use crate::python::syntax::{BinaryOp, Constant, ExprId, ExprKind, Symbol, UnaryOp};
use crate::python::value::{Closure, Key, ObjectId, ObjectKind, Place, Value, What};
use crate::python::visit;

impl Interpreter<'_> {
    pub(super) fn eval(&mut self, expr: ExprId) -> Value {
        if !self.live || !self.step() {
            return Value::default();
        }
        stacker::maybe_grow(128 * 1024, 1024 * 1024, || self.eval_kind(expr))
    }

    fn eval_kind(&mut self, expr: ExprId) -> Value {
        let module = self.module;
        match &module.expr(expr).kind {
            ExprKind::Name(name) => {
                let value = self.read_name(expr, *name);
                self.note_read(&value);
                value
            }
            ExprKind::Constant(constant) => Value::constant(constant.clone()),
            ExprKind::FormattedText(parts) => self.formatted(parts),
            ExprKind::Attribute { object, name, .. } => {
                let value = self.eval(*object);
                let value = self.attribute(expr, &value, *name);
                self.note_read(&value);
                value
            }
            ExprKind::Subscript { object, index } => self.subscript(expr, *object, *index),
            ExprKind::Call { callee, arguments } => self.call(expr, *callee, arguments),
            ExprKind::Unary { op, operand } => self.unary(expr, *op, *operand),
            ExprKind::Binary { op, left, right } => {
                let (one, other) = (self.eval(*left), self.eval(*right));
                self.note_tensor(*left, &one);
                self.note_tensor(*right, &other);
                self.combine_expr(expr, *op, &one, &other)
            }
            ExprKind::Logical { and, values } => self.logical(*and, values),
            ExprKind::Compare { left, rest } => self.compare(*left, rest),
            ExprKind::Conditional { test, body, orelse } => self.conditional(*test, *body, *orelse),
            ExprKind::Lambda(function) => {
                let closure = Closure { function: *function, frame: self.frame(), receiver: None };
                Value::plain(What::Function(closure))
            }
            ExprKind::List(items) | ExprKind::Set(items) => self.display(expr, ObjectKind::List, items),
            ExprKind::Tuple(items) => self.display(expr, ObjectKind::Tuple, items),
            ExprKind::Dict(entries) => self.dict(expr, entries),
            ExprKind::Comprehension { kind, element, value, clauses } => {
                self.comprehension(expr, *kind, *element, *value, clauses)
            }
            ExprKind::Await(value) | ExprKind::Starred(value) => self.eval(*value),
            ExprKind::Yield(value) => {
                let value = value.map(|value| self.eval(value)).unwrap_or_default();
                self.yielded(&value);
                Value::default()
            }
            ExprKind::YieldFrom(value) => {
                let iterated = self.eval(*value);
                let item = self.item_of(&iterated);
                self.yielded(&item);
                Value::default()
            }
            ExprKind::Walrus { target, value } => {
                let value = self.eval(*value);
                if let Some(stmt) = self.scopes.statement_of(expr) {
                    self.assign(*target, &value, stmt);
                }
                value
            }
            ExprKind::Slice { .. } | ExprKind::Unreadable(_) => {
                let mut inside = Vec::new();
                visit::children(module, expr, &mut |child| inside.push(child));
                inside.into_iter().for_each(|child| {
                    self.eval(child);
                });
                Value::default()
            }
        }
    }

    fn combine_expr(&mut self, expr: ExprId, op: BinaryOp, left: &Value, right: &Value) -> Value {
        if let (BinaryOp::Add, Some(mine), Some(theirs)) =
            (op, self.collection_of(left), self.collection_of(right))
        {
            // `kept + [item]` goes on as `kept`: what it holds so far, it still holds.
            let item = self.any_item(&Value::object(theirs));
            self.state.add(Place::Items(mine), &item);
            let ExprKind::Binary { left: kept, right: added, .. } = self.module.expr(expr).kind else {
                return left.clone();
            };
            self.collect(Site::Expr(expr), self.module.expr(kept).span, Some(added), mine, &item);
            return left.clone();
        }
        self.combine(Site::Expr(expr), op, left, right)
    }

    fn unary(&mut self, expr: ExprId, op: UnaryOp, operand: ExprId) -> Value {
        let value = self.eval(operand);
        match op {
            UnaryOp::Not => {
                value.truth().map_or_else(Value::default, |truth| Value::constant(Constant::Bool(!truth)))
            }
            UnaryOp::Minus => match value.as_constant() {
                Some(Constant::Int(number)) => Value::constant(Constant::Int(number.wrapping_neg())),
                Some(Constant::Float(number)) => Value::constant(Constant::Float(-number)),
                _ if value.graph.is_empty() => value,
                _ => {
                    let scalar = self.is_scalar(&value);
                    let site = Site::Expr(expr);
                    let graph = self.record_node(site, NodeKind::Arithmetic, false, scalar, &[&value]);
                    Value { stored: value.stored, ..Value::tensor(graph) }
                }
            },
            UnaryOp::Plus => value,
            UnaryOp::Invert => Value::plain(What::Tensor),
        }
    }

    fn logical(&mut self, and: bool, values: &[ExprId]) -> Value {
        let Some((first, rest)) = values.split_first() else { return Value::default() };
        let mut result = self.eval(*first);
        let before = self.state.clone();
        let mut decided = result.truth();
        self.assume(*first, and);
        for value in rest {
            if decided == Some(!and) {
                break;
            }
            let next = self.eval(*value);
            self.assume(*value, and);
            result = if decided.is_some() { next.clone() } else { result.join(&next) };
            decided = match (decided, next.truth()) {
                (Some(_), truth) => truth,
                (None, Some(truth)) if truth != and => Some(!and),
                (None, _) => None,
            };
            // `unknown and False` is false whatever the unknown part is.
            if decided == Some(!and) && result.truth().is_none() {
                result = Value::constant(Constant::Bool(!and));
            }
        }
        let way = self.take_way();
        self.resume(way.map(|state| before.join(&state)));
        result
    }

    fn conditional(&mut self, test: ExprId, body: ExprId, orelse: ExprId) -> Value {
        let truth = self.eval(test).truth();
        let before = self.state.clone();
        let mut result: Option<Value> = None;
        let mut after = None;
        let outside = self.enter_condition(truth.is_none(), false);
        for (holds, branch) in [(true, body), (false, orelse)] {
            if truth == Some(!holds) {
                continue;
            }
            self.resume(Some(before.clone()));
            self.assume(test, holds);
            let value = self.eval(branch);
            result = Some(result.map_or_else(|| value.clone(), |other| other.join(&value)));
            after = join_ways(after, self.take_way());
        }
        self.conditions.truncate(outside);
        self.resume(after);
        result.unwrap_or_default()
    }

    pub(super) fn yielded(&mut self, value: &Value) {
        if self.calls.len() == 1 {
            self.hand_back(value);
        }
        let grad = self.state.grad;
        if let Some(activation) = self.calls.last_mut() {
            activation.yielded_under = Some(grad);
            let joined = activation.yielded.take().map_or_else(|| value.clone(), |old| old.join(value));
            activation.yielded = Some(joined);
        }
    }

    /// `object.name`, read.
    pub(super) fn attribute(&mut self, expr: ExprId, object: &Value, name: Symbol) -> Value {
        let module = self.module;
        let text = module.name(name);
        if text == "device" && !matches!(object.what, What::Library(_)) {
            let device = self.device_of(object);
            if device.stored.places.is_known() {
                return device;
            }
        }
        match &object.what {
            What::Library(path) => {
                let path = format!("{path}.{text}");
                if let Some(namespace) = self.namespace(&path) {
                    return namespace;
                }
                let part = Value::library(&path);
                self.taught(expr, &part, None)
            }
            What::Namespace(unit) => {
                let value = self.namespace_attribute(*unit, name);
                self.taught(expr, &value, None)
            }
            What::Objects(ids) => {
                let ids = ids.clone();
                let values = ids.into_iter().map(|id| self.object_attribute(expr, id, name));
                Value::any_of(values).unwrap_or_default()
            }
            What::Class(class, _) => self.class_attribute(*class, name, None).unwrap_or_default(),
            What::Tensor | What::Output | What::Unknown | What::Moved
                if !object.graph.is_empty() || object.stored != Storage::default() =>
            {
                self.tensor_attribute(expr, object, name)
            }
            What::ParameterOf(_) => Value::plain(What::Tensor),
            _ => self.taught(expr, &Value::default(), None),
        }
    }

    fn tensor_attribute(&mut self, expr: ExprId, object: &Value, name: Symbol) -> Value {
        match self.knowledge.attribute(self.module.name(name)) {
            Some(AttributeEffect::NoGraph) => Value::default(),
            Some(AttributeEffect::Detached) => {
                self.consume(object);
                Value { stored: self.own_storage(object), ..Value::plain(What::Tensor) }
            }
            Some(AttributeEffect::Scalar) => {
                Value { stored: object.stored.sized(Size::Number), ..self.scalar_part(object) }
            }
            Some(AttributeEffect::PipelineResult) => {
                self.record.pipelines.extend(object.graph.iter());
                Value::default()
            }
            None => {
                let is_whole = object.what == What::Output && !names_logits(self.module.name(name));
                let logits = object.stored.logits.filter(|_| !is_whole);
                let part = Value { stored: Storage { logits, ..object.stored.part() }, ..object.clone() };
                self.taught(expr, &part, None)
            }
        }
    }

    /// A number that is part of a result: the same one wherever it is read.
    fn scalar_part(&mut self, whole: &Value) -> Value {
        let parts: Vec<NodeId> = whole.graph.iter().map(|node| self.record_scalar_part(node)).collect();
        Value::tensor(parts.into_iter().collect())
    }

    fn subscript(&mut self, expr: ExprId, object: ExprId, index: ExprId) -> Value {
        let holder = self.eval(object);
        let is_slice = matches!(self.module.expr(index).kind, ExprKind::Slice { .. });
        self.eval(index);
        if is_slice && holder.objects().iter().any(|id| self.is_module(*id)) {
            return holder;
        }
        if is_slice && !holder.objects().is_empty() {
            return self.sliced(expr, &holder);
        }
        match self.key_of(index) {
            Some(key) if self.reads_number(object) => {
                let number = self.item_at(&holder, &key);
                Value { stored: number.stored.sized(Size::Number), ..number }
            }
            Some(key) => self.item_at(&holder, &key),
            None if holder.objects().is_empty() => {
                let what = if holder.what.is_tensor() { holder.what.clone() } else { What::Unknown };
                Value { what, stored: holder.stored.part(), ..holder }
            }
            None => {
                holder.single_object().into_iter().for_each(|id| self.note_looked_up(id));
                self.any_item(&holder)
            }
        }
    }

    /// Whether something is read as a number was before PyTorch 0.4: `loss.data[0]`.
    fn reads_number(&self, object: ExprId) -> bool {
        matches!(self.module.expr(object).kind, ExprKind::Attribute { name, .. } if self.module.name(name) == "data")
    }

    /// A part of a sequence: as long as the part is bounded, so is what it keeps.
    fn sliced(&mut self, expr: ExprId, holder: &Value) -> Value {
        let item = self.any_item(holder);
        let object = self.allocate(expr, 1, ObjectKind::Bounded(None));
        self.state.set(Place::Items(object), item);
        Value::object(object)
    }

    /// The key that an index names, if it is known.
    pub(super) fn key_of(&mut self, index: ExprId) -> Option<Key> {
        match self.eval(index).as_constant()? {
            Constant::Int(number) => Some(Key::Index(*number)),
            Constant::Text(text) => Some(Key::Text(Rc::from(text.as_str()))),
            _ => None,
        }
    }

    /// The graph of a value, with that of everything it holds.
    pub(super) fn graph_of(&self, value: &Value) -> NodeSet {
        let mut graph = value.graph.clone();
        self.each_held(value, &mut |held| graph.extend(&held.graph));
        graph
    }

    /// Calls `each` with everything that the collections in `value` hold, at any depth.
    pub(super) fn each_held(&self, value: &Value, each: &mut dyn FnMut(&Value)) {
        let mut seen: SmallVec<[ObjectId; 8]> = SmallVec::new();
        let mut pending: Vec<ObjectId> = value.objects().to_vec();
        while let Some(object) = pending.pop() {
            let Some(kind) = self.object(object).map(|object| &object.kind) else { continue };
            if seen.contains(&object) || matches!(kind, ObjectKind::Module | ObjectKind::Inert(_)) {
                continue;
            }
            seen.push(object);
            if let ObjectKind::Instance(class) = kind {
                if self.is_record(*class) {
                    for held in self.state.attributes(object) {
                        each(held);
                        pending.extend(held.objects());
                    }
                }
                continue;
            }
            for (_, held) in self.state.items(object) {
                each(held);
                pending.extend(held.objects());
            }
        }
    }
}
