//! Displays and comprehensions: the collections that are written out.

use smallvec::SmallVec;

use crate::python::interpret::{Interpreter, Site};
use crate::python::syntax::{Clause, ComprehensionKind, ExprId, ExprKind, Symbol};
use crate::python::value::{Key, ObjectKind, Place, Value};

impl Interpreter<'_> {
    pub(super) fn display(&mut self, expr: ExprId, kind: ObjectKind, items: &[ExprId]) -> Value {
        let values: Vec<(bool, Value)> = items
            .iter()
            .map(|item| {
                let value = self.eval(*item);
                self.note_tensor(*item, &value);
                (matches!(self.module.expr(*item).kind, ExprKind::Starred(_)), value)
            })
            .collect();
        let object = self.allocate(expr, 0, kind);
        let mut known = true;
        for (index, (starred, value)) in values.into_iter().enumerate() {
            if starred {
                known = false;
                let item = self.item_of(&value);
                self.state.add(Place::Items(object), &item);
            } else if known {
                let key = Key::Index(i64::try_from(index).unwrap_or(i64::MAX));
                self.state.set(Place::Item(object, key), value);
            } else {
                self.state.add(Place::Items(object), &value);
            }
        }
        Value::object(object)
    }

    pub(super) fn dict(&mut self, expr: ExprId, entries: &[(Option<ExprId>, ExprId)]) -> Value {
        let mut values = Vec::new();
        for (key, value) in entries {
            let key = key.map(|key| {
                self.eval(key);
                self.key_of(key)
            });
            let evaluated = self.eval(*value);
            self.note_tensor(*value, &evaluated);
            values.push((key, evaluated));
        }
        let object = self.allocate(expr, 0, ObjectKind::Dict);
        for (key, value) in values {
            match key {
                Some(Some(key)) => self.state.set(Place::Item(object, key), value),
                Some(None) => self.state.add(Place::Items(object), &value),
                None => {
                    let item = self.any_item(&value);
                    self.state.add(Place::Items(object), &item);
                }
            }
        }
        Value::object(object)
    }

    pub(super) fn comprehension(
        &mut self,
        expr: ExprId,
        kind: ComprehensionKind,
        element: ExprId,
        value: Option<ExprId>,
        clauses: &[Clause],
    ) -> Value {
        let made = if kind == ComprehensionKind::Dict { ObjectKind::Dict } else { ObjectKind::List };
        let object = self.allocate(expr, 0, made);
        let shadowed = self.shadowed(clauses);
        self.comprehension_clause(expr, clauses, &mut |it| {
            let mut kept = it.eval(element);
            let mut expression = element;
            if let Some(value) = value {
                kept = it.eval(value);
                expression = value;
            }
            it.state.add(Place::Items(object), &kept);
            it.collect(Site::Expr(expr), it.module.expr(expr).span, Some(expression), object, &kept);
        });
        for (place, old) in shadowed {
            match old {
                Some(value) => self.state.set(place, value),
                None => self.state.remove(&place),
            }
        }
        Value::object(object)
    }

    /// The names a comprehension binds, with what they hold outside it.
    fn shadowed(&mut self, clauses: &[Clause]) -> Vec<(Place, Option<Value>)> {
        let mut names: SmallVec<[Symbol; 4]> = SmallVec::new();
        let mut pending: Vec<ExprId> = clauses.iter().map(|clause| clause.target).collect();
        while let Some(target) = pending.pop() {
            match &self.module.expr(target).kind {
                ExprKind::Name(name) => names.push(*name),
                ExprKind::Tuple(items) | ExprKind::List(items) => pending.extend(items),
                ExprKind::Starred(item) => pending.push(*item),
                _ => {}
            }
        }
        let places = names.into_iter().map(|name| Place::Variable(self.home_frame(name), name));
        places.map(|place| (place.clone(), self.state.get(&place).cloned())).collect()
    }

    fn comprehension_clause(&mut self, expr: ExprId, clauses: &[Clause], element: &mut dyn FnMut(&mut Self)) {
        let Some((clause, rest)) = clauses.split_first() else {
            element(self);
            return;
        };
        let iterated = self.eval(clause.iterable);
        let kind = self.kind_of_iterated(&iterated);
        let Some(stmt) = self.scopes.statement_of(expr) else {
            // The body of a lambda stands in no statement of its own.
            self.comprehension_clause(expr, rest, element);
            return;
        };
        let is_loader = self.is_loader(&iterated);
        self.run_loop(Site::Expr(clause.target), |it| {
            it.note_iterated(clause.iterable);
            it.note_kind_of_iterated(kind);
            if is_loader {
                it.note_batches();
            }
            let item = it.item_of(&iterated);
            let item = it.as_item(item);
            it.note_item(&item);
            it.assign(clause.target, &item, stmt);
            for condition in &clause.conditions {
                it.eval(*condition);
                it.assume(*condition, true);
            }
            it.comprehension_clause(expr, rest, element);
        });
    }
}
