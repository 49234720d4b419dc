//! # retain-graph-in-loop (OOM105)
//!
//! ## What it finds
//! `backward(retain_graph=True)` in a loop where no later backward needs the graph any more.
//!
//! ## Why it costs memory
//! A backward frees what the forward pass saved for it as it goes. With `retain_graph=True` all of it stays until the
//! last tensor of the graph is gone: the next forward pass then needs room beside it. Mostly it stands there to silence
//! "trying to backward through the graph a second time", which says that something carries the graph of one step into
//! the next, such as a hidden state that is not detached: then every step's activations pile up.
//!
//! ## Example
//! ```python
//! import torch
//!
//! def fit(loader, criterion):
//!     model = torch.nn.Linear(512, 10).cuda()
//!     optimizer = torch.optim.Adam(model.parameters())
//!     for x, y in loader:
//!         optimizer.zero_grad()
//!         loss = criterion(model(x.cuda()), y.cuda())
//!         loss.backward(retain_graph=True)
//!         optimizer.step()
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//!
//! def fit(loader, criterion):
//!     model = torch.nn.Linear(512, 10).cuda()
//!     optimizer = torch.optim.Adam(model.parameters())
//!     for x, y in loader:
//!         optimizer.zero_grad()
//!         loss = criterion(model(x.cuda()), y.cuda())
//!         loss.backward()
//!         optimizer.step()
//! ```
//!
//! ## What stays silent
//! The first of two backwards over one forward pass, as of a generator and a discriminator; a graph that was made
//! outside of the loop; `create_graph`; losses that only code in another file makes. Where such code gets some of the
//! graph it is information. Where a state carries the graph into the next step (OOM107), or something keeps it over the
//! steps (OOM101, OOM102), it is an error.
//!
//! ## The fix
//! Takes the argument out. Unsafe: if something does use the graph again, PyTorch then stops with an error that names
//! the place.
//!
//! ## References
//! PyTorch documentation, `torch.Tensor.backward`; PyTorch issue 2769.

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::python::script::{Fate, Kept, RetainedGraph};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::arguments;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM105",
    name: "retain-graph-in-loop",
    summary: "A backward keeps a graph that nothing needs any more",
    source: include_str!("oom105.rs"),
    check,
};

/// The argument.
const ARGUMENT: &str = "retain_graph";

fn check(context: &Context) -> Vec<Finding> {
    let retained = context.script.retained.iter();
    worst_of_each_place(retained.map(|retained| finding(context, retained)).collect())
}

fn finding(context: &Context, retained: &RetainedGraph) -> Finding {
    let state = context.script.states.iter().find(|state| state.backward == retained.span);
    let same_loop = |kept: &Kept| kept.in_loop.span == retained.in_loop.span;
    let is_kept =
        context.script.kept.iter().any(|kept| same_loop(kept) && matches!(kept.fate, Fate::Retained(_)));
    let (severity, confidence, growth) = match state {
        Some(_) => (Severity::Error, Confidence::High, Growth::FullGraph),
        None if is_kept => (Severity::Error, Confidence::High, Growth::FullGraph),
        None if retained.leaves => (Severity::Information, Confidence::Low, Growth::Peak),
        None => (Severity::Warning, Confidence::High, Growth::Peak),
    };
    let key = if state.is_some() { "retained-over-steps" } else { "retained-in-vain" };
    let verdict = Verdict { severity, confidence, growth };
    let mut finding = context.finding(&RULE, verdict, retained.span, text(key, &[]));
    if let Some(state) = state {
        finding.related.push(context.related(state.span, text("retained-state-here", &[])));
    } else {
        finding.fix = fix(context, retained);
    }
    finding
}

fn fix(context: &Context, retained: &RetainedGraph) -> Option<Fix> {
    let call = context.script.calls.iter().find(|call| call.expr == retained.call)?;
    let written = call.arguments.named(ARGUMENT)?.span?;
    let edit = arguments::removed(context, retained.call, written)?;
    let message = text("retained-remove", &[("argument", ARGUMENT)]);
    Some(Fix { applicability: Applicability::Unsafe, message, edits: vec![edit] })
}
