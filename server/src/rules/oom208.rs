//! # several-at-once (OOM208)
//!
//! ## What it finds
//! A generation of text or images with many beams, return sequences or images for each input.
//!
//! ## Why it costs memory
//! They all run at once, as a batch would: the cache of keys and values, the logits, the activations of each step and
//! those of the image decoder are as many times larger. The weights are not.
//!
//! ## Example
//! ```python
//! import torch
//! from diffusers import StableDiffusionXLPipeline
//!
//! pipe = StableDiffusionXLPipeline.from_pretrained("stabilityai/stable-diffusion-xl-base-1.0", torch_dtype=torch.float16).to("cuda")
//! images = pipe("a lighthouse", num_images_per_prompt=16).images
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! from diffusers import StableDiffusionXLPipeline
//!
//! pipe = StableDiffusionXLPipeline.from_pretrained("stabilityai/stable-diffusion-xl-base-1.0", torch_dtype=torch.float16).to("cuda")
//! images = []
//! for _ in range(16):
//!     images += pipe("a lighthouse").images
//! ```
//!
//! ## What stays silent
//! Fewer than four, and numbers that are not written in the script. Below eight it is a hint: the many may be wanted, and
//! fit.
//!
//! ## The fix
//! None: ask for fewer, or call it several times.
//!
//! ## References
//! transformers 5.24.0, `generation/utils.py`; diffusers 0.42.1, `pipelines`.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::Role;
use crate::knowledge::multiples::{Multiple, multiples};
use crate::python::library_call::{Action, Arguments, Known, LibraryCall};
use crate::python::syntax::ExprId;
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::arguments;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM208",
    name: "several-at-once",
    summary: "Many beams, sequences or images are made at once for one input",
    source: include_str!("oom208.rs"),
    check,
};

/// From this many on it is worth a word.
const SEVERAL: i64 = 4;
/// From this many on it is likely what fills the card.
const MANY: i64 = 8;

fn check(context: &Context) -> Vec<Finding> {
    let findings = context.script.calls.iter().flat_map(|call| {
        let own = (call.role == Role::Generation).then_some((call.expr, &call.arguments));
        let runs = call.events.iter().filter_map(|event| match &event.action {
            Action::Run { arguments } => Some((event.expr?, arguments)),
            _ => None,
        });
        own.into_iter().chain(runs).filter_map(|(run, given)| finding(context, call, run, given))
    });
    worst_of_each_place(findings.collect())
}

/// The finding about the largest number in one run.
fn finding(context: &Context, call: &LibraryCall, run: ExprId, given: &Arguments) -> Option<Finding> {
    let number = |multiple: &'static Multiple| match given.named(multiple.option) {
        Some(given) => match given.value {
            Known::Int(number) => Some((number, given.span?, multiple)),
            _ => None,
        },
        None => None,
    };
    let (number, span, multiple) =
        multiples(call.role).filter_map(number).max_by_key(|(number, ..)| *number)?;
    if number < SEVERAL {
        return None;
    }
    let severity = if number < MANY { Severity::Hint } else { Severity::Information };
    let verdict = Verdict { severity, confidence: Confidence::High, growth: Growth::Peak };
    let number = number.to_string();
    let message = match call.role {
        Role::DiffusionPipeline => {
            text("several-images", &[("number", &number), ("several", multiple.several)])
        }
        _ => text("several-sequences", &[("number", &number), ("several", multiple.several)]),
    };
    let place = arguments::whole(context.script.module, run, span).unwrap_or(span);
    Some(context.finding(&RULE, verdict, place, message))
}
