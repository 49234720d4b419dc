//! Writing behind the statement that loads a model.

use vramlens_grammars::Span;

use crate::finding::Edit;
use crate::python::blocks::statement_around;
use crate::python::library_call::LibraryCall;
use crate::python::syntax::{ExprId, ExprKind, StmtKind};
use crate::rules::context::Context;
use crate::rules::writing::lines::{Lines, indentation};
use crate::rules::writing::removal::replacement;

/// The place behind the statement that loads a model into a name.
#[derive(Clone, Copy, Debug)]
pub struct Behind<'a> {
    /// The name.
    pub name: &'a str,
    indent: &'a str,
    end: u32,
}

impl<'a> Behind<'a> {
    /// The place behind a load; `None` when its result is put elsewhere, or something else stands on its lines.
    pub fn load(context: &Context<'a>, model: &LibraryCall) -> Option<Self> {
        let module = context.script.module;
        let stmt = module.stmt(statement_around(module, model.span)?);
        let StmtKind::Assign { targets, value } = &stmt.kind else { return None };
        let [target] = targets.as_slice() else { return None };
        let is_name = matches!(module.expr(*target).kind, ExprKind::Name(_));
        if !is_name || !is_chain_on(context, *value, model.expr) {
            return None;
        }
        let lines = Lines::around(context, stmt.span.start);
        let (before, rest) = (lines.before(stmt.span.start), lines.rest(stmt.span.end).trim_start());
        if !before.trim().is_empty() || !(rest.is_empty() || rest.starts_with('#')) {
            return None;
        }
        let name = context.script.text_of(module.expr(*target).span);
        Some(Self { name, indent: indentation(before), end: lines.end(stmt.span.end) })
    }

    /// The edit that writes statements there, one a line.
    pub fn added(&self, context: &Context, statements: &[String]) -> Edit {
        let content: String = statements.iter().flat_map(|line| ["\n", self.indent, line.as_str()]).collect();
        replacement(context, Span::at(self.end), &content)
    }
}

/// Whether an expression is a call, or methods called on its result one after the other.
fn is_chain_on(context: &Context, expr: ExprId, call: ExprId) -> bool {
    let module = context.script.module;
    let mut current = expr;
    while current != call {
        let ExprKind::Call { callee, .. } = &module.expr(current).kind else { return false };
        let ExprKind::Attribute { object, .. } = &module.expr(*callee).kind else { return false };
        current = *object;
    }
    true
}
