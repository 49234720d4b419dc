//! Letting names go.

use vramlens_grammars::Span;

use crate::finding::Edit;
use crate::python::blocks::{share_block, statement_around};
use crate::python::enclosing::enclosing;
use crate::python::syntax::{ExprKind, StmtKind};
use crate::rules::context::Context;
use crate::rules::writing::lines::{Lines, indentation};
use crate::rules::writing::removal::replacement;

/// The edit that deletes more names in a `del` statement.
pub fn also(context: &Context, deletion: Span, names: &[&str]) -> Edit {
    replacement(context, Span::at(deletion.end), &format!(", {}", names.join(", ")))
}

/// The edit that deletes names behind the last statement that uses them, and its line. That statement stands in the block
/// of a given one, and nothing else uses them.
pub fn behind_last_use(context: &Context, bound: Span, names: &[&str]) -> Option<(Edit, String)> {
    let mentions: Vec<Span> = names.iter().flat_map(|name| mentions(context, bound, name)).collect();
    let last = mentions.iter().copied().max_by_key(|mention| mention.start)?;
    let module = context.script.module;
    if !share_block(module, bound, last)
        || mentions.iter().any(|mention| mention.start < start_of(context, bound))
    {
        return None;
    }
    let stmt = module.stmt(statement_around(module, last)?).span;
    let lines = Lines::around(context, stmt.start);
    let before = lines.before(stmt.start);
    let rest = lines.rest(stmt.end).trim_start();
    if !before.trim().is_empty() || !(rest.is_empty() || rest.starts_with('#')) {
        return None;
    }
    let line = format!("del {}", names.join(", "));
    let content = format!("\n{}{line}", indentation(before));
    Some((replacement(context, Span::at(lines.end(stmt.end)), &content), line))
}

/// Whether the function, or the module, around a place never names a variable behind it.
pub fn is_unused_behind(context: &Context, place: Span, name: &str) -> bool {
    mentions(context, place, name).iter().all(|mention| mention.start < place.start)
}

/// Where the statement around a place starts.
fn start_of(context: &Context, place: Span) -> u32 {
    let module = context.script.module;
    statement_around(module, place).map_or(place.start, |stmt| module.stmt(stmt).span.start)
}

/// Where the function, or the module, around a place names a variable.
fn mentions(context: &Context, place: Span, name: &str) -> Vec<Span> {
    let module = context.script.module;
    let around = enclosing(module, place).into_iter().rev().find_map(|inside| {
        let stmt = module.stmt(inside.stmt);
        matches!(stmt.kind, StmtKind::Function(_)).then_some(stmt.span)
    });
    let is_it = |kind: &ExprKind| matches!(kind, ExprKind::Name(written) if module.name(*written) == name);
    let named = module.exprs().filter(|(_, expr)| is_it(&expr.kind)).map(|(_, expr)| expr.span);
    named.filter(|span| around.is_none_or(|around| around.contains(*span))).collect()
}
