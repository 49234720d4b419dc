//! # eval-loop-without-no-grad (OOM201)
//!
//! ## What it finds
//! A loop that runs a model, with gradients on, and never sends the result through `backward()`: a test loop, a
//! sampling loop, a decoding loop.
//!
//! ## Why it costs memory
//! Every forward pass keeps its activations for a backward that never comes, until its result dies. When the next
//! iteration is given the result (a sampler's state, a decoder's cache), they are never freed while the loop runs.
//!
//! ## Example
//! ```python
//! import torch
//!
//! def accuracy(model, loader):
//!     model.cuda()
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
//!     model.cuda()
//!     right = 0
//!     for x, y in loader:
//!         right += (model(x.cuda()).argmax(1) == y.cuda()).sum().item()
//!     return right
//! ```
//!
//! ## What stays silent
//! Code under `no_grad`, `inference_mode` or `set_grad_enabled(False)`, however it is reached; hooks that a framework
//! calls without gradients; frozen modules; results that are handed to code in other files, which may train with
//! them; anything that a `backward()` or `autograd.grad` visits.
//! The cells of a notebook are one script here: a loop in a cell is found by this rule, and has no code of its own.
//!
//! ## The fix
//! `@torch.no_grad()` above a function that trains nothing, else `with torch.no_grad():` around the loop. Safe,
//! unless a result leaves the file with its graph.
//!
//! ## References
//! PyTorch documentation, "Autograd mechanics: locally disabling gradient computation".

use crate::finding::Finding;
use crate::rules::context::{Context, worst_of_each_place};
use crate::rules::{Rule, no_grad};

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM201",
    name: "eval-loop-without-no-grad",
    summary: "A loop runs a model with gradients on and never uses them",
    source: include_str!("oom201.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let forwards = no_grad::first_of_each_loop(context.script);
    let plain =
        forwards.into_iter().filter(|forward| forward.evaluating.is_none() && !no_grad::is_sampling(forward));
    worst_of_each_place(plain.filter_map(|forward| no_grad::finding(context, &RULE, forward)).collect())
}
