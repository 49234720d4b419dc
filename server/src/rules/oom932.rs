//! # data-parallel-gathers (OOM932)
//!
//! ## What it finds
//! A model in `nn.DataParallel`, in a script that trains.
//!
//! ## Why it costs memory
//! One process splits each batch over the GPUs and brings all outputs and gradients back to the first one, which also
//! computes the loss of the whole batch. The first card is full while the others have room: the batch size is that of
//! the fullest card. `DistributedDataParallel` has one process for each GPU, each with its own outputs and loss.
//!
//! ## Example
//! ```python
//! import torch
//! from torch import nn
//!
//! def fit(model, loader, criterion, optimizer):
//!     model = nn.DataParallel(model.cuda())
//!     for x, y in loader:
//!         optimizer.zero_grad()
//!         criterion(model(x.cuda()), y.cuda()).backward()
//!         optimizer.step()
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! from torch import nn
//!
//! def fit(model, loader, criterion, optimizer, rank):
//!     model = nn.parallel.DistributedDataParallel(model.to(rank), device_ids=[rank])
//!     for x, y in loader:
//!         optimizer.zero_grad()
//!         criterion(model(x.to(rank)), y.to(rank)).backward()
//!         optimizer.step()
//! ```
//!
//! ## What stays silent
//! `DistributedDataParallel`; a `DataParallel` in a script that trains nothing; one with a single device in
//! `device_ids`. It is a hint, because on a machine with one GPU it costs nothing.
//!
//! ## The fix
//! None: the script has to be started with `torchrun`, one process for each GPU.
//!
//! ## References
//! PyTorch documentation, `torch.nn.DataParallel`: the note that recommends `DistributedDataParallel`.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::Role;
use crate::python::library_call::{Known, LibraryCall};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM932",
    name: "data-parallel-gathers",
    summary: "Outputs and loss of all GPUs are gathered on the first one",
    source: include_str!("oom932.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let calls = &context.script.calls;
    if !calls.iter().any(|call| call.role == Role::Backward) {
        return Vec::new();
    }
    let wrapped = calls.iter().filter(|call| call.role == Role::DataParallel && !is_single(call));
    let verdict =
        Verdict { severity: Severity::Hint, confidence: Confidence::Medium, growth: Growth::Static };
    let finding = |call: &LibraryCall| {
        context.sure_finding(&RULE, verdict, call.span, text("data-parallel-gathers", &[]))
    };
    worst_of_each_place(wrapped.map(finding).collect())
}

/// Whether it is given one device only.
fn is_single(call: &LibraryCall) -> bool {
    let devices = call.arguments.get("device_ids", 1).map(|given| &given.value);
    matches!(devices, Some(Known::List(devices)) if devices.len() == 1)
}
