//! Where facts stand in the text, and what a fix may touch.

use vramlens_grammars::Span;

use crate::python::facts::Facts;
use crate::python::scopes::Scope;
use crate::python::script::KeptValue;
use crate::python::syntax::{ExprId, ExprKind, StmtId, StmtKind};
use crate::python::usage;

impl Facts<'_> {
    /// What an assignment writes to.
    pub(super) fn target_of(&self, stmt: StmtId) -> Option<ExprId> {
        match &self.module.stmt(stmt).kind {
            StmtKind::Assign { targets, .. } => targets.first().copied(),
            StmtKind::AugmentedAssign { target, .. } => Some(*target),
            StmtKind::Expr(call) => match &self.module.expr(*call).kind {
                ExprKind::Call { callee, .. } => match &self.module.expr(*callee).kind {
                    ExprKind::Attribute { object, .. } => Some(*object),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// What a statement adds to its target, where a detached copy can stand in its place.
    pub(super) fn addend_of(&self, stmt: StmtId) -> Option<ExprId> {
        match &self.module.stmt(stmt).kind {
            StmtKind::AugmentedAssign { value, .. } => Some(*value),
            StmtKind::Assign { targets, value } => {
                let target = self.module.expr(*targets.first()?).span;
                let ExprKind::Binary { left, right, .. } = &self.module.expr(*value).kind else {
                    return None;
                };
                // `total = total + loss`: the operand that is not the target.
                let same = |expr: ExprId| self.same_text(self.module.expr(expr).span, target);
                match (same(*left), same(*right)) {
                    (true, false) => Some(*right),
                    (false, true) => Some(*left),
                    _ => None,
                }
            }
            StmtKind::Expr(call) => match &self.module.expr(*call).kind {
                ExprKind::Call { arguments, .. } => arguments.first().map(|argument| argument.value),
                _ => None,
            },
            _ => None,
        }
    }

    fn same_text(&self, one: Span, other: Span) -> bool {
        one.end - one.start == other.end - other.start && self.spelled(one) == self.spelled(other)
    }

    /// The name or attribute path at a span, as symbols.
    fn spelled(&self, span: Span) -> Option<usage::Path> {
        let (expr, _) = self.module.exprs().find(|(_, expr)| expr.span == span)?;
        usage::path(self.module, &self.scopes, Scope::Module, expr)
    }

    /// What a call calls, as written.
    pub(super) fn callee_of(&self, call: ExprId) -> Span {
        match &self.module.expr(call).kind {
            ExprKind::Call { callee, .. } => self.module.expr(*callee).span,
            _ => self.module.expr(call).span,
        }
    }

    /// The arguments of a call that are tensors with a graph.
    pub(super) fn handed_over(&self, call: ExprId) -> Vec<KeptValue> {
        let ExprKind::Call { arguments, .. } = &self.module.expr(call).kind else { return Vec::new() };
        let values = arguments.iter().map(|argument| argument.value);
        values
            .filter(|value| self.record.tensors.contains_key(value))
            .map(|value| self.kept_value(value))
            .collect()
    }

    pub(super) fn kept_value(&self, expr: ExprId) -> KeptValue {
        let node = self.module.expr(expr);
        let is_primary = matches!(
            node.kind,
            ExprKind::Name(_)
                | ExprKind::Attribute { .. }
                | ExprKind::Subscript { .. }
                | ExprKind::Call { .. }
        );
        KeptValue { span: node.span, is_primary, is_tensor: self.record.tensors.get(&expr) == Some(&true) }
    }

    pub(super) fn has_methods(&self, target: ExprId, stmt: StmtId) -> bool {
        let scope = self.scope_of(stmt);
        let path = usage::path(self.module, &self.scopes, scope, target);
        path.and_then(|path| self.usages.of(&path)).is_some_and(|usage| !usage.attributes.is_empty())
    }

    /// The innermost function that a statement stands in.
    pub(super) fn scope_of(&self, stmt: StmtId) -> Scope {
        let span = self.module.stmt(stmt).span;
        let around = self.module.functions().filter(|(_, function)| function.span.contains(span));
        around
            .min_by_key(|(_, function)| function.span.end - function.span.start)
            .map_or(Scope::Module, |(id, _)| Scope::Function(id))
    }
}
