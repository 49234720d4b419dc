//! Taking statements and calls out of the text.

use vramlens_grammars::Span;

use crate::finding::Edit;
use crate::python::blocks::blocks;
use crate::python::syntax::{ExprId, ExprKind, Module, StmtId, StmtKind};
use crate::rules::context::Context;
use crate::rules::writing::lines::Lines;

/// The edit that takes out a statement. A comment behind it stays.
pub fn statement(context: &Context, stmt: StmtId) -> Option<Edit> {
    let module = context.script.module;
    let span = module.stmt(stmt).span;
    if is_alone(module, stmt) {
        return Some(replacement(context, span, "pass"));
    }
    let lines = Lines::around(context, span.start);
    let before = lines.before(span.start);
    let rest = lines.rest(span.end);
    let (next, starts_line) = (rest.trim_start(), before.trim().is_empty());
    let gap = |next: &str| u32::try_from(rest.len() - next.len()).ok();
    if let Some(next) = next.strip_prefix(';').map(str::trim_start).filter(|next| !next.is_empty()) {
        return Some(replacement(context, Span::new(span.start, span.end + gap(next)?), ""));
    }
    if !starts_line {
        let earlier = before.trim_end().strip_suffix(';')?.trim_end();
        let start = span.start - u32::try_from(before.len() - earlier.len()).ok()?;
        return Some(replacement(context, Span::new(start, span.end), ""));
    }
    if next.starts_with('#') {
        return Some(replacement(context, Span::new(span.start, span.end + gap(next)?), ""));
    }
    let whole = Span::new(lines.start(span.start), lines.next(span.end));
    Some(replacement(context, lines.without_gap(whole), ""))
}

/// The edit that takes out a call of a method, in whatever form it is written: the statement, when it does nothing
/// else, or `.method(…)` behind its object. `None` when comments stand inside.
pub fn method_call(context: &Context, call: ExprId) -> Option<Edit> {
    let module = context.script.module;
    let ExprKind::Call { callee, .. } = &module.expr(call).kind else { return None };
    let ExprKind::Attribute { object, name_span, .. } = &module.expr(*callee).kind else { return None };
    let span = module.expr(call).span;
    if has_comment(module, Span::new(module.expr(*object).span.end, span.end)) {
        return None;
    }
    if is_plain(module, *object)
        && let Some(stmt) = statement_of_only(context, call, *object)
    {
        return statement(context, stmt);
    }
    let before = Span::new(module.expr(*object).span.start, name_span.start).text(context.script.text);
    let kept = before.trim_end().strip_suffix('.')?.trim_end_matches([' ', '\t', '\r', '\n', '\\']);
    let start = module.expr(*object).span.start + u32::try_from(kept.len()).ok()?;
    Some(replacement(context, Span::new(start, span.end), ""))
}

/// Where `.method(…)` stands, without what it is called on.
pub fn method_span(context: &Context, call: ExprId) -> Option<Span> {
    let module = context.script.module;
    let ExprKind::Call { callee, .. } = &module.expr(call).kind else { return None };
    let ExprKind::Attribute { object, name_span, .. } = &module.expr(*callee).kind else { return None };
    let before = Span::new(module.expr(*object).span.start, name_span.start).text(context.script.text);
    let dot = module.expr(*object).span.start + u32::try_from(before.rfind('.')?).ok()?;
    Some(Span::new(dot, module.expr(call).span.end))
}

/// Whether a method is called on what only names something.
pub fn is_called_on_name(context: &Context, call: ExprId) -> bool {
    let module = context.script.module;
    let ExprKind::Call { callee, .. } = &module.expr(call).kind else { return false };
    matches!(&module.expr(*callee).kind, ExprKind::Attribute { object, .. } if is_plain(module, *object))
}

/// The statement that consists of a call, or binds its result to the very name that it is called on.
fn statement_of_only(context: &Context, call: ExprId, object: ExprId) -> Option<StmtId> {
    let module = context.script.module;
    let text = |expr: ExprId| context.script.text_of(module.expr(expr).span);
    let found = module.stmts().find(|(_, stmt)| match &stmt.kind {
        StmtKind::Expr(expr) => *expr == call,
        StmtKind::Assign { targets, value } => {
            *value == call && matches!(targets.as_slice(), [target] if text(*target) == text(object))
        }
        _ => false,
    });
    found.map(|(id, _)| id)
}

/// Whether an expression only names something.
fn is_plain(module: &Module, expr: ExprId) -> bool {
    match &module.expr(expr).kind {
        ExprKind::Name(_) => true,
        ExprKind::Attribute { object, .. } => is_plain(module, *object),
        _ => false,
    }
}

/// Whether a block would be empty without a statement.
fn is_alone(module: &Module, stmt: StmtId) -> bool {
    module.body != [stmt] && blocks(module).iter().any(|block| *block == [stmt])
}

/// Whether a comment stands in a range.
pub fn has_comment(module: &Module, range: Span) -> bool {
    module.comments.iter().any(|comment| range.contains(comment.span))
}

/// The edit that writes something in the place of a range.
pub fn replacement(context: &Context, span: Span, content: &str) -> Edit {
    Edit { location: context.locate(span), content: content.to_owned() }
}
