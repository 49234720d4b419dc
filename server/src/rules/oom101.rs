//! # loss-accumulated-with-graph (OOM101)
//!
//! ## What it finds
//! A tensor that still carries its autograd graph is added to a running total that outlives the iteration: a sum, an
//! exponential average, or a meter of the program's own that adds up what it is given, in this file or another.
//!
//! ## Why it costs memory
//! The total's own graph then refers to the graph of every step before. How much that keeps depends on one thing:
//! whether a `backward()` of the same iteration ran over the graph.
//!
//! | what happens to the added tensor | kept by every step |
//! |---|---|
//! | no backward runs over it: evaluation, an auxiliary term that is only logged | every activation: an error |
//! | `backward(retain_graph=True)` | every activation: an error |
//! | backward runs over it, but what went in asks for gradients: `x.requires_grad_()`, a model prepared for an adapter, layers in 8 bit | the input, or every layer's, with its gradient: an error |
//! | backward runs over it, before or after the addition | some graph nodes in host memory and half a kilobyte on the card: a warning |
//!
//! ## Example
//! ```python
//! import torch
//!
//! def fit(model, loader, criterion, optimizer):
//!     total = 0.0
//!     for x, y in loader:
//!         loss = criterion(model(x.cuda()), y.cuda())
//!         optimizer.zero_grad()
//!         loss.backward()
//!         optimizer.step()
//!         total += loss
//!     print(total)
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//!
//! def fit(model, loader, criterion, optimizer):
//!     total = 0.0
//!     for x, y in loader:
//!         loss = criterion(model(x.cuda()), y.cuda())
//!         optimizer.zero_grad()
//!         loss.backward()
//!         optimizer.step()
//!         total += loss.item()
//!     print(total)
//! ```
//!
//! ## What stays silent
//! A total that is itself sent through `backward()` (terms of one loss, views, tasks, time steps), sums under
//! `no_grad`, numbers, detached tensors, comparisons and indices.
//!
//! ## The fix
//! Safe. `.item()` where the total starts as a number and is used as one, else `.detach()`, which does not wait for
//! the GPU.
//!
//! ## References
//! PyTorch FAQ, "My model reports cuda runtime error(2): out of memory".

use crate::finding::Finding;
use crate::python::script::Keeping;
use crate::rules::context::{Context, worst_of_each_place};
use crate::rules::{Rule, keeping};

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM101",
    name: "loss-accumulated-with-graph",
    summary: "A running total keeps the autograd graph of every step",
    source: include_str!("oom101.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let sums = context.script.kept.iter().filter(|kept| kept.keeping == Keeping::Sum);
    worst_of_each_place(sums.filter_map(|kept| keeping::finding(context, &RULE, kept)).collect())
}
