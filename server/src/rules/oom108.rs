//! # zero-grad-set-to-none-false (OOM108)
//!
//! ## What it finds
//! `zero_grad(set_to_none=False)`; before PyTorch 2.0 `zero_grad()`, too, where that was the default.
//!
//! ## Why it costs memory
//! The gradients are filled with zeros and stay: as many bytes as the trained parameters take, all the time. With
//! `set_to_none=True` they are freed, and the next forward pass can use that memory until its backward makes new ones.
//!
//! ## Example
//! ```python
//! import torch
//!
//! model = torch.nn.Linear(4096, 4096).cuda()
//! optimizer = torch.optim.AdamW(model.parameters())
//! for batch in loader:
//!     optimizer.zero_grad(set_to_none=False)
//!     model(batch).mean().backward()
//!     optimizer.step()
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//!
//! model = torch.nn.Linear(4096, 4096).cuda()
//! optimizer = torch.optim.AdamW(model.parameters())
//! for batch in loader:
//!     optimizer.zero_grad(set_to_none=True)
//!     model(batch).mean().backward()
//!     optimizer.step()
//! ```
//!
//! ## What stays silent
//! A plain `zero_grad()` where PyTorch is 2.0 or later, or of unknown version; files that read `.grad` themselves,
//! which may need the zeros; an argument that is not known.
//!
//! ## The fix
//! Writes `set_to_none=True`. Safe: an optimizer skips a parameter without a gradient, and each one that takes part in
//! the next backward gets a new one.
//!
//! ## References
//! PyTorch documentation, `torch.optim.Optimizer.zero_grad`; PyTorch 2.0 release notes.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Edit, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::python::library_call::{Known, LibraryCall};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::arguments;
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM108",
    name: "zero-grad-set-to-none-false",
    summary: "Gradients are filled with zeros and kept between steps",
    source: include_str!("oom108.rs"),
    check,
};

/// The option that frees the gradients.
const OPTION: &str = "set_to_none";

fn check(context: &Context) -> Vec<Finding> {
    if context.script.reads_attribute("grad") {
        return Vec::new();
    }
    let calls = context.script.calls.iter().filter(|call| call.role == Role::ZeroGrad);
    worst_of_each_place(calls.filter_map(|call| finding(context, call)).collect())
}

fn finding(context: &Context, call: &LibraryCall) -> Option<Finding> {
    let given = call.arguments.get(OPTION, 0);
    let edits = match given {
        Some(given) if given.value == Known::Bool(false) => {
            given.span.map(|span| rewritten(context, call, span))
        }
        None if !call.arguments.open && is_old(context) => {
            arguments::added(context, call.expr, &["set_to_none=True"])
        }
        _ => return None,
    };
    let verdict =
        Verdict { severity: Severity::Information, confidence: Confidence::High, growth: Growth::Static };
    let message = if given.is_some() {
        text("zero-grad-kept", &[])
    } else {
        text("zero-grad-kept-by-default", &[("torch", &context.installed("torch", "PyTorch"))])
    };
    let mut finding = context.finding(&RULE, verdict, call.span, message);
    let message = text("zero-grad-free", &[]);
    finding.fix = edits.map(|edits| Fix { applicability: Applicability::Safe, message, edits });
    Some(finding)
}

fn rewritten(context: &Context, call: &LibraryCall, span: Span) -> Vec<Edit> {
    let module = context.script.module;
    let named = arguments::whole(module, call.expr, span).is_some_and(|whole| whole != span);
    let content = if named { "True" } else { "set_to_none=True" };
    vec![replacement(context, span, content)]
}

/// Whether the default is certainly the old one, which keeps the gradients.
fn is_old(context: &Context) -> bool {
    context.surroundings.versions.at_least("torch", &[2]) == Some(false)
}
