//! # two-offload-modes (OOM503)
//!
//! ## What it finds
//! Two of `enable_model_cpu_offload()`, `enable_sequential_cpu_offload()` and `enable_group_offload()` on one
//! pipeline of diffusers.
//!
//! ## Why it costs memory
//! Only one can be in force. The later of the first two takes the place of the earlier one, and so does what it
//! saves: sequential offloading needs the least memory and is the slowest. Together with groups, the later call
//! raises an error.
//!
//! ## Example
//! ```python
//! import torch
//! from diffusers import StableDiffusionXLPipeline
//!
//! pipe = StableDiffusionXLPipeline.from_pretrained("stabilityai/stable-diffusion-xl-base-1.0", torch_dtype=torch.float16)
//! pipe.enable_sequential_cpu_offload()
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
//! Two modes of which each is turned on on a way of its own; `remove_all_hooks()` in between; groups for several
//! parts.
//!
//! ## The fix
//! Deletes the earlier call. Safe, because it has no effect; unsafe with groups, where it is for you to choose.
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
    code: "OOM503",
    name: "two-offload-modes",
    summary: "Two ways of offloading are turned on for one pipeline",
    source: include_str!("oom503.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    for call in offload::pipelines(context) {
        for later in call.events.iter().filter(|event| offload::offload(event).is_some()) {
            findings.extend(earlier(call, later).and_then(|earlier| finding(context, earlier, later)));
        }
    }
    worst_of_each_place(findings)
}

/// Another mode that is in force when one is turned on.
fn earlier<'a>(call: &'a LibraryCall, later: &'a Event) -> Option<&'a Event> {
    for event in offload::latest_first(call, later) {
        if offload::effect(event) == Some(ObjectEffect::EndsOffload) {
            return None;
        }
        if offload::offload(event).is_some_and(|mode| Some(mode) != offload::offload(later)) {
            return Some(event);
        }
    }
    None
}

fn finding(context: &Context, earlier: &Event, later: &Event) -> Option<Finding> {
    let (first, second) = (offload::quoted_method(earlier), offload::quoted_method(later));
    let arguments = [("earlier", first.as_str()), ("later", second.as_str())];
    let in_groups = |event: &Event| offload::effect(event) == Some(ObjectEffect::OffloadsGroups);
    let raises = in_groups(earlier) || in_groups(later);
    if !raises && !offload::always_follows(context, earlier, later) {
        return None;
    }
    let (severity, applicability, message) = if raises {
        (Severity::Error, Applicability::Unsafe, text("offload-modes-raise", &arguments))
    } else {
        (Severity::Warning, Applicability::Safe, text("offload-mode-replaced", &arguments))
    };
    let verdict = Verdict { severity, confidence: Confidence::High, growth: Growth::None };
    let span = if raises { later.span } else { earlier.span };
    let other = if raises { earlier.span } else { later.span };
    let mut finding = context.sure_finding(&RULE, verdict, span, message);
    finding.related.push(context.related(other, text("offload-other-mode", &[])));
    if offload::always_follows(context, earlier, later) {
        finding.fix = offload::without_call(context, earlier, applicability);
    }
    Some(finding)
}
