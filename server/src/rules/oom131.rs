//! # one-backward-for-many-batches (OOM131)
//!
//! ## What it finds
//! The losses of all batches of a loop are added up or collected, and one `backward()` behind the loop runs over them
//! all.
//!
//! ## Why it costs memory
//! A batch's activations are freed when a backward has run over them. Here none runs before the last batch is through,
//! so the activations of all batches are in GPU memory at once: as much as a batch as large as the data set. A smaller
//! batch size changes nothing.
//!
//! ## Example
//! ```python
//! import torch
//! from torch.utils.data import DataLoader
//!
//! def epoch(model, dataset, criterion, optimizer):
//!     losses = []
//!     for x, y in DataLoader(dataset, batch_size=16):
//!         losses.append(criterion(model(x.cuda()), y.cuda()))
//!     loss = torch.stack(losses).mean()
//!     optimizer.zero_grad()
//!     loss.backward()
//!     optimizer.step()
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! from torch.utils.data import DataLoader
//!
//! def epoch(model, dataset, criterion, optimizer):
//!     loader = DataLoader(dataset, batch_size=16)
//!     optimizer.zero_grad()
//!     for x, y in loader:
//!         loss = criterion(model(x.cuda()), y.cuda()) / len(loader)
//!         loss.backward()
//!     optimizer.step()
//! ```
//!
//! ## What stays silent
//! A backward inside the loop, every batch or every few; terms of one loss; the tasks of meta-learning, time steps and
//! views, which a list of the file's own or a number counts; log-probabilities of an episode; evaluation. Over something
//! that another file made it is a warning; over a parameter, which may be a handful of tasks, information.
//!
//! ## The fix
//! None: where the step belongs is for you to say. Gradients add up by themselves: one `backward()` a batch, divided by
//! the number of batches, gives the same gradient as one over the mean.
//!
//! ## References
//! PyTorch documentation, "Autograd mechanics: saved tensors"; PyTorch issue 14936.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::python::script::{Fate, Iterated, Kept};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM131",
    name: "one-backward-for-many-batches",
    summary: "One backward behind the loop needs the activations of all its batches at once",
    source: include_str!("oom131.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let found = context.script.kept.iter().filter_map(|kept| finding(context, kept));
    worst_of_each_place(found.collect())
}

fn finding(context: &Context, kept: &Kept) -> Option<Finding> {
    let Fate::SentThrough(backward) = kept.fate else { return None };
    let verdict = verdict(kept)?;
    let target = context.quote(kept.target);
    let message = text("one-backward", &[("target", &target)]);
    let mut finding = context.finding(&RULE, verdict, kept.span, message);
    finding.related.push(context.related(kept.in_loop.span, text("kept-loop", &[])));
    for built in kept.built_by.iter().take(2) {
        finding.related.push(context.related(*built, text("kept-built-here", &[])));
    }
    finding.related.push(context.related(backward, text("one-backward-here", &[])));
    Some(finding)
}

fn verdict(kept: &Kept) -> Option<Verdict> {
    let around_data = kept.in_loop.over_data && !kept.in_loop.trains_within;
    if !around_data || !kept.starts_inside || kept.evaluating.is_some() || kept.dropped {
        return None;
    }
    let (severity, confidence) = match kept.in_loop.iterated {
        Iterated::Loader => (Severity::Error, Confidence::High),
        // Nobody puts anything but batches on the device, one item after the other.
        Iterated::Foreign if kept.in_loop.loads => (Severity::Error, Confidence::Medium),
        Iterated::Foreign => (Severity::Warning, Confidence::Medium),
        Iterated::Unknown => (Severity::Information, Confidence::Low),
        Iterated::Collection | Iterated::Nothing => return None,
    };
    Some(Verdict { severity, confidence, growth: Growth::FullGraph })
}
