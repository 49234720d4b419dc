//! # backward-creates-graph (OOM106)
//!
//! ## What it finds
//! `backward(create_graph=True)`, on a tensor or as `torch.autograd.backward`.
//!
//! ## Why it costs memory
//! The gradients that it leaves in `.grad` have a graph of their own, which leads back to the parameters: parameter and
//! gradient then hold each other, and with them every activation of the step. Where nothing takes the gradients away
//! before the next step, each step's graph stays until Python's garbage collector happens to find it.
//!
//! | what becomes of the gradients | what it is |
//! |---|---|
//! | they stay, or are filled with zeros | an error in a loop: a whole graph a step |
//! | `zero_grad()` frees them, before or in the next step | a warning: two graphs are alive at the peak |
//! | `zero_grad(set_to_none=True)`, or `.grad = None` | information |
//!
//! ## Example
//! ```python
//! import torch
//!
//! def fit(model, loader, criterion, optimizer):
//!     for x, y in loader:
//!         optimizer.zero_grad()
//!         loss = criterion(model(x.cuda()), y.cuda())
//!         loss.backward(create_graph=True)
//!         penalty = sum(p.grad.norm() for p in model.parameters())
//!         (loss + penalty).backward()
//!         optimizer.step()
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//!
//! def fit(model, loader, criterion, optimizer):
//!     for x, y in loader:
//!         optimizer.zero_grad()
//!         loss = criterion(model(x.cuda()), y.cuda())
//!         gradients = torch.autograd.grad(loss, list(model.parameters()), create_graph=True)
//!         penalty = sum(gradient.norm() for gradient in gradients)
//!         (loss + penalty).backward()
//!         optimizer.step()
//! ```
//!
//! ## What stays silent
//! `torch.autograd.grad(..., create_graph=True)`, which returns the gradients and puts them nowhere: it is the right
//! tool for gradient penalties, meta-learning and physics-informed losses.
//!
//! ## The fix
//! None: the code behind it reads `.grad`. Take the gradients from `torch.autograd.grad`; where that cannot be, set
//! `.grad` to `None` when you are done with them.
//!
//! ## References
//! PyTorch documentation, `torch.Tensor.backward` and `torch.autograd.backward`: the note on `create_graph`.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::Role;
use crate::python::library_call::{Known, LibraryCall};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM106",
    name: "backward-creates-graph",
    summary: "Parameters and gradients that have a graph hold each other",
    source: include_str!("oom106.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let calls = context.script.calls.iter().filter(|call| call.role == Role::Backward);
    worst_of_each_place(calls.filter_map(|call| finding(context, call)).collect())
}

fn finding(context: &Context, call: &LibraryCall) -> Option<Finding> {
    if call.arguments.named("create_graph")?.value != Known::Bool(true) {
        return None;
    }
    let (severity, growth) = match cleared(context, call) {
        Cleared::Never if call.place.loops.is_empty() => (Severity::Warning, Growth::Peak),
        Cleared::Never => (Severity::Error, Growth::FullGraph),
        Cleared::ByDefault => (Severity::Warning, Growth::Peak),
        Cleared::OnPurpose => (Severity::Information, Growth::Peak),
    };
    let verdict = Verdict { severity, confidence: Confidence::High, growth };
    let key = if growth == Growth::FullGraph { "create-graph-leaks" } else { "create-graph-held" };
    Some(context.finding(&RULE, verdict, call.span, text(key, &[])))
}

/// How the gradients are taken away.
enum Cleared {
    Never,
    ByDefault,
    OnPurpose,
}

fn cleared(context: &Context, call: &LibraryCall) -> Cleared {
    if context.script.resets_attribute("grad") {
        return Cleared::OnPurpose;
    }
    let shares_loop = |other: &&LibraryCall| {
        call.place.loops.iter().any(|mine| other.place.loops.iter().any(|theirs| mine.span == theirs.span))
    };
    let zeroed = context.script.calls.iter().filter(|other| other.role == Role::ZeroGrad).filter(shares_loop);
    let keeps = context.surroundings.versions.at_least("torch", &[2]) == Some(false);
    zeroed.fold(Cleared::Never, |cleared, zeroed| {
        match (zeroed.arguments.get("set_to_none", 0).map(|given| given.value.clone()), cleared) {
            (_, Cleared::OnPurpose) | (Some(Known::Bool(true)), _) => Cleared::OnPurpose,
            (None, _) if !keeps => Cleared::ByDefault,
            (_, cleared) => cleared,
        }
    })
}
