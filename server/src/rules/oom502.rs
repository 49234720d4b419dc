//! # move-after-offload (OOM502)
//!
//! ## What it finds
//! `.to("cuda")` or `.cuda()` on a pipeline of diffusers that was told to offload, or on a part of it.
//!
//! ## Why it costs memory
//! After `enable_model_cpu_offload()` everything lies on the GPU again, and the saving is gone. After
//! `enable_sequential_cpu_offload()` it raises an error, because the weights are not in the modules any more.
//! After `enable_group_offload()` it does nothing.
//!
//! ## Example
//! ```python
//! import torch
//! from diffusers import StableDiffusionXLPipeline
//!
//! pipe = StableDiffusionXLPipeline.from_pretrained("stabilityai/stable-diffusion-xl-base-1.0", torch_dtype=torch.float16)
//! pipe.enable_model_cpu_offload()
//! pipe.to("cuda")
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
//! Moves to host memory, changes of the type alone, other parts than the one that is offloaded in groups, and
//! anything after `remove_all_hooks()`.
//!
//! ## The fix
//! Deletes the move; a change of type in the same call stays. Safe: offloading brings each part to the GPU when
//! it is its turn.
//!
//! ## References
//! diffusers 0.42.1, `pipelines/pipeline_utils.py`; diffusers documentation, "Reduce memory usage".

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::objects::ObjectEffect;
use crate::python::library_call::{Event, Known, LibraryCall};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::offload;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM502",
    name: "move-after-offload",
    summary: "An offloaded pipeline, or a part of it, is moved to the GPU",
    source: include_str!("oom502.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    for call in offload::pipelines(context) {
        for event in call.events.iter().filter(|event| offload::moves_to_gpu(event)) {
            findings
                .extend(offloaded_before(call, event).map(|offload| finding(context, call, offload, event)));
        }
    }
    worst_of_each_place(findings)
}

/// The offload that is in force when something is moved.
fn offloaded_before<'a>(call: &'a LibraryCall, moved: &'a Event) -> Option<&'a Event> {
    for event in offload::latest_first(call, moved) {
        match offload::effect(event) {
            Some(ObjectEffect::EndsOffload | ObjectEffect::ResetsDeviceMap) => return None,
            // Groups are offloaded part by part, and the other parts are to be moved.
            Some(ObjectEffect::OffloadsGroups) if event.part == moved.part => return Some(event),
            Some(ObjectEffect::OffloadsModels | ObjectEffect::OffloadsLayers) if offload::is_whole(event) => {
                return Some(event);
            }
            _ => {}
        }
    }
    None
}

fn finding(context: &Context, call: &LibraryCall, offload: &Event, moved: &Event) -> Finding {
    let written = offload::quoted_move(context, moved);
    let method = offload::quoted_method(offload);
    let arguments = [("move", written.as_str()), ("offload", method.as_str())];
    let (severity, growth, message) = match offload::effect(offload) {
        Some(ObjectEffect::OffloadsLayers) if !quantized(call) => {
            (Severity::Error, Growth::None, text("offload-move-raises", &arguments))
        }
        Some(ObjectEffect::OffloadsGroups) => {
            (Severity::Information, Growth::None, text("offload-move-does-nothing", &arguments))
        }
        _ => (Severity::Warning, Growth::Static, text("offload-undone", &arguments)),
    };
    let verdict = Verdict { severity, confidence: Confidence::High, growth };
    let mut finding = context.sure_finding(&RULE, verdict, offload::place_of_move(context, moved), message);
    finding.related.push(context.related(offload.span, text("offload-here", &[])));
    finding.fix = offload::without_move(context, moved);
    finding
}

/// Whether a pipeline may have quantized parts, which diffusers moves all the same.
fn quantized(call: &LibraryCall) -> bool {
    let given = call.arguments.named("quantization_config");
    given.is_some_and(|given| given.value != Known::None)
}
