//! # debugging-left-on (OOM124)
//!
//! ## What it finds
//! Anomaly detection that is always on in a script that trains, a memory history that nobody writes down, and a profiler
//! without a schedule around a training loop.
//!
//! ## Why it costs memory
//! Anomaly detection stores a traceback for every operation of the forward pass and checks every gradient. A memory
//! history stores a traceback for every allocation, and a profiler without a schedule every operation, until the
//! script ends: host memory that grows with every step, until the machine kills the job with exit code 137.
//!
//! ## Example
//! ```python
//! import torch
//!
//! torch.autograd.set_detect_anomaly(True)
//! model = torch.nn.Linear(4096, 4096).cuda()
//! optimizer = torch.optim.AdamW(model.parameters())
//! for batch in loader:
//!     model(batch.cuda()).mean().backward()
//!     optimizer.step()
//!     optimizer.zero_grad()
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//!
//! model = torch.nn.Linear(4096, 4096).cuda()
//! optimizer = torch.optim.AdamW(model.parameters())
//! for batch in loader:
//!     model(batch.cuda()).mean().backward()
//!     optimizer.step()
//!     optimizer.zero_grad()
//! ```
//!
//! ## What stays silent
//! Whatever stands under a condition or is switched by an option; a history that is written down or stopped; a
//! profiler with a schedule, or around a loop that breaks off; files that train nothing.
//!
//! ## The fix
//! Deletes the line that turns anomaly detection or the history on. Unsafe: what it would have found is not found.
//!
//! ## References
//! PyTorch documentation, `torch.autograd.set_detect_anomaly`, `torch.profiler` and "Understanding CUDA Memory Usage".

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::python::library_call::{Known, LibraryCall};
use crate::python::script::LoopFacts;
use crate::python::syntax::StmtKind;
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::removal;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM124",
    name: "debugging-left-on",
    summary: "What records operations for debugging is on for the whole training",
    source: include_str!("oom124.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let calls = &context.script.calls;
    let trains = |call: &LibraryCall| matches!(call.role, Role::Backward | Role::Trainer);
    if !calls.iter().any(trains) {
        return Vec::new();
    }
    worst_of_each_place(calls.iter().filter_map(|call| finding(context, call)).collect())
}

fn finding(context: &Context, call: &LibraryCall) -> Option<Finding> {
    let message = match call.role {
        Role::AnomalyMode if is_left_on(context, call) => text("anomaly-mode-left-on", &[]),
        Role::MemoryHistory if is_left_on(context, call) && !is_written_down(context) => {
            text("memory-history-left-on", &[])
        }
        Role::Profiler if profiles_training(context, call) => text("profiler-without-schedule", &[]),
        _ => return None,
    };
    let verdict =
        Verdict { severity: Severity::Information, confidence: Confidence::High, growth: Growth::None };
    let mut finding = context.sure_finding(&RULE, verdict, call.span, message);
    finding.fix = deletion(context, call);
    Some(finding)
}

/// Whether something is turned on, under no condition, and nothing turns it off.
fn is_left_on(context: &Context, call: &LibraryCall) -> bool {
    let turns_off = |other: &LibraryCall| other.role == call.role && turns_on(other) != Some(true);
    turns_on(call) == Some(true)
        && context.script.always_runs_in_its_function(call.span)
        && !context.script.calls.iter().any(turns_off)
        && block_of(context, call).is_none_or(|block| !training_loops(context, block).is_empty())
}

/// Whether a call turns on what it is about; `None` when that is not known.
fn turns_on(call: &LibraryCall) -> Option<bool> {
    let given = call.arguments.named("mode").or_else(|| call.arguments.get("enabled", 0));
    match given.map(|given| &given.value) {
        None | Some(Known::Text(_)) => Some(true),
        Some(Known::Bool(on)) => Some(*on),
        Some(Known::None) => Some(false),
        _ => None,
    }
}

fn is_written_down(context: &Context) -> bool {
    context.script.calls.iter().any(|call| call.role == Role::MemorySnapshot)
}

/// Whether a profiler without a schedule records a whole loop over data that trains.
fn profiles_training(context: &Context, call: &LibraryCall) -> bool {
    let module = context.script.module;
    if call.arguments.named("schedule").is_some() || !context.script.always_runs_in_its_function(call.span) {
        return false;
    }
    let Some(block) = block_of(context, call) else { return false };
    let breaks = |kind: &StmtKind| matches!(kind, StmtKind::Break);
    let breaks_off = module.stmts().any(|(_, stmt)| breaks(&stmt.kind) && block.contains(stmt.span));
    let loops = training_loops(context, block);
    !breaks_off && loops.iter().any(|open| open.over_data && block.contains(open.span))
}

/// The block that a call is entered for, as a context manager.
fn block_of(context: &Context, call: &LibraryCall) -> Option<Span> {
    let enters = |kind: &StmtKind| match kind {
        StmtKind::With { items, .. } => items.iter().any(|(item, _)| *item == call.expr),
        _ => false,
    };
    let mut stmts = context.script.module.stmts();
    stmts.find(|(_, stmt)| enters(&stmt.kind)).map(|(_, stmt)| stmt.span)
}

/// The loops around the backwards of a block.
fn training_loops(context: &Context, block: Span) -> Vec<LoopFacts> {
    let backwards = context.script.calls.iter().filter(|call| call.role == Role::Backward);
    let inside = backwards.filter(|backward| block.contains(backward.span));
    inside.flat_map(|backward| backward.place.loops.iter().copied()).collect()
}

fn deletion(context: &Context, call: &LibraryCall) -> Option<Fix> {
    let is_whole = |kind: &StmtKind| matches!(kind, StmtKind::Expr(expr) if *expr == call.expr);
    let (stmt, _) = context.script.module.stmts().find(|(_, stmt)| is_whole(&stmt.kind))?;
    let edits = vec![removal::statement(context, stmt)?];
    Some(Fix { applicability: Applicability::Unsafe, message: text("debugging-delete", &[]), edits })
}
