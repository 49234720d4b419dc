//! # allocator-variables-two (OOM404)
//!
//! ## What it finds
//! Two of `PYTORCH_CUDA_ALLOC_CONF`, `PYTORCH_HIP_ALLOC_CONF` and `PYTORCH_ALLOC_CONF`, set to different texts.
//!
//! ## Why it costs memory
//! It costs none by itself: PyTorch takes the first that is there, in this order, and ignores the others. Nothing
//! is merged, so what only the other one says has no effect.
//!
//! ## Example
//! ```python
//! import os
//! os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:256"
//! os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments:True"
//! import torch
//! ```
//!
//! Use instead:
//! ```python
//! import os
//! os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:256"
//! import torch
//! ```
//!
//! ## What stays silent
//! The same text under both names, which is a way to serve every version. Texts that are not known. Variables of
//! which each is set on a way of its own through the program.
//!
//! ## The fix
//! Deletes the line that has no effect. Safe. Where its setting is the one that you want, write it under the
//! other name.
//!
//! ## References
//! Which name is read when was traced on the wheels of torch 2.0 to 2.15.

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::allocator::variables;
use crate::python::library_call::ProcessChange;
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::environment::{Write, allocator_writes};
use crate::rules::writing::removal;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM404",
    name: "allocator-variables-two",
    summary: "Two variables hold different settings of the allocator",
    source: include_str!("oom404.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let writes = allocator_writes(context);
    let losers = writes.iter().filter_map(|write| {
        let winner = writes.iter().find(|other| beats(other, write))?;
        Some((write, winner))
    });
    worst_of_each_place(losers.map(|(write, winner)| finding(context, write, winner)).collect())
}

/// Whether PyTorch takes one setting and ignores the other.
fn beats(winner: &Write, loser: &Write) -> bool {
    let rank = |name: &str| variables().iter().position(|variable| variable.name == name);
    let both = winner.event.before.contains(&loser.index) || loser.event.before.contains(&winner.index);
    let differ = match (winner.value.text(), loser.value.text()) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    };
    both && differ && rank(winner.name) < rank(loser.name)
}

fn finding(context: &Context, write: &Write, winner: &Write) -> Finding {
    let verdict = Verdict { severity: Severity::Warning, confidence: Confidence::High, growth: Growth::None };
    let message = text("allocator-two-names", &[("name", write.name), ("winner", winner.name)]);
    let mut finding = context.sure_finding(&RULE, verdict, write.event.span, message);
    finding.related.push(context.related(winner.event.span, text("allocator-winner-here", &[])));
    finding.fix = removal(context, write);
    finding
}

/// Deletes the statement, if it sets nothing else.
fn removal(context: &Context, write: &Write) -> Option<Fix> {
    let stmt = write.event.stmt;
    let sets = |what: &ProcessChange| matches!(what, ProcessChange::SetsVariable { .. });
    let beside = context.script.process.iter().filter(|event| event.stmt == stmt && sets(&event.what));
    if beside.count() > 1 || context.script.module.stmt(stmt).span != write.event.span {
        return None;
    }
    let edits = vec![removal::statement(context, stmt)?];
    let message = text("allocator-delete", &[("name", write.name)]);
    Some(Fix { applicability: Applicability::Safe, message, edits })
}
