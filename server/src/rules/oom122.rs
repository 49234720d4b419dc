//! # data-set-on-gpu (OOM122)
//!
//! ## What it finds
//! A data set that is put on the GPU as a whole: a list of all batches, moved; a `Dataset` that moves its data when it is
//! made; a `TensorDataset` of tensors on the GPU. And a data set or a collating function that moves what it yields.
//!
//! ## Why it costs memory
//! Training needs one batch at a time on the GPU. The whole data set there takes its full size beside the model, as long
//! as the program runs. What a data set yields on the GPU is made in the worker processes of the loader: each opens a
//! CUDA context of its own, several hundred MiB, or fails to ("Cannot re-initialize CUDA in forked subprocess").
//!
//! ## Example
//! ```python
//! import torch
//! from torch.utils.data import DataLoader
//!
//! def fit(model, data, step):
//!     loader = DataLoader(data, batch_size=64)
//!     batches = [(x.cuda(), y.cuda()) for x, y in loader]
//!     for epoch in range(10):
//!         for x, y in batches:
//!             step(model, x, y)
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! from torch.utils.data import DataLoader
//!
//! def fit(model, data, step):
//!     loader = DataLoader(data, batch_size=64, pin_memory=True)
//!     for epoch in range(10):
//!         for x, y in loader:
//!             step(model, x.cuda(non_blocking=True), y.cuda(non_blocking=True))
//! ```
//!
//! ## What stays silent
//! A batch whose parts are moved, a list of batches in host memory, and a data set that moves nothing. A `TensorDataset`
//! on the GPU is told as information: small tables are often put there on purpose. So is a data set that yields tensors
//! on the GPU where no loader of the file has worker processes.
//!
//! ## The fix
//! None: where each batch is used is not always in the same file.
//!
//! ## References
//! PyTorch documentation, "torch.utils.data: multi-process data loading" and "Multiprocessing best practices: CUDA in
//! multiprocessing".

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::python::script::{Keeping, Over, Resident, ResidentData, StashedTensors};
use crate::python::storage::Size;
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM122",
    name: "data-set-on-gpu",
    summary: "A whole data set is put on the GPU",
    source: include_str!("oom122.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let listed = context.script.stashed.iter().filter(|stashed| is_data_set(stashed));
    let listed = listed.map(|stashed| {
        let verdict = verdict(Severity::Warning);
        context.finding(&RULE, verdict, stashed.span, text("resident-batches", &[]))
    });
    let residents = context.script.residents.iter().filter(|resident| is_told(context, resident));
    let residents = residents.map(|resident| finding(context, resident));
    worst_of_each_place(listed.chain(residents).collect())
}

/// Whether something is not told by something else: what lies on the GPU anyway, a data set can only yield from there.
fn is_told(context: &Context, resident: &ResidentData) -> bool {
    let moves_all = context.script.residents.iter().any(|other| other.what == Resident::Field);
    resident.what != Resident::Yielded || resident.workers.is_some() || !moves_all
}

/// Whether a list keeps all batches of a loader, moved.
fn is_data_set(stashed: &StashedTensors) -> bool {
    stashed.keeping == Keeping::Collection
        && stashed.stored.size == Size::Data
        && stashed.in_loop.over == Over::Batches
        && stashed.emptied.is_none()
        && !stashed.dropped
        && !stashed.inside_step
        && (stashed.target == stashed.span || stashed.values.len() > 1)
}

fn verdict(severity: Severity) -> Verdict {
    Verdict { severity, confidence: Confidence::Medium, growth: Growth::Static }
}

fn finding(context: &Context, resident: &ResidentData) -> Finding {
    let (severity, key) = match resident.what {
        Resident::Batches => (Severity::Warning, "resident-batches"),
        Resident::Field => (Severity::Warning, "resident-field"),
        Resident::Tensors => (Severity::Information, "resident-tensors"),
        Resident::Yielded if resident.workers.is_some() => (Severity::Warning, "resident-yielded"),
        Resident::Yielded => (Severity::Information, "resident-yielded"),
    };
    let mut finding = context.finding(&RULE, verdict(severity), resident.span, text(key, &[]));
    if let (Resident::Yielded, Some(workers)) = (resident.what, resident.workers) {
        finding.related.push(context.related(workers, text("resident-workers", &[])));
    }
    finding
}
