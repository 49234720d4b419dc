//! # gathered-results-kept-on-gpu (OOM935)
//!
//! ## What it finds
//! A list that gets what `gather`, `gather_for_metrics` or `all_gather` of Accelerate or Fabric returns, in every iteration
//! of a loop over data.
//!
//! ## Why it costs memory
//! `gather` returns the tensors of all processes on the device of each. Kept as they are, every GPU holds the results of
//! the whole data set, not only of its own share of it: with eight processes, eight times as much.
//!
//! ## Example
//! ```python
//! import torch
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator()
//! model, loader = accelerator.prepare(model, loader)
//! outputs = []
//! with torch.no_grad():
//!     for batch in loader:
//!         logits = model(batch["pixels"])
//!         outputs.append(accelerator.gather_for_metrics(logits))
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! from accelerate import Accelerator
//!
//! accelerator = Accelerator()
//! model, loader = accelerator.prepare(model, loader)
//! outputs = []
//! with torch.no_grad():
//!     for batch in loader:
//!         logits = model(batch["pixels"])
//!         outputs.append(accelerator.gather_for_metrics(logits).cpu())
//! ```
//!
//! ## What stays silent
//! What is moved to the host on the way, and single numbers. Class indices, labels and what is not known to be large are
//! told as information. Metrics that are updated batch by batch keep nothing.
//!
//! ## The fix
//! `.cpu()` behind what is kept. Safe where the program takes all of it to the host afterwards anyway, else unsafe.
//!
//! ## References
//! accelerate 1.15, `Accelerator.gather` and `Accelerator.gather_for_metrics`.

use crate::finding::{Finding, Severity};
use crate::python::script::StashedTensors;
use crate::python::storage::Origin;
use crate::rules::context::{Context, worst_of_each_place};
use crate::rules::{Rule, stashing};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM935",
    name: "gathered-results-kept-on-gpu",
    summary: "Results of all processes, gathered by Accelerate or Fabric, are kept on every GPU",
    source: include_str!("oom935.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let gathered = context.script.stashed.iter().filter(|stashed| stashed.stored.origin == Origin::Framework);
    worst_of_each_place(gathered.filter_map(|stashed| finding(context, stashed)).collect())
}

fn finding(context: &Context, stashed: &StashedTensors) -> Option<Finding> {
    let verdict = stashing::verdict(stashed)?;
    let message = text("stashed-gathered", &[("target", &stashing::target(context, stashed))]);
    let mut finding = stashing::finding(context, &RULE, stashed, (verdict, message));
    finding.fix = stashing::to_host(context, stashed).filter(|_| verdict.severity >= Severity::Warning);
    Some(finding)
}
