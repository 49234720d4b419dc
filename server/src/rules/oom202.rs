//! # eval-mode-is-not-no-grad (OOM202)
//!
//! ## What it finds
//! A model that is put in evaluation mode with `eval()` and then run in a loop with gradients still on.
//!
//! ## Why it costs memory
//! `eval()` changes dropout and batch norm, nothing else. Every forward pass still keeps its activations for a
//! backward that never comes: the peak is that of training, and whatever collects results keeps the activations, too.
//!
//! ## Example
//! ```python
//! import torch
//!
//! def accuracy(model, loader):
//!     model.eval()
//!     right = 0
//!     for x, y in loader:
//!         right += (model(x.cuda()).argmax(1) == y.cuda()).sum().item()
//!     return right
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//!
//! @torch.no_grad()
//! def accuracy(model, loader):
//!     model.eval()
//!     right = 0
//!     for x, y in loader:
//!         right += (model(x.cuda()).argmax(1) == y.cuda()).sum().item()
//!     return right
//! ```
//!
//! ## What stays silent
//! What stays silent for OOM201, and a model in evaluation mode whose result is sent through `backward()`:
//! frozen batch norm, attacks, saliency maps.
//!
//! ## The fix
//! As for OOM201.
//!
//! ## References
//! PyTorch documentation, "Autograd mechanics: evaluation mode".

use crate::finding::Finding;
use crate::rules::context::{Context, worst_of_each_place};
use crate::rules::{Rule, no_grad};

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM202",
    name: "eval-mode-is-not-no-grad",
    summary: "A model in evaluation mode runs in a loop with gradients on",
    source: include_str!("oom202.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let forwards = no_grad::first_of_each_loop(context.script);
    let evaluating =
        forwards.into_iter().filter(|forward| forward.evaluating.is_some() && !no_grad::is_sampling(forward));
    worst_of_each_place(evaluating.filter_map(|forward| no_grad::finding(context, &RULE, forward)).collect())
}
