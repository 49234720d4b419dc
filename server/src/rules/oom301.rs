//! # load-without-map-location (OOM301)
//!
//! ## What it finds
//! A checkpoint that `torch.load` reads onto the GPU and `load_state_dict` then copies: without `map_location` every
//! tensor goes back to the device that it was saved from.
//!
//! ## Why it costs memory
//! Until the checkpoint is gone, its tensors lie on the GPU beside those of the model, and beside both moments of the
//! optimizer where that is resumed, too. With several processes, all of them read onto the GPU that the checkpoint was
//! saved from, which is mostly the first.
//!
//! ## Example
//! ```python
//! import torch
//!
//! net = torch.nn.Linear(4096, 4096).to("cuda")
//! optimizer = torch.optim.AdamW(net.parameters())
//! saved = torch.load("last.pt")
//! net.load_state_dict(saved["net"])
//! optimizer.load_state_dict(saved["optimizer"])
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
//! optimizer = torch.optim.AdamW(net.parameters())
//! saved = torch.load("last.pt", map_location="cpu")
//! net.load_state_dict(saved["net"])
//! optimizer.load_state_dict(saved["optimizer"])
//! for x, y in loader:
//!     optimizer.zero_grad()
//!     torch.nn.functional.mse_loss(net(x.to("cuda")), y.to("cuda")).backward()
//!     optimizer.step()
//! ```
//!
//! ## What stays silent
//! A `map_location` that is the host, a dict, a function or not known; files that are not copied into a model or an
//! optimizer; scripts that speak of no device; a checkpoint that is gone as soon as it is copied. One that a name still
//! holds when the script ends, with no training behind it, is information.
//!
//! ## The fix
//! Adds `map_location="cpu"`, or puts it in the place of the GPU. Safe: `load_state_dict` copies to where the model
//! lies, and an optimizer moves its state to its parameters.
//!
//! ## References
//! PyTorch documentation, `torch.load`; `torch/serialization.py`, `default_restore_location`; karpathy/nanoGPT issue
//! 158.

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::python::library_call::{Action, LibraryCall};
use crate::rules::Rule;
use crate::rules::checkpoints::{LOCATION, Location, location};
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::arguments;
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM301",
    name: "load-without-map-location",
    summary: "A checkpoint is read onto the GPU beside the model that it is copied into",
    source: include_str!("oom301.rs"),
    check,
};

/// The host, as an argument.
const HOST: &str = "\"cpu\"";

fn check(context: &Context) -> Vec<Finding> {
    if !context.script.mentions_device {
        return Vec::new();
    }
    let loads = context.script.calls.iter().filter(|call| call.role == Role::Checkpoint);
    worst_of_each_place(loads.filter_map(|load| finding(context, load)).collect())
}

fn finding(context: &Context, load: &LibraryCall) -> Option<Finding> {
    let location = location(load);
    if !matches!(location, Location::Saved | Location::Gpu) {
        return None;
    }
    let copies = || {
        load.events.iter().filter_map(|event| match event.action {
            Action::CopiedInto { optimizer } => Some(optimizer),
            _ => None,
        })
    };
    let first = copies().next()?;
    let with_optimizer = copies().any(|optimizer| optimizer == Some(true));
    // An optimizer takes over tensors that lie on its device already: they are there once.
    let is_shared = copies().all(|optimizer| optimizer == Some(true));
    let kept =
        load.life.loops.iter().find(|beside| beside.entered.trains_within && !beside.held_by.is_empty());
    // Of a scheduler or a meter, a process reads next to nothing.
    let several = first.is_some() && context.script.calls.iter().any(|call| call.role == Role::ProcessGroup);
    let is_doubled = !is_shared && (kept.is_some() || !load.life.at_end.is_empty());
    let is_crowded = several && location == Location::Saved;
    if !is_doubled && !is_crowded {
        // It is gone as soon as it is copied.
        return None;
    }
    let key = match (location, kept) {
        (Location::Saved, _) if several => "load-on-one-gpu",
        (_, Some(_)) => "load-kept-on-gpu",
        (Location::Saved, None) => "load-where-saved",
        _ => "load-on-gpu",
    };
    let severity = match (location, kept) {
        (Location::Saved, _) if several => Severity::Error,
        (_, Some(_)) if with_optimizer => Severity::Error,
        (_, Some(_)) => Severity::Warning,
        _ => Severity::Information,
    };
    let verdict = Verdict { severity, confidence: Confidence::High, growth: Growth::Static };
    let holder = kept.and_then(|beside| beside.held_by.first()).map(|holder| holder.name.to_string());
    let name = holder.unwrap_or_default();
    let arguments: &[(&str, &str)] = if key == "load-kept-on-gpu" { &[("name", &name)] } else { &[] };
    let mut finding = context.sure_finding(&RULE, verdict, load.span, text(key, arguments));
    if let Some(beside) = kept {
        finding.related.push(context.related(beside.entered.span, text("load-trained-here", &[])));
    }
    finding.fix = fix(context, load);
    Some(finding)
}

fn fix(context: &Context, load: &LibraryCall) -> Option<Fix> {
    let edits = match load.arguments.get(LOCATION, 1) {
        None => arguments::added(context, load.expr, &[&format!("{LOCATION}={HOST}")])?,
        Some(given) => vec![replacement(context, given.span?, HOST)],
    };
    Some(Fix { applicability: Applicability::Safe, message: text("load-to-host", &[]), edits })
}
