//! # out-of-memory-swallowed (OOM127)
//!
//! ## What it finds
//! An `except` block that goes on with the next batch when memory ran out in a backward, where nothing clears the
//! gradients before the next one.
//!
//! ## Why it costs memory
//! A backward that fails half way has made gradients for half of the layers, and they stay: the next batch starts with less
//! memory than the one that failed, and its gradients are added to the stale ones.
//!
//! ## Example
//! ```python
//! import torch
//!
//! def train(model, optimizer, loader):
//!     for batch in loader:
//!         try:
//!             model(batch.cuda()).mean().backward()
//!             optimizer.step()
//!             optimizer.zero_grad()
//!         except torch.cuda.OutOfMemoryError:
//!             print("skipping a batch")
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//!
//! def train(model, optimizer, loader):
//!     for batch in loader:
//!         optimizer.zero_grad()
//!         try:
//!             model(batch.cuda()).mean().backward()
//!             optimizer.step()
//!         except torch.cuda.OutOfMemoryError:
//!             print("skipping a batch")
//! ```
//!
//! ## What stays silent
//! A block that clears the gradients, raises again, or leaves the loop or the function; gradients that are cleared before
//! each backward; an `except RuntimeError` that does not speak of memory.
//!
//! ## The fix
//! None: where gradients are to be cleared depends on how they are accumulated.
//!
//! ## References
//! PyTorch FAQ, "My out of memory exception handler can't allocate memory".

use vramlens_grammars::Span;

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::Role;
use crate::python::handlers::MemoryHandler;
use crate::python::library_call::LibraryCall;
use crate::python::syntax::StmtKind;
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM127",
    name: "out-of-memory-swallowed",
    summary: "Training goes on after running out of memory with half a backward's gradients",
    source: include_str!("oom127.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let handlers = context.script.memory_handlers().into_iter();
    worst_of_each_place(handlers.filter_map(|handler| finding(context, &handler)).collect())
}

fn finding(context: &Context, handler: &MemoryHandler) -> Option<Finding> {
    let guarded = context.script.span_of(handler.guarded);
    let backward = calls_within(context, Role::Backward, guarded).min_by_key(|call| call.span.start)?;
    let in_loop = backward.place.loops.last().filter(|open| !guarded.contains(open.span))?;
    let clears =
        clears_first(context, in_loop.span, backward.span) || clears_behind(context, handler, in_loop.span);
    if gives_up(context, handler) || clears {
        return None;
    }
    let verdict =
        Verdict { severity: Severity::Information, confidence: Confidence::Medium, growth: Growth::Static };
    let block = context.script.span_of(&handler.handler.body);
    let mut finding = context.finding(&RULE, verdict, block, text("memory-error-swallowed", &[]));
    finding.related.push(context.related(backward.span, text("memory-error-backward", &[])));
    Some(finding)
}

fn calls_within<'a>(context: &Context<'a>, role: Role, range: Span) -> impl Iterator<Item = &'a LibraryCall> {
    context.script.calls.iter().filter(move |call| call.role == role && range.contains(call.span))
}

/// Whether a clause clears the gradients itself, or does not go on.
fn gives_up(context: &Context, handler: &MemoryHandler) -> bool {
    let block = context.script.span_of(&handler.handler.body);
    let leaves = |kind: &StmtKind| matches!(kind, StmtKind::Raise(_) | StmtKind::Break | StmtKind::Return(_));
    let mut stmts = context.script.module.stmts();
    stmts.any(|(_, stmt)| leaves(&stmt.kind) && block.contains(stmt.span))
        || calls_within(context, Role::ZeroGrad, block).next().is_some()
        || context.script.sets_attribute_in("grad", block)
}

/// Whether an iteration clears the gradients before its backward.
fn clears_first(context: &Context, in_loop: Span, backward: Span) -> bool {
    calls_within(context, Role::ZeroGrad, in_loop).any(|clear| clear.span.end <= backward.start)
}

/// Whether a clause goes on behind its `try`, where the same iteration clears the gradients.
fn clears_behind(context: &Context, handler: &MemoryHandler, in_loop: Span) -> bool {
    let block = context.script.span_of(&handler.handler.body);
    let end = context.script.module.stmt(handler.stmt).span.end;
    let mut stmts = context.script.module.stmts();
    let skips = stmts.any(|(_, stmt)| matches!(stmt.kind, StmtKind::Continue) && block.contains(stmt.span));
    !skips && calls_within(context, Role::ZeroGrad, in_loop).any(|clear| clear.span.start >= end)
}
