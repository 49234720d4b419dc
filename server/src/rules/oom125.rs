//! # empty-cache-in-loop (OOM125)
//!
//! ## What it finds
//! `torch.cuda.empty_cache()` in every step of a loop that trains or evaluates.
//!
//! ## Why it costs memory
//! It frees no tensor. It gives blocks that PyTorch holds and does not use back to the driver, and PyTorch reuses
//! such blocks by itself, before it ever runs out of memory. Each call waits for the GPU, and the next step has to ask the
//! driver for all of it again. If the memory of a step grows, something keeps its tensors, and that is where to look.
//!
//! ## Example
//! ```python
//! import torch
//!
//! model = torch.nn.Linear(4096, 4096).cuda()
//! optimizer = torch.optim.AdamW(model.parameters())
//! for batch in loader:
//!     optimizer.zero_grad()
//!     model(batch.cuda()).mean().backward()
//!     optimizer.step()
//!     torch.cuda.empty_cache()
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//!
//! model = torch.nn.Linear(4096, 4096).cuda()
//! optimizer = torch.optim.AdamW(model.parameters())
//! for batch in loader:
//!     optimizer.zero_grad()
//!     model(batch.cuda()).mean().backward()
//!     optimizer.step()
//! ```
//!
//! ## What stays silent
//! A call under a condition, such as every thousand steps, or when memory ran out; one after a whole epoch, between
//! training and evaluation, or behind a `del`, where something large was just freed for another process or
//! library; loops over prompts or files that neither train nor go over a loader.
//!
//! ## The fix
//! Deletes the line. Unsafe: a card that other processes use as well may have been shared by it.
//!
//! ## References
//! PyTorch documentation, `torch.cuda.empty_cache` and "Memory management" in the CUDA semantics.

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::python::library_call::LibraryCall;
use crate::python::script::LoopFacts;
use crate::python::syntax::StmtKind;
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::removal;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM125",
    name: "empty-cache-in-loop",
    summary: "The cache of the GPU is emptied in every step of a loop",
    source: include_str!("oom125.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let calls = context.script.calls.iter().filter(|call| call.role == Role::CacheEmptying);
    worst_of_each_place(calls.filter_map(|call| finding(context, call)).collect())
}

fn finding(context: &Context, call: &LibraryCall) -> Option<Finding> {
    let in_loop = call.place.loops.last()?;
    if !is_hot(context, in_loop) || !context.script.runs_every_time(call, in_loop) || frees(context, in_loop)
    {
        return None;
    }
    let verdict =
        Verdict { severity: Severity::Information, confidence: Confidence::High, growth: Growth::None };
    let mut finding = context.sure_finding(&RULE, verdict, call.span, text("empty-cache-every-step", &[]));
    finding.related.push(context.related(in_loop.span, text("empty-cache-loop", &[])));
    finding.fix = deletion(context, call);
    Some(finding)
}

/// Whether each iteration of a loop is one step of training, or one batch.
fn is_hot(context: &Context, in_loop: &LoopFacts) -> bool {
    let is_loop = |kind: &StmtKind| matches!(kind, StmtKind::For { .. } | StmtKind::While { .. });
    let is_inner = |span| in_loop.span.contains(span) && in_loop.span != span;
    let mut inner = context.script.module.stmts().filter(|(_, stmt)| is_loop(&stmt.kind));
    let has_inner = inner.any(|(_, stmt)| is_inner(stmt.span));
    in_loop.trains || in_loop.over_data && !has_inner
}

/// Whether an iteration deletes something: what it held may be wanted elsewhere.
fn frees(context: &Context, in_loop: &LoopFacts) -> bool {
    let mut stmts = context.script.module.stmts();
    stmts.any(|(_, stmt)| matches!(stmt.kind, StmtKind::Delete(_)) && in_loop.span.contains(stmt.span))
}

fn deletion(context: &Context, call: &LibraryCall) -> Option<Fix> {
    let is_whole = |kind: &StmtKind| matches!(kind, StmtKind::Expr(expr) if *expr == call.expr);
    let (stmt, _) = context.script.module.stmts().find(|(_, stmt)| is_whole(&stmt.kind))?;
    let edits = vec![removal::statement(context, stmt)?];
    Some(Fix { applicability: Applicability::Unsafe, message: text("empty-cache-drop", &[]), edits })
}
