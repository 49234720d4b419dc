//! # collective-results-kept-on-gpu (OOM934)
//!
//! ## What it finds
//! A list that gets what `torch.distributed.all_gather` gathered, in every iteration of a loop over data.
//!
//! ## Why it costs memory
//! With NCCL, a collective operation works on the GPU: every process has the tensors of all of them on its own device.
//! Kept as they are, every GPU holds the results of the whole data set, not only of its own share.
//!
//! ## Example
//! ```python
//! import torch
//! import torch.distributed as dist
//!
//! @torch.no_grad()
//! def embed(model, loader, world):
//!     model.eval()
//!     kept = []
//!     for x in loader:
//!         out = model(x.cuda())
//!         parts = [torch.empty_like(out) for _ in range(world)]
//!         dist.all_gather(parts, out)
//!         kept.append(torch.cat(parts))
//!     return kept
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! import torch.distributed as dist
//!
//! @torch.no_grad()
//! def embed(model, loader, world):
//!     model.eval()
//!     kept = []
//!     for x in loader:
//!         out = model(x.cuda())
//!         parts = [torch.empty_like(out) for _ in range(world)]
//!         dist.all_gather(parts, out)
//!         kept.append(torch.cat(parts).cpu())
//!     return kept
//! ```
//!
//! ## What stays silent
//! What is moved to the host on the way, what is reduced before it is kept, and a list that is gathered once, behind the
//! loop.
//!
//! ## The fix
//! `.cpu()` behind what is kept. Safe where the program takes all of it to the host afterwards anyway, else unsafe.
//!
//! ## References
//! PyTorch documentation, "Distributed communication package: collective functions".

use crate::finding::{Finding, Severity};
use crate::python::script::StashedTensors;
use crate::python::storage::Origin;
use crate::rules::context::{Context, worst_of_each_place};
use crate::rules::{Rule, stashing};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM934",
    name: "collective-results-kept-on-gpu",
    summary: "Results of all processes, gathered by a collective operation, are kept on every GPU",
    source: include_str!("oom934.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let gathered =
        context.script.stashed.iter().filter(|stashed| stashed.stored.origin == Origin::Collective);
    worst_of_each_place(gathered.filter_map(|stashed| finding(context, stashed)).collect())
}

fn finding(context: &Context, stashed: &StashedTensors) -> Option<Finding> {
    let verdict = stashing::verdict(stashed)?;
    let message = text("stashed-gathered", &[("target", &stashing::target(context, stashed))]);
    let mut finding = stashing::finding(context, &RULE, stashed, (verdict, message));
    finding.fix = stashing::to_host(context, stashed).filter(|_| verdict.severity >= Severity::Warning);
    Some(finding)
}
