//! # offload-after-move (OOM501)
//!
//! ## What it finds
//! A pipeline of diffusers that is put on the GPU, by `.to("cuda")`, `.cuda()` or `device_map="cuda"`, and then
//! told to offload: `enable_model_cpu_offload()`, `enable_sequential_cpu_offload()`, `enable_group_offload()`.
//!
//! ## Why it costs memory
//! The move puts every part on the GPU at once, which is what offloading is there to avoid. Newer versions of
//! diffusers then take it all back to host memory; older ones leave it. Either way a small card is full before
//! the first image.
//!
//! ## Example
//! ```python
//! import torch
//! from diffusers import StableDiffusionXLPipeline
//!
//! pipe = StableDiffusionXLPipeline.from_pretrained("stabilityai/stable-diffusion-xl-base-1.0", torch_dtype=torch.float16)
//! pipe = pipe.to("cuda")
//! pipe.enable_model_cpu_offload()
//! image = pipe("a lighthouse").images[0]
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! from diffusers import StableDiffusionXLPipeline
//!
//! pipe = StableDiffusionXLPipeline.from_pretrained("stabilityai/stable-diffusion-xl-base-1.0", torch_dtype=torch.float16)
//! pipe.enable_model_cpu_offload()
//! image = pipe("a lighthouse").images[0]
//! ```
//!
//! ## What stays silent
//! A pipeline that is moved back to host memory, or that draws something, in between; a move on one way through
//! the program and an offload on another; a change of the type alone; parts that do not belong to the pipeline.
//!
//! ## The fix
//! Deletes the move; a change of type in the same call stays. Safe. None when the offload does not come on every
//! way.
//!
//! ## References
//! diffusers 0.42.1, `pipelines/pipeline_utils.py`; diffusers issue 1934; diffusers documentation, "Reduce memory
//! usage".

use crate::finding::{Applicability, Confidence, Finding, Growth, Severity};
use crate::knowledge::objects::ObjectEffect;
use crate::python::library_call::{Action, Device, Event, LibraryCall};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::offload;
use crate::rules::writing::arguments;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM501",
    name: "offload-after-move",
    summary: "A pipeline is moved to the GPU before it is offloaded",
    source: include_str!("oom501.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    for call in offload::pipelines(context) {
        // A pipeline that a device map spreads cannot be moved at all.
        if offload::device_map(call).is_some_and(offload::spreads) {
            continue;
        }
        for (place, event) in call.events.iter().enumerate() {
            if offload::offload(event).is_some() && offload::is_whole(event) {
                findings.extend(before(context, call, place, event));
            }
        }
    }
    worst_of_each_place(findings)
}

/// What puts a pipeline on the GPU before it is offloaded.
fn before(context: &Context, call: &LibraryCall, place: usize, offload: &Event) -> Vec<Finding> {
    let mut findings = Vec::new();
    let earlier = offload::may_come_before(call, place, offload);
    for event in earlier.filter(|event| offload::is_whole(event)) {
        let used = matches!(event.action, Action::Run { .. });
        let back = event.action.moves_to() == Some(Device::Host)
            || offload::effect(event) == Some(ObjectEffect::ResetsDeviceMap);
        if used || back {
            return findings;
        }
        // Where the offload depends on something, so may a choice of the device.
        let moves = offload::moves_to_gpu(event) && (offload.certain || offload::always_moves_to_gpu(event));
        if moves {
            findings.push(moved(context, event, offload));
        }
    }
    findings.extend(loaded_there(context, call, offload));
    findings
}

fn verdict() -> Verdict {
    Verdict { severity: Severity::Warning, confidence: Confidence::High, growth: Growth::Static }
}

fn moved(context: &Context, event: &Event, offload: &Event) -> Finding {
    let (written, method) = (offload::quoted_move(context, event), offload::quoted_method(offload));
    let message = text("offload-after-move", &[("move", &written), ("offload", &method)]);
    let mut finding = context.sure_finding(&RULE, verdict(), offload::place_of_move(context, event), message);
    finding.related.push(context.related(offload.span, text("offload-here", &[])));
    if offload::always_follows(context, event, offload) {
        finding.fix = offload::without_move(context, event);
    }
    finding
}

/// A pipeline that its device map puts on the GPU while it is loaded.
fn loaded_there(context: &Context, call: &LibraryCall, offload: &Event) -> Option<Finding> {
    let given = offload::device_map(call).filter(|given| Device::named(&given.value) == Some(Device::Gpu))?;
    let span = arguments::whole(context.script.module, call.expr, given.span?)?;
    let (written, method) = (context.quote(span), offload::quoted_method(offload));
    let message = text("offload-after-move", &[("move", &written), ("offload", &method)]);
    let mut finding = context.sure_finding(&RULE, verdict(), span, message);
    finding.related.push(context.related(offload.span, text("offload-here", &[])));
    if offload.certain {
        finding.fix = offload::without_device_map(context, call, Applicability::Safe);
    }
    Some(finding)
}
