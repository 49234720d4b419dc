//! # from-pretrained-full-precision (OOM303)
//!
//! ## What it finds
//! A model of transformers that is loaded without a type and put on the GPU or given to a trainer: before transformers
//! 5 its weights become float32, whatever the checkpoint stores.
//!
//! ## Why it costs memory
//! A float32 weight takes 4 bytes, a bfloat16 one 2. Nearly all current checkpoints store 16 bits, so that the second
//! half of the memory holds nothing.
//!
//! ## Example
//! ```python
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-7b-hf").to("cuda")
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-7b-hf", torch_dtype=torch.bfloat16).to("cuda")
//! ```
//!
//! ## What stays silent
//! transformers 5 and later, where the type of the checkpoint is kept; loads with a type or a quantization; models that
//! are not in the catalog or on this machine, or have fewer than 500 million parameters; models that stay on the host;
//! models in training that have fewer than five billion parameters, which may want float32.
//! A model with fewer than a billion parameters is a hint. Without a known version of transformers only larger models
//! are told of, and as information: from 5.0 on the load is fine.
//!
//! ## The fix
//! Adds `torch_dtype=torch.bfloat16`, or `dtype=` from transformers 4.56 on. Unsafe: results change in the last digits,
//! and a training in mixed precision may want its weights in float32.
//!
//! ## References
//! transformers 4.57.6 and 5.0.0, `modeling_utils.py`: `dtype=None` is `torch.get_default_dtype()` before 5 and
//! `"auto"` from 5 on.

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::memory::Bytes;
use crate::memory::weights::Dtype;
use crate::models::ModelFacts;
use crate::python::library_call::{Action, Event, LibraryCall};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::objects::{facts_of, put_on_gpu};
use crate::rules::writing::arguments;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM303",
    name: "from-pretrained-full-precision",
    summary: "A model is loaded in float32 though its checkpoint stores 16 bits",
    source: include_str!("oom303.rs"),
    check,
};

/// Arguments that decide on the type of the weights.
const DECIDES: [&str; 6] =
    ["dtype", "torch_dtype", "quantization_config", "load_in_8bit", "load_in_4bit", "config"];
/// The library, as versions know it.
const LIBRARY: &str = "transformers";
/// Since this version the type of the checkpoint is kept.
const KEEPS_TYPE: [u32; 1] = [5];
/// Since this version the argument is called `dtype`.
const NEW_NAME: [u32; 2] = [4, 56];
/// Smaller models are seldom what fills a card.
const SMALL: u64 = 500_000_000;
/// Models from this size on fill a card in float32.
const BIG: u64 = 1_000_000_000;
/// Models from this size on leave no room on most cards for being trained in float32.
const HUGE: u64 = 5_000_000_000;

fn check(context: &Context) -> Vec<Finding> {
    of_role(context, Role::Model, &RULE)
}

/// The findings about loads of one role.
pub fn of_role(context: &Context, role: Role, rule: &Rule) -> Vec<Finding> {
    let loads =
        context.script.calls.iter().filter(|call| call.role == role && call.path.starts_with(LIBRARY));
    worst_of_each_place(loads.filter_map(|load| finding(context, load, rule)).collect())
}

fn finding(context: &Context, load: &LibraryCall, rule: &Rule) -> Option<Finding> {
    let keeps = context.surroundings.versions.at_least(LIBRARY, &KEEPS_TYPE);
    let decided = DECIDES.into_iter().any(|name| load.arguments.named(name).is_some());
    if keeps == Some(true) || decided || load.arguments.open || !is_used_on_gpu(context, load) {
        return None;
    }
    if facts_of(context, load, is_quantized)? {
        return None;
    }
    let (parameters, stored) = facts_of(context, load, |facts| {
        (facts.parameters(), facts.components.first().and_then(|component| component.stored))
    })?;
    // Trainers in mixed precision want float32 weights, as long as there is room for them.
    let least = match keeps {
        _ if is_trained(context, load) => HUGE,
        None => BIG,
        Some(_) => SMALL,
    };
    if parameters < least || changes_type(load) {
        return None;
    }
    let in_float32 = stored == Some(Dtype::Float32);
    let severity = match keeps {
        _ if parameters < BIG => Severity::Hint,
        _ if is_trained(context, load) => Severity::Information,
        Some(false) => Severity::Warning,
        _ if in_float32 => Severity::Warning,
        _ => Severity::Information,
    };
    let verdict = Verdict { severity, confidence: Confidence::Medium, growth: Growth::Static };
    let (full, half) = (Bytes(parameters.saturating_mul(4)), Bytes(parameters.saturating_mul(2)));
    let sizes = [("full", full.to_string()), ("half", half.to_string())];
    let sizes: Vec<(&str, &str)> = sizes.iter().map(|(name, size)| (*name, size.as_str())).collect();
    let key = if keeps.is_none() && !in_float32 { "float32-before-five" } else { "float32-load" };
    let mut finding = context.sure_finding(rule, verdict, load.span, text(key, &sizes));
    finding.saves_bytes = Some(full.saturating_sub(half).0);
    finding.fix = fix(context, load);
    Some(finding)
}

fn fix(context: &Context, load: &LibraryCall) -> Option<Fix> {
    let torch = context.script.torch_name()?;
    let is_new = context.surroundings.versions.at_least(LIBRARY, &NEW_NAME) == Some(true);
    let option = format!("{}={torch}.bfloat16", if is_new { "dtype" } else { "torch_dtype" });
    let edits = arguments::added(context, load.expr, &[&option])?;
    let message = text("float32-add", &[("option", &option)]);
    Some(Fix { applicability: Applicability::Unsafe, message, edits })
}

/// Whether a model is put on a GPU, or trained by a trainer, which does that.
fn is_used_on_gpu(context: &Context, load: &LibraryCall) -> bool {
    put_on_gpu(load, u32::MAX).is_some() || is_trained(context, load)
}

/// Whether a loop or a trainer trains a model.
fn is_trained(context: &Context, load: &LibraryCall) -> bool {
    let to_trainer = |event: &Event| match event.action {
        Action::GivenTo(index) => {
            context.script.calls.get(index).is_some_and(|taker| taker.role == Role::Trainer)
        }
        _ => false,
    };
    load.trained || load.events.iter().any(to_trainer)
}

/// Whether a checkpoint stores fewer bits than any plain type.
fn is_quantized(facts: &ModelFacts) -> bool {
    facts.components.iter().any(|component| component.quantized.is_some())
}

/// Whether a model is turned into another type later.
fn changes_type(load: &LibraryCall) -> bool {
    load.events.iter().any(|event| match &event.action {
        Action::Called { method, arguments } => {
            matches!(&**method, "half" | "bfloat16")
                || &**method == "to" && (arguments.named("dtype").is_some() || arguments.positional.len() > 1)
        }
        _ => false,
    })
}
