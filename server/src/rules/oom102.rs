//! # loss-appended-with-graph (OOM102)
//!
//! ## What it finds
//! A tensor that still carries its autograd graph is put into a list, dict, queue or growing tensor that outlives
//! the iteration.
//!
//! ## Why it costs memory
//! Everything that the graph refers to stays alive as long as the collection does. When no `backward()` runs over
//! the graph, that is every activation of every step (an error). When backward has run, a loss keeps next to nothing
//! (a warning), and a model's output keeps its own size on every step (an error).
//!
//! ## Example
//! ```python
//! import torch
//!
//! def fit(model, loader, criterion, optimizer):
//!     losses = []
//!     for x, y in loader:
//!         loss = criterion(model(x.cuda()), y.cuda())
//!         optimizer.zero_grad()
//!         loss.backward()
//!         optimizer.step()
//!         losses.append(loss)
//!     print(torch.stack(losses).mean())
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//!
//! def fit(model, loader, criterion, optimizer):
//!     losses = []
//!     for x, y in loader:
//!         loss = criterion(model(x.cuda()), y.cuda())
//!         optimizer.zero_grad()
//!         loss.backward()
//!         optimizer.step()
//!         losses.append(loss.detach())
//!     print(torch.stack(losses).mean())
//! ```
//!
//! ## What stays silent
//! Collections that are sent through `backward()` themselves (the losses of an episode, the terms of one loss),
//! collections made anew in every iteration, detached tensors and numbers, and anything under `no_grad`.
//!
//! ## The fix
//! Safe: `.detach()` behind what is kept. The tensors themselves still stay on the card: add `.cpu()` if there are
//! many.
//!
//! ## References
//! PyTorch FAQ, "My model reports cuda runtime error(2): out of memory".

use crate::finding::Finding;
use crate::python::script::Keeping;
use crate::rules::context::{Context, worst_of_each_place};
use crate::rules::{Rule, keeping};

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM102",
    name: "loss-appended-with-graph",
    summary: "A collection keeps the autograd graph of every item",
    source: include_str!("oom102.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let kept = context.script.kept.iter().filter(|kept| kept.keeping != Keeping::Sum);
    worst_of_each_place(kept.filter_map(|kept| keeping::finding(context, &RULE, kept)).collect())
}
