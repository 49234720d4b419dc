//! # predictions-kept-on-gpu (OOM203)
//!
//! ## What it finds
//! A list, dict or queue that gets a tensor on the GPU in every iteration of a loop over data and keeps it until the
//! loop is over: predictions, embeddings, the batches themselves.
//!
//! ## Why it costs memory
//! No graph is kept, so each item costs only its own bytes, but those of the whole data set add up: samples times
//! outputs times the size of a number. A segmentation network or a language model writes megabytes for each sample. A
//! tensor that is a view, such as `logits[:, -1]`, keeps all of what it is a view of.
//!
//! ## Example
//! ```python
//! import torch
//!
//! @torch.no_grad()
//! def predict(model, loader):
//!     model.eval()
//!     outputs = []
//!     for x in loader:
//!         outputs.append(model(x.cuda()))
//!     return torch.cat(outputs).cpu()
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//!
//! @torch.no_grad()
//! def predict(model, loader):
//!     model.eval()
//!     outputs = []
//!     for x in loader:
//!         outputs.append(model(x.cuda()).cpu())
//!     return torch.cat(outputs).cpu()
//! ```
//!
//! ## What stays silent
//! Tensors that are moved to the host on the way (`.cpu()`, `.numpy()`, `.tolist()`, `.item()`), collections that are
//! emptied or bounded inside the loop, what a step of training gathers for itself, and what a forward pass collects
//! over its own layers. Single numbers, too: 512 bytes a batch. Class indices and labels are told as information only: a
//! few bytes a sample. So is a loop that only counts, outside of training: how long it runs is not in the text.
//!
//! ## The fix
//! `.cpu()` behind what is kept. Safe where everything the program does with the collection afterwards takes it to the
//! host anyway. Else unsafe: what is concatenated on the host can no longer meet tensors on the GPU.
//!
//! ## References
//! PyTorch documentation, "CUDA semantics: asynchronous execution"; PyTorch FAQ, "My model reports cuda runtime
//! error(2): out of memory".

use crate::finding::{Finding, Severity};
use crate::python::script::{Emptied, Keeping, StashedTensors};
use crate::python::storage::{Origin, Size};
use crate::rules::context::{Context, worst_of_each_place};
use crate::rules::{Rule, stashing};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM203",
    name: "predictions-kept-on-gpu",
    summary: "A collection keeps every batch's tensors on the GPU",
    source: include_str!("oom203.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let stashed = context.script.stashed.iter().filter(|stashed| is_own(stashed));
    worst_of_each_place(stashed.filter_map(|stashed| finding(context, stashed)).collect())
}

/// Whether no other rule tells it: what a hook of a framework never empties is OOM104's, a model's whole record is
/// OOM204's, what all processes hold is OOM934's or OOM935's.
fn is_own(stashed: &StashedTensors) -> bool {
    stashed.keeping == Keeping::Collection
        && !matches!(stashed.emptied, Some(Emptied::Never { .. }))
        && !stashed.whole
        && !matches!(stashed.stored.origin, Origin::Collective | Origin::Framework)
}

fn finding(context: &Context, stashed: &StashedTensors) -> Option<Finding> {
    let verdict = stashing::verdict(stashed)?;
    let target = stashing::target(context, stashed);
    let arguments = [("target", target.as_str())];
    let message = match stashed.stored.size {
        Size::Number | Size::Small | Size::Data => text("stashed-small", &arguments),
        _ if stashed.in_loop.trains => text("stashed-in-training", &arguments),
        _ => text("stashed-tensors", &arguments),
    };
    let mut finding = stashing::finding(context, &RULE, stashed, (verdict, message));
    finding.fix = stashing::to_host(context, stashed).filter(|_| verdict.severity >= Severity::Warning);
    Some(finding)
}
