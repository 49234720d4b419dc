//! # offload-with-device-map (OOM504)
//!
//! ## What it finds
//! A pipeline of diffusers that is loaded with a `device_map` that spreads its parts, such as `"balanced"`, and
//! then offloaded or moved as a whole.
//!
//! ## Why it costs memory
//! It raises a `ValueError`: the parts have their places already, and an offload would move them.
//!
//! ## Example
//! ```python
//! import torch
//! from diffusers import StableDiffusionXLPipeline
//!
//! pipe = StableDiffusionXLPipeline.from_pretrained("stabilityai/stable-diffusion-xl-base-1.0", torch_dtype=torch.float16, device_map="balanced")
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
//! `device_map=None`; a device map that is not known; one that only names a device, such as `"cuda"`, which
//! OOM501 is about; anything after `reset_device_map()`.
//!
//! ## The fix
//! Loads the pipeline without the device map. Unsafe: it then uses one GPU only.
//!
//! ## References
//! diffusers 0.42.1, `pipelines/pipeline_utils.py`.

use crate::finding::{Applicability, Confidence, Finding, Growth, Severity};
use crate::knowledge::objects::ObjectEffect;
use crate::python::library_call::{Event, LibraryCall};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::offload;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM504",
    name: "offload-with-device-map",
    summary: "A pipeline with a device map is offloaded or moved",
    source: include_str!("oom504.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    for call in offload::pipelines(context) {
        let Some(device_map) = offload::device_map(call).filter(|given| offload::spreads(given)) else {
            continue;
        };
        let Some(event) = call.events.iter().find(|event| is_refused(call, event)) else { continue };
        let verdict =
            Verdict { severity: Severity::Error, confidence: Confidence::High, growth: Growth::None };
        let written = offload::quoted_move(context, event);
        let map = device_map.value.text().unwrap_or_default();
        let message = text("offload-device-map", &[("call", &written), ("map", map)]);
        let mut finding = context.sure_finding(&RULE, verdict, event.span, message);
        let place = device_map.span.unwrap_or(call.callee);
        finding.related.push(context.related(place, text("offload-device-map-here", &[])));
        finding.fix = offload::without_device_map(context, call, Applicability::Unsafe);
        findings.push(finding);
    }
    worst_of_each_place(findings)
}

/// Whether an event is one that a pipeline with a device map does not allow.
fn is_refused(call: &LibraryCall, event: &Event) -> bool {
    let placed = event.action.moves_to().is_some()
        || matches!(
            offload::effect(event),
            Some(ObjectEffect::OffloadsModels | ObjectEffect::OffloadsLayers)
        );
    let reset = |earlier: &Event| offload::effect(earlier) == Some(ObjectEffect::ResetsDeviceMap);
    placed && offload::is_whole(event) && !offload::latest_first(call, event).any(reset)
}
