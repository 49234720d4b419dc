//! # ranks-on-one-gpu (OOM931)
//!
//! ## What it finds
//! A script for several processes, one for each GPU, in which nothing tells the processes apart: all of them use the
//! first GPU.
//!
//! ## Why it costs memory
//! `.cuda()` and `"cuda"` mean the process's current device, which is the first GPU until `torch.cuda.set_device` says
//! otherwise. Every process then puts its model, its optimizer states and its batches there: eight copies on one card,
//! and seven cards that are empty.
//!
//! ## Example
//! ```python
//! import torch
//! import torch.distributed as dist
//! from torch.nn.parallel import DistributedDataParallel
//!
//! dist.init_process_group("nccl")
//! model = DistributedDataParallel(torch.nn.Linear(512, 10).cuda())
//! ```
//!
//! Use instead:
//! ```python
//! import os
//!
//! import torch
//! import torch.distributed as dist
//! from torch.nn.parallel import DistributedDataParallel
//!
//! dist.init_process_group("nccl")
//! torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
//! model = DistributedDataParallel(torch.nn.Linear(512, 10).cuda())
//! ```
//!
//! ## What stays silent
//! A script that calls `set_device`, passes `device_id` or `device_ids`, or speaks of a rank at all; the `gloo` backend;
//! one that puts nothing on a GPU itself.
//!
//! ## The fix
//! None: how the processes are started says where the rank is. Under `torchrun`, write
//! `torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))` behind `init_process_group`.
//!
//! ## References
//! PyTorch documentation, `torch.distributed` and `torchrun`; PyTorch documentation, `torch.cuda.set_device`.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::Role;
use crate::python::library_call::{LibraryCall, ProcessChange};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM931",
    name: "ranks-on-one-gpu",
    summary: "Every process of a group uses the first GPU",
    source: include_str!("oom931.rs"),
    check,
};

/// The backend whose processes need no GPU.
const ON_HOST: &str = "gloo";

fn check(context: &Context) -> Vec<Finding> {
    let calls = &context.script.calls;
    let uses_gpu = context.script.process.iter().any(|event| event.what == ProcessChange::InitializesCuda);
    let chooses = calls.iter().any(|call| call.role == Role::ChoosesDevice)
        || calls
            .iter()
            .any(|call| call.role == Role::Distributed && call.arguments.get("device_ids", 1).is_some());
    if !uses_gpu || chooses || context.script.mentions_rank() {
        return Vec::new();
    }
    let groups = calls.iter().filter(|call| call.role == Role::ProcessGroup && is_for_gpus(call));
    let verdict = Verdict { severity: Severity::Error, confidence: Confidence::High, growth: Growth::Static };
    let finding =
        |call: &LibraryCall| context.sure_finding(&RULE, verdict, call.span, text("ranks-on-one-gpu", &[]));
    worst_of_each_place(groups.map(finding).collect())
}

/// Whether the processes of a group use GPUs, and are not told which.
fn is_for_gpus(group: &LibraryCall) -> bool {
    let backend = group.arguments.get("backend", 0).and_then(|given| given.value.text());
    backend.is_some_and(|backend| backend != ON_HOST)
        && group.arguments.named("device_id").is_none()
        && !group.arguments.open
}
