//! # checkpoint-kept (OOM302)
//!
//! ## What it finds
//! A checkpoint on the GPU that something still holds after `load_state_dict` has copied it: a `del` that frees nothing
//! because another name holds the same tensors, or a name that holds them while the next model is loaded.
//!
//! ## Why it costs memory
//! `load_state_dict` copies. Until the last name lets the checkpoint go, its tensors lie on the GPU beside the model's,
//! and a part of it that has a name of its own, such as `weights = saved["model"]`, keeps its tensors when the name of
//! the whole is deleted. `empty_cache()` cannot free what something still holds.
//!
//! ## Example
//! ```python
//! import torch
//!
//! net = torch.nn.Linear(4096, 4096).to("cuda")
//! saved = torch.load("last.pt", map_location=choose())
//! weights = saved["net"]
//! net.load_state_dict(weights)
//! del saved
//! torch.cuda.empty_cache()
//! optimizer = torch.optim.AdamW(net.parameters())
//! for x, y in loader:
//!     optimizer.zero_grad()
//!     torch.nn.functional.mse_loss(net(x.to("cuda")), y.to("cuda")).backward()
//!     optimizer.step()
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//!
//! net = torch.nn.Linear(4096, 4096).to("cuda")
//! saved = torch.load("last.pt", map_location=choose())
//! weights = saved["net"]
//! net.load_state_dict(weights)
//! del saved, weights
//! torch.cuda.empty_cache()
//! optimizer = torch.optim.AdamW(net.parameters())
//! for x, y in loader:
//!     optimizer.zero_grad()
//!     torch.nn.functional.mse_loss(net(x.to("cuda")), y.to("cuda")).backward()
//!     optimizer.step()
//! ```
//!
//! ## What stays silent
//! A checkpoint that is read into host memory; one that the end of its function lets go; parts that are numbers, such as
//! the epoch. Where it is read to is information as long as it is not known. What a whole training keeps on the GPU is
//! OOM301's, at the load.
//!
//! ## The fix
//! Safe: deletes the other names, too, or the name behind its last use, where nothing else reads it.
//!
//! ## References
//! PyTorch documentation, `torch.nn.Module.load_state_dict`; Python reference, the `del` statement.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::python::holding::{Holder, Holding};
use crate::python::library_call::{Action, Event, LibraryCall};
use crate::rules::Rule;
use crate::rules::checkpoints::{Location, location};
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::deleting;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM302",
    name: "checkpoint-kept",
    summary: "A checkpoint stays on the GPU after it was copied into the model",
    source: include_str!("oom302.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    if !context.script.mentions_device {
        return Vec::new();
    }
    let loads = context.script.calls.iter().enumerate().filter(|(_, call)| {
        let is_copied = |event: &Event| matches!(event.action, Action::CopiedInto { optimizer: Some(_) });
        call.role == Role::Checkpoint && location(call) != Location::Host && call.events.iter().any(is_copied)
    });
    let found = loads.filter_map(|(number, load)| {
        deleted_in_vain(context, load).or_else(|| beside_next(context, number, load))
    });
    worst_of_each_place(found.collect())
}

fn verdict(load: &LibraryCall) -> Verdict {
    let severity =
        if location(load) == Location::Unknown { Severity::Information } else { Severity::Warning };
    Verdict { severity, confidence: Confidence::High, growth: Growth::Static }
}

/// A deletion that leaves the checkpoint's tensors where they are, all through a training.
fn deleted_in_vain(context: &Context, load: &LibraryCall) -> Option<Finding> {
    let (deletion, held_by) = load.events.iter().find_map(|event| match &event.action {
        Action::Released { deleted: true, held_by } if !held_by.is_empty() => Some((event, held_by)),
        _ => None,
    })?;
    let mut loops = load.life.loops.iter();
    let trained = loops.find(|beside| beside.entered.trains_within && !beside.held_by.is_empty())?;
    let names = quoted(held_by);
    let message = text("checkpoint-deleted-in-vain", &[("names", &names)]);
    let mut finding = context.sure_finding(&RULE, verdict(load), deletion.span, message);
    finding.related.push(context.related(load.span, text("checkpoint-here", &[])));
    finding.related.push(context.related(trained.entered.span, text("load-trained-here", &[])));
    finding.fix = variables(held_by).and_then(|names| delete_too(context, deletion.span, &names));
    Some(finding)
}

/// The next model is loaded while a name still holds a checkpoint that nothing uses any more.
fn beside_next(context: &Context, number: usize, load: &LibraryCall) -> Option<Finding> {
    let copied = load.events.iter().filter(|event| matches!(event.action, Action::CopiedInto { .. }));
    let last_copy = copied.map(|event| event.span.start).max()?;
    let next = context.script.calls.iter().filter(|call| call.role.makes_weights());
    let (next, held_by) = next.filter(|next| next.span.start > last_copy).find_map(|next| {
        let beside = next.life.beside.iter().find(|beside| beside.call == number)?;
        (load.life.last_use < next.life.reached).then_some((next, &beside.held_by))
    })?;
    let message = text("checkpoint-beside-next", &[("names", &quoted(held_by))]);
    // Nothing is trained here: the checkpoint may have been saved on any machine, from host memory, too.
    let severity = if location(load) == Location::Gpu { Severity::Warning } else { Severity::Information };
    let verdict = Verdict { severity, ..verdict(load) };
    let mut finding = context.sure_finding(&RULE, verdict, load.span, message);
    finding.related.push(context.related(next.span, text("checkpoint-next-here", &[])));
    finding.fix = variables(held_by).and_then(|names| {
        let (edit, line) = deleting::behind_last_use(context, load.span, &names)?;
        let message = text("checkpoint-delete", &[("line", &line)]);
        Some(Fix { applicability: Applicability::Safe, message, edits: vec![edit] })
    });
    Some(finding)
}

fn quoted(held_by: &[Holder]) -> String {
    let names: Vec<String> = held_by.iter().map(|holder| format!("`{}`", holder.name)).collect();
    names.join(", ")
}

/// The names of the variables that hold something; `None` when something else holds it, too.
fn variables(held_by: &[Holder]) -> Option<Vec<&str>> {
    let is_variable = |holder: &Holder| holder.how == Holding::Bound && !holder.name.contains('.');
    held_by.iter().map(|holder| is_variable(holder).then_some(&*holder.name)).collect()
}

/// Deletes other names in the same statement.
fn delete_too(context: &Context, deletion: Span, names: &[&str]) -> Option<Fix> {
    let unused = names.iter().all(|name| deleting::is_unused_behind(context, deletion, name));
    let is_deletion = context.script.text_of(deletion).starts_with("del ");
    if !unused || !is_deletion {
        return None;
    }
    let added = names.join(", ");
    let message = text("checkpoint-delete", &[("line", &format!("del {added}"))]);
    let edit = deleting::also(context, deletion, names);
    Some(Fix { applicability: Applicability::Safe, message, edits: vec![edit] })
}
