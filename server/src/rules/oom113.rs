//! # copy-on-gpu (OOM113)
//!
//! ## What it finds
//! A copy of a model, or of its state dict, that is made while the model is on the GPU: `copy.deepcopy(model)`.
//!
//! ## Why it costs memory
//! A copy lies on the device of the original, so that the weights are there twice. A copy of a module takes its
//! gradients and hooks along. Where each round of a loop keeps its copy, memory grows until it is full.
//!
//! ## Example
//! ```python
//! import copy
//! import torch
//!
//! model = torch.nn.Linear(4096, 4096).to("cuda")
//! best = None
//! for epoch in range(10):
//!     train(model)
//!     best = copy.deepcopy(model.state_dict())
//! ```
//!
//! Use instead:
//! ```python
//! import copy
//! import torch
//!
//! model = torch.nn.Linear(4096, 4096).to("cuda")
//! best = None
//! for epoch in range(10):
//!     train(model)
//!     best = {k: v.detach().cpu().clone() for k, v in model.state_dict().items()}
//! ```
//!
//! ## What stays silent
//! Copies of models that are not surely on the GPU, copies that are moved to the host, and copies that are gone before
//! the next round. A copy that is made once, such as a target network or an average of weights, is information.
//!
//! ## The fix
//! Of a state dict, keeps the copy in host memory. Unsafe: whoever reads it finds its tensors on another device;
//! `load_state_dict` takes them from there. For a copied module there is none.
//!
//! ## References
//! PyTorch documentation, "Saving and Loading Models", the note on `best_model_state`; `torch/nn/parameter.py`,
//! `Parameter.__deepcopy__`.

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::python::holding::Holding;
use crate::python::library_call::{Device, LibraryCall};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::objects::{giver, on_gpu_at};
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM113",
    name: "copy-on-gpu",
    summary: "A model is copied on the GPU, so that its weights are there twice",
    source: include_str!("oom113.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let calls = &context.script.calls;
    let copies = calls.iter().enumerate().filter(|(_, call)| call.role == Role::DeepCopy);
    worst_of_each_place(copies.filter_map(|(index, copy)| finding(context, index, copy)).collect())
}

fn finding(context: &Context, index: usize, copy: &LibraryCall) -> Option<Finding> {
    let calls = &context.script.calls;
    let (original, event) = giver(calls, index)?;
    let state = (original.role == Role::StateDict).then_some(original);
    let (model, event) = match state {
        Some(state) => giver(calls, calls.iter().position(|call| std::ptr::eq(call, state))?)?,
        None => (original, event),
    };
    let moved_away = copy.events.iter().any(|event| event.action.moves_to() == Some(Device::Host));
    if !on_gpu_at(model, event) || moved_away {
        return None;
    }
    let held_by = if copy.place.loops.is_empty() { None } else { Some(copy.life.next_iteration.as_ref()?) };
    let (severity, growth, key) = match held_by {
        None => (Severity::Information, Growth::Static, "copy-once"),
        Some(held_by) if held_by.is_empty() => return None,
        Some(held_by) if held_by.iter().any(|holder| holder.how == Holding::Collected) => {
            (Severity::Error, Growth::Tensors, "copies-collected")
        }
        Some(_) => (Severity::Information, Growth::Static, "copy-each-round"),
    };
    let verdict = Verdict { severity, confidence: Confidence::High, growth };
    let mut finding = context.sure_finding(&RULE, verdict, copy.span, text(key, &[]));
    finding.related.push(context.related(model.span, text("copied-model-here", &[])));
    finding.fix = state.and_then(|state| fix(context, copy, state));
    Some(finding)
}

fn fix(context: &Context, copy: &LibraryCall, state: &LibraryCall) -> Option<Fix> {
    // Written in one piece: the state dict is the argument itself.
    if !copy.arguments.positional.first()?.span?.contains(state.span) {
        return None;
    }
    let named = context.script.text_of(state.span);
    let content = format!("{{k: v.detach().cpu().clone() for k, v in {named}.items()}}");
    let edits = vec![replacement(context, copy.span, &content)];
    Some(Fix { applicability: Applicability::Unsafe, message: text("copy-to-host", &[]), edits })
}
