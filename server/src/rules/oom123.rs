//! # hook-keeps-activations (OOM123)
//!
//! ## What it finds
//! A forward hook that puts the output or the input of a layer, with its graph, into a collection that nothing empties.
//!
//! ## Why it costs memory
//! The hook runs with every forward pass. Each tensor that it keeps holds on to its own bytes and, through its graph, to
//! everything that the layers before saved for a backward: the activations of every batch stay on the GPU.
//!
//! ## Example
//! ```python
//! import torch
//! from torch import nn
//!
//! model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)).cuda()
//! activations = []
//!
//! def keep(module, inputs, output):
//!     activations.append(output)
//!
//! model[0].register_forward_hook(keep)
//!
//! def fit(loader, criterion, optimizer):
//!     for x, y in loader:
//!         optimizer.zero_grad()
//!         criterion(model(x.cuda()), y.cuda()).backward()
//!         optimizer.step()
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! from torch import nn
//!
//! model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)).cuda()
//! activations = []
//!
//! def keep(module, inputs, output):
//!     activations.append(output.detach().cpu())
//!
//! model[0].register_forward_hook(keep)
//!
//! def fit(loader, criterion, optimizer):
//!     for x, y in loader:
//!         optimizer.zero_grad()
//!         criterion(model(x.cuda()), y.cuda()).backward()
//!         optimizer.step()
//! ```
//!
//! ## What stays silent
//! Hooks that detach, that keep numbers, or that write under the layer's name, where the next pass replaces the last;
//! collections that are emptied or made anew anywhere in the file; without gradients, copies in host memory.
//!
//! ## The fix
//! Writes `.detach().cpu()` behind what is kept. Safe when it is a tensor; a second look where it may be a tuple.
//!
//! ## References
//! PyTorch documentation, `torch.nn.Module.register_forward_hook`.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Edit, Finding, Fix, Growth, Severity};
use crate::python::script::{HookStore, Passes};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM123",
    name: "hook-keeps-activations",
    summary: "A hook keeps a layer's output of every forward pass",
    source: include_str!("oom123.rs"),
    check,
};

/// What the fix writes.
const CURE: &str = ".detach().cpu()";

fn check(context: &Context) -> Vec<Finding> {
    let stores = context.script.hook_stores.iter();
    worst_of_each_place(stores.map(|store| finding(context, store)).collect())
}

fn finding(context: &Context, store: &HookStore) -> Finding {
    let growth = if store.passes == Passes::Recorded { Growth::FullGraph } else { Growth::Tensors };
    let verdict = Verdict { severity: Severity::Error, confidence: Confidence::High, growth };
    let target = context.quote(store.target);
    let key = if store.passes == Passes::Unrecorded { "hook-keeps-tensors" } else { "hook-keeps" };
    let message = text(key, &[("target", &target), ("cure", CURE)]);
    let mut finding = context.finding(&RULE, verdict, store.span, message);
    finding.related.push(context.related(store.registered, text("hook-registered", &[])));
    finding.fix = fix(context, store);
    finding
}

fn fix(context: &Context, store: &HookStore) -> Option<Fix> {
    if store.values.is_empty() || !store.values.iter().all(|value| value.is_primary) {
        return None;
    }
    let insert = |at: u32| Edit { location: context.locate(Span::at(at)), content: CURE.to_owned() };
    let edits = store.values.iter().map(|value| insert(value.span.end)).collect();
    let message = text("kept-fix", &[("call", CURE)]);
    let known = store.values.iter().all(|value| value.is_tensor);
    let applicability = if known { Applicability::Safe } else { Applicability::Unsafe };
    Some(Fix { applicability, message, edits })
}
