//! Assignments: to names, attributes, items and patterns of them.

use crate::python::graph::{NodeKind, NodeSet, Recorded};
use crate::python::interpret::texts::joined_text;
use crate::python::interpret::{Interpreter, Site};
use crate::python::syntax::{BinaryOp, ExprId, ExprKind, StmtId, StmtKind, Symbol};
use crate::python::value::{Key, ObjectId, ObjectKind, Place, Value, What};

impl Interpreter<'_> {
    pub(super) fn assign(&mut self, target: ExprId, value: &Value, stmt: StmtId) {
        self.note_lasting(target, value, stmt);
        match &self.module.expr(target).kind {
            ExprKind::Name(name) => {
                self.note_logits_bound(*name, value, stmt);
                self.set_name(*name, value.clone());
            }
            ExprKind::Attribute { object, name, .. } => {
                let holder = self.eval(*object);
                self.note_set(stmt, *object, &holder, *name, value);
                if let Some(id) = holder.single_object() {
                    self.note_field(id, value, self.module.stmt(stmt).span);
                }
                self.set_attribute(&holder, *name, value);
            }
            ExprKind::Subscript { object, index } => self.set_item(stmt, *object, *index, value),
            ExprKind::Tuple(targets) | ExprKind::List(targets) => {
                let targets = targets.clone();
                self.unpack(&targets, value, stmt);
            }
            ExprKind::Starred(inner) => {
                let collected =
                    Value { what: What::Unknown, graph: self.graph_of(value), stored: value.stored };
                self.assign(*inner, &collected, stmt);
            }
            _ => {}
        }
    }

    fn unpack(&mut self, targets: &[ExprId], value: &Value, stmt: StmtId) {
        for (place, target) in targets.iter().enumerate() {
            let index = i64::try_from(place).unwrap_or(i64::MAX);
            let part = self.item_at(value, &Key::Index(index));
            self.assign(*target, &part, stmt);
        }
    }

    pub(super) fn set_attribute(&mut self, object: &Value, name: Symbol, value: &Value) {
        if let What::ParameterOf(modules) = &object.what {
            if self.module.name(name) == "requires_grad" {
                let modules = modules.clone();
                modules.iter().for_each(|module| self.set_requires_grad(*module, value.truth()));
            }
            return;
        }
        if let What::Namespace(unit) = object.what {
            self.set_namespace_attribute(unit, name, value);
            return;
        }
        let objects = object.objects();
        if let ([module], Some(part)) = (objects, value.single_object())
            && self.is_module(*module)
            && self.is_module(part)
            && let Some(known) = self.objects.get_mut(part.0 as usize)
        {
            known.owner.get_or_insert(*module);
        }
        for id in objects {
            let place = Place::Attribute(*id, name);
            if objects.len() == 1 {
                self.put(place, value.clone());
            } else {
                self.state.add(place, value);
            }
        }
        if objects.is_empty() {
            self.hand_back(value);
        }
    }

    fn set_item(&mut self, stmt: StmtId, object: ExprId, index: ExprId, value: &Value) {
        let holder = self.eval(object);
        self.set_environment_item(stmt, &holder, index, value);
        let key = self.key_of(index);
        if let Some(id) = holder.single_object() {
            self.set_object_item(stmt, object, id, key.as_ref(), value);
            return;
        }
        if self.graph_of(value).is_empty() {
            return;
        }
        let site = Site::Stmt(stmt);
        let written = self.record_node(site, NodeKind::Concatenation, false, false, &[&holder, value]);
        let written = Value { what: holder.what, graph: written, stored: holder.stored };
        self.write_back(object, &written);
    }

    fn set_object_item(
        &mut self,
        stmt: StmtId,
        object: ExprId,
        id: ObjectId,
        key: Option<&Key>,
        value: &Value,
    ) {
        let place = key.map_or(Place::Items(id), |key| Place::Item(id, key.clone()));
        let is_collection = self.object(id).is_some_and(|object| {
            !matches!(object.kind, ObjectKind::Module | ObjectKind::Instance(_) | ObjectKind::Inert(_))
        });
        if !is_collection {
            self.hand_back(value);
            return;
        }
        if key.is_some() {
            self.put(place, value.clone());
        } else {
            self.state.add(place, value);
            if self.object(id).is_some_and(|object| object.kind == ObjectKind::List) {
                // A list has as many items afterwards as before.
                return;
            }
            self.record.keyed.insert(id);
            let target = self.module.expr(object).span;
            self.collect(Site::Stmt(stmt), target, self.assigned_value(stmt), id, value);
        }
    }

    /// The right-hand side of an assignment.
    pub(super) fn assigned_value(&self, stmt: StmtId) -> Option<ExprId> {
        match &self.module.stmt(stmt).kind {
            StmtKind::Assign { value, .. } | StmtKind::AugmentedAssign { value, .. } => Some(*value),
            _ => None,
        }
    }

    /// Puts a changed value back where an expression read it from.
    pub(super) fn write_back(&mut self, expr: ExprId, value: &Value) {
        match &self.module.expr(expr).kind {
            ExprKind::Name(name) => self.set_name(*name, value.clone()),
            ExprKind::Attribute { object, name, .. } => {
                let object = self.eval(*object);
                self.set_attribute(&object, *name, value);
            }
            ExprKind::Subscript { object, index } => {
                let holder = self.eval(*object);
                if let (Some(id), Some(key)) = (holder.single_object(), self.key_of(*index)) {
                    self.put(Place::Item(id, key), value.clone());
                }
            }
            _ => {}
        }
    }

    pub(super) fn augmented_assign(&mut self, stmt: StmtId, target: ExprId, op: BinaryOp, value: ExprId) {
        let old = self.eval(target);
        let operand = self.eval(value);
        self.note_tensor(value, &operand);
        self.set_environment_items(stmt, &old, &operand);
        if op == BinaryOp::Add
            && let Some(list) = self.collection_of(&old)
        {
            let item = self.item_of(&operand);
            self.state.add(Place::Items(list), &item);
            let kept = self.only_item_of(value).unwrap_or(value);
            self.collect(Site::Stmt(stmt), self.module.expr(target).span, Some(kept), list, &item);
            return;
        }
        let new = self.combine(Site::Stmt(stmt), op, &old, &operand);
        match &self.module.expr(target).kind {
            ExprKind::Subscript { object, index } => {
                let holder = self.eval(*object);
                match (holder.single_object(), self.key_of(*index)) {
                    (Some(id), Some(key)) => self.put(Place::Item(id, key), new),
                    // One of many items is summed up: all of them may be.
                    (Some(id), None) => self.put(Place::Items(id), new),
                    (None, _) => {
                        let graph = holder.graph.union(&new.graph);
                        let written = Value { graph, ..holder.clone() };
                        self.write_back(*object, &written);
                    }
                }
            }
            _ => self.assign(target, &new, stmt),
        }
    }

    /// The one item of a list display.
    fn only_item_of(&self, expr: ExprId) -> Option<ExprId> {
        match &self.module.expr(expr).kind {
            ExprKind::List(items) => match items.as_slice() {
                [item] => Some(*item),
                _ => None,
            },
            _ => None,
        }
    }

    /// Empties a place: what it held is let go.
    fn empty(&mut self, place: &Place) {
        let held = self.state.get(place).cloned();
        self.state.remove(place);
        self.note_release(held, None);
    }

    pub(super) fn delete(&mut self, target: ExprId) {
        match &self.module.expr(target).kind {
            ExprKind::Name(name) => self.empty(&Place::Variable(self.home_frame(*name), *name)),
            ExprKind::Attribute { object, name, .. } => {
                let object = self.eval(*object);
                object.objects().iter().for_each(|id| self.empty(&Place::Attribute(*id, *name)));
            }
            ExprKind::Subscript { object, index } => {
                let holder = self.eval(*object);
                let whole = matches!(
                    self.module.expr(*index).kind,
                    ExprKind::Slice { lower: None, upper: None, step: None }
                );
                for id in holder.objects().iter().copied() {
                    if whole {
                        self.state.clear_items(id);
                    }
                    self.note_drop(id);
                }
            }
            ExprKind::Tuple(targets) | ExprKind::List(targets) => {
                targets.clone().iter().for_each(|target| self.delete(*target));
            }
            _ => {}
        }
    }

    /// The value of a binary operation.
    pub(super) fn combine(&mut self, site: Site, op: BinaryOp, left: &Value, right: &Value) -> Value {
        if left.what.is_text() {
            self.consume(right);
            let is_sum = op == BinaryOp::Add;
            return if is_sum { joined_text(left, right) } else { Value::plain(What::Text) };
        }
        let graph = match op {
            BinaryOp::Add | BinaryOp::Subtract => self.record_node(
                site,
                NodeKind::Arithmetic,
                false,
                self.both_scalar(left, right),
                &[left, right],
            ),
            BinaryOp::Multiply => {
                let scalar = self.both_scalar(left, right);
                self.record_node(site, NodeKind::Scaling, false, scalar, &[left, right])
            }
            // What one number is divided by is a count, unless something says that it is a tensor.
            BinaryOp::Divide => {
                let is_count = self.graph_of(right).is_empty() && !right.stored.places.is_known();
                let scalar = self.is_scalar(left) && (is_count || self.is_scalar(right));
                self.record_node(site, NodeKind::Scaling, false, scalar, &[left, right])
            }
            BinaryOp::Power | BinaryOp::MatrixMultiply | BinaryOp::Modulo | BinaryOp::FloorDivide => self
                .record_node(site, NodeKind::Operation, false, self.both_scalar(left, right), &[left, right]),
            _ => NodeSet::default(),
        };
        let stored = left.stored.combined(right.stored);
        if !graph.is_empty() {
            return Value { stored, ..Value::tensor(graph) };
        }
        let what = match (&left.what, &right.what) {
            _ if left.is_number() && right.is_number() => What::Number,
            _ if left.what.is_text() || right.what.is_text() => What::Text,
            (What::Tensor, _) | (_, What::Tensor) => What::Tensor,
            _ => What::Unknown,
        };
        Value { stored, ..Value::plain(what) }
    }

    /// Whether a value is one number, or a few of them.
    fn is_small(&self, value: &Value) -> bool {
        let graph = self.graph_of(value);
        if graph.is_empty() {
            !value.what.is_tensor()
        } else {
            graph.iter().all(|node| self.graph.node(node).scalar)
        }
    }

    fn both_scalar(&self, left: &Value, right: &Value) -> bool {
        self.is_scalar(left) && self.is_scalar(right)
    }

    /// Records an operation on some values and returns its graph: none when nothing can come of it.
    pub(super) fn record_node(
        &mut self,
        site: Site,
        kind: NodeKind,
        certain: bool,
        scalar: bool,
        operands: &[&Value],
    ) -> NodeSet {
        let mut parents = NodeSet::default();
        operands.iter().for_each(|operand| parents.extend(&self.graph_of(operand)));
        if parents.is_empty() && !certain && kind != NodeKind::Call {
            return NodeSet::default();
        }
        // What is computed from numbers one by one is as small as they are.
        let of_numbers = matches!(kind, NodeKind::Operation | NodeKind::Concatenation)
            && operands.iter().all(|operand| self.is_small(operand));
        let recorded = Recorded { kind, certain, parents, scalar: scalar || of_numbers };
        let is_number = |operand: &&Value| operand.is_number() && operand.graph.is_empty();
        let started = kind == NodeKind::Arithmetic && operands.iter().any(is_number);
        self.record_operation(site, recorded, started)
    }
}
