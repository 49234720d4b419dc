//! # retry-inside-except (OOM126)
//!
//! ## What it finds
//! An `except` block that catches running out of GPU memory and tries again right there: the same call, or the
//! function that it stands in.
//!
//! ## Why it costs memory
//! As long as the block runs, Python keeps the exception, and the exception's traceback keeps the variables of every
//! function that was under way when memory ran out: the activations of the pass that failed. Neither
//! `gc.collect()` nor `empty_cache()` can free them, so the second try has less memory than the first. Each level of
//! a function that calls itself from such a block keeps one more failed pass.
//!
//! ## Example
//! ```python
//! import torch
//!
//! def predict(model, images):
//!     try:
//!         return model(images)
//!     except torch.cuda.OutOfMemoryError:
//!         torch.cuda.empty_cache()
//!         first, second = images.chunk(2)
//!         return torch.cat([predict(model, first), predict(model, second)])
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//!
//! def predict(model, images):
//!     out_of_memory = False
//!     try:
//!         return model(images)
//!     except torch.cuda.OutOfMemoryError:
//!         out_of_memory = True
//!     if out_of_memory:
//!         torch.cuda.empty_cache()
//!         first, second = images.chunk(2)
//!         return torch.cat([predict(model, first), predict(model, second)])
//! ```
//!
//! ## What stays silent
//! A block that only frees, notes or skips something, such as one with `continue`, and whatever comes behind it; a
//! second try on the CPU; functions under `find_executable_batch_size`, which tries again outside of the block; an
//! `except RuntimeError` that does not speak of memory.
//!
//! ## The fix
//! The block sets a variable, and what it did before comes behind it, under an `if`. Safe. It is written only where the
//! block does nothing with the exception, catches nothing else, and is the only one of its `try`.
//!
//! ## References
//! PyTorch FAQ, "My out of memory exception handler can't allocate memory"; Python reference, the `try` statement.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::python::handlers::MemoryHandler;
use crate::python::syntax::{ExprId, ExprKind, Handler, StmtKind};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::lines::{Lines, indentation};
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM126",
    name: "retry-inside-except",
    summary: "What ran out of memory is tried again while its exception is kept",
    source: include_str!("oom126.rs"),
    check,
};

/// The variable that the fix adds.
const FLAG: &str = "out_of_memory";

fn check(context: &Context) -> Vec<Finding> {
    let handlers = context.script.memory_handlers().into_iter();
    let retries = handlers.filter_map(|handler| Some((handler, context.script.retry_in(&handler)?)));
    worst_of_each_place(retries.map(|(handler, retry)| finding(context, &handler, retry)).collect())
}

fn finding(context: &Context, handler: &MemoryHandler, retry: ExprId) -> Finding {
    let confidence = if handler.only_memory { Confidence::High } else { Confidence::Medium };
    let verdict = Verdict { severity: Severity::Warning, confidence, growth: Growth::Peak };
    let span = context.script.module.expr(retry).span;
    let mut finding = context.finding(&RULE, verdict, span, text("retry-in-except", &[]));
    let guarded = context.script.span_of(handler.guarded);
    finding.related.push(context.related(guarded, text("retry-failed-here", &[])));
    finding.fix = fix(context, handler);
    finding
}

/// Moves the statements of a clause behind it.
fn fix(context: &Context, handler: &MemoryHandler) -> Option<Fix> {
    let module = context.script.module;
    let StmtKind::Try { handlers, orelse, finally, .. } = &module.stmt(handler.stmt).kind else {
        return None;
    };
    let is_plain = handlers.len() == 1 && orelse.is_empty() && finally.is_empty();
    if !is_plain || !handler.only_memory || needs_exception(context, handler.handler) {
        return None;
    }
    if module.symbol(FLAG).is_some() {
        return None;
    }
    let start = module.stmt(handler.stmt).span.start;
    let first = module.stmt(*handler.handler.body.first()?).span.start;
    let (outer, inner) = (indent_of(context, start)?, indent_of(context, first)?);
    let step = inner.strip_prefix(outer)?;
    if step.is_empty() {
        return None;
    }
    let edits = vec![
        replacement(context, Span::at(start), &format!("{FLAG} = False\n{outer}")),
        replacement(context, Span::at(first), &format!("{FLAG} = True\n{outer}if {FLAG}:\n{inner}")),
    ];
    let message = text("retry-behind-except", &[("flag", FLAG)]);
    Some(Fix { applicability: Applicability::Safe, message, edits })
}

/// The white space before what starts its line; `None` when something stands before it.
fn indent_of<'a>(context: &Context<'a>, start: u32) -> Option<&'a str> {
    let before = Lines::around(context, start).before(start);
    before.trim().is_empty().then(|| indentation(before))
}

/// Whether a clause needs the exception: it reads it, raises it again or reports it.
fn needs_exception(context: &Context, handler: &Handler) -> bool {
    let module = context.script.module;
    let block = context.script.span_of(&handler.body);
    let reads = |expr: &ExprKind| matches!(expr, ExprKind::Name(name) if Some(*name) == handler.name);
    let raises = |stmt: &StmtKind| matches!(stmt, StmtKind::Raise(_));
    let reported = context.script.calls.iter().filter(|call| call.role == Role::ExceptionReport);
    module.exprs().any(|(_, expr)| block.contains(expr.span) && reads(&expr.kind))
        || module.stmts().any(|(_, stmt)| block.contains(stmt.span) && raises(&stmt.kind))
        || reported.into_iter().any(|call| block.contains(call.span))
}
