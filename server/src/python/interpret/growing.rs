//! Tensors that a loop makes anew in every iteration, with more put beside what they held.

use rustc_hash::FxHashSet;

use crate::python::graph::LoopId;
use crate::python::interpret::{Interpreter, OpenLoop, Site};
use crate::python::record::{Stash, Stashed};
use crate::python::storage::{Places, Storage};
use crate::python::syntax::{ExprId, ExprKind, StmtKind};
use crate::python::usage;
use crate::python::value::{Place, Value};

impl Interpreter<'_> {
    /// Whether a concatenation puts something beside what its own target held, as in `x = torch.cat([x, y])`; if the
    /// target still holds what an earlier iteration made so, that is noted.
    pub(super) fn grows(&mut self, call: ExprId, result: &Value, stored: Storage) -> bool {
        let Some((target, added)) = self.put_beside(call) else { return false };
        if stored.places.may_be_gpu()
            && let Some(place) = self.place_of(target)
            && let Some(carrier) = self.grown_by(&place)
        {
            self.note_growth(call, target, (&added, result, stored.places), carrier);
        }
        true
    }

    /// The target of the assignment whose value is a concatenation, and what is put beside it.
    fn put_beside(&self, call: ExprId) -> Option<(ExprId, Vec<ExprId>)> {
        let StmtKind::Assign { targets, value } = &self.module.stmt(self.scopes.statement_of(call)?).kind
        else {
            return None;
        };
        let [target] = targets.as_slice() else { return None };
        let ExprKind::Call { arguments, .. } = &self.module.expr(call).kind else { return None };
        let display = &self.module.expr(arguments.first()?.value).kind;
        let (ExprKind::List(items) | ExprKind::Tuple(items)) = display else { return None };
        let path = |expr| usage::path(self.module, &self.scopes, self.scope(), expr);
        let own = path(*target)?;
        let (same, added): (Vec<ExprId>, Vec<ExprId>) =
            items.iter().partition(|item| path(**item).as_ref() == Some(&own));
        let is_value = *value == call
            || matches!(self.module.expr(*value).kind,
                ExprKind::Conditional { body, orelse, .. } if body == call || orelse == call);
        (is_value && !same.is_empty()).then_some((*target, added))
    }

    /// The place that a name or an attribute is.
    pub(super) fn place_of(&mut self, expr: ExprId) -> Option<Place> {
        match &self.module.expr(expr).kind {
            ExprKind::Name(name) => Some(Place::Variable(self.home_frame(*name), *name)),
            ExprKind::Attribute { object, name, .. } => {
                let holder = self.eval(*object).single_object()?;
                Some(Place::Attribute(holder, *name))
            }
            _ => None,
        }
    }

    /// The innermost loop whose last iteration left a grown tensor in a place that still holds it.
    fn grown_by(&self, place: &Place) -> Option<LoopId> {
        let grown = self.state.get(place)?.stored.grown?;
        let carries = |open: &&OpenLoop| {
            open.pass > 0 && open.head.get(place).is_some_and(|held| held.stored.grown == Some(grown))
        };
        self.loops.iter().rev().find(carries).map(|open| open.id)
    }

    fn note_growth(
        &mut self,
        call: ExprId,
        target: ExprId,
        (added, result, places): (&[ExprId], &Value, Places),
        carrier: LoopId,
    ) {
        let known = |expr: &ExprId| {
            let (stored, is_tensor) = self.record.on_gpu.get(expr).copied()?;
            Some(Stashed { expr: *expr, stored, name: self.name_of(*expr), is_tensor })
        };
        let values: Vec<Stashed> = added.iter().filter_map(known).collect();
        let size = values.iter().map(|value| value.stored.size).max().unwrap_or_default();
        let stmt = self.scopes.statement_of(call);
        let stash = Stash {
            span: stmt.map_or(self.module.expr(call).span, |stmt| self.module.stmt(stmt).span),
            target: self.module.expr(target).span,
            values,
            object: None,
            stored: Storage::new(places, size),
            whole: false,
            graph: result.graph.clone(),
            moment: self.moment.clone(),
            loops: smallvec::smallvec![carrier],
            alive_after: FxHashSet::from_iter([carrier]),
            bounded: false,
            function: self.calls.last().and_then(|call| call.function),
            in_module: self.is_in_module_method(),
        };
        self.record.stashes.insert((Site::Expr(call).number(), self.context().0, None), stash);
    }
}
