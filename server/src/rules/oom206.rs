//! # eager-attention (OOM206)
//!
//! ## What it finds
//! A model of transformers that is loaded with `attn_implementation="eager"`.
//!
//! ## Why it costs memory
//! The eager attention writes out the scores of every head: batch size times heads times length times length, for each
//! layer, several times over, and training keeps them for the backward. `"sdpa"` and the flash attentions never write
//! them out, and their memory grows with the length and not with its square.
//!
//! ## Example
//! ```python
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype="auto", attn_implementation="eager").cuda()
//! tokens = model.generate(**inputs, max_new_tokens=64)
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype="auto", attn_implementation="sdpa").cuda()
//! tokens = model.generate(**inputs, max_new_tokens=64)
//! ```
//!
//! ## What stays silent
//! Models that need it or have no other, such as those that cap their scores; scripts that ask for or read the
//! attention weights, which only the eager attention returns; values that an option decides.
//!
//! ## The fix
//! Writes `"sdpa"`. Unsafe: results differ in the last digits.
//!
//! ## References
//! transformers 4.46.3 and 5.24.0, `modeling_utils.py` and `integrations/sdpa_attention.py`; PyTorch documentation,
//! `scaled_dot_product_attention`.

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::knowledge::attention::needs_eager;
use crate::knowledge::fields::{Extra, fillings};
use crate::knowledge::objects::{ObjectEffect, object_method};
use crate::python::library_call::{Action, Event, Known, LibraryCall};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::literal;
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM206",
    name: "eager-attention",
    summary: "A model is loaded with the attention that writes out all scores",
    source: include_str!("oom206.rs"),
    check,
};

/// The option that chooses an attention.
const OPTION: &str = "attn_implementation";
/// The attention that writes out its scores.
const EAGER: &str = "eager";

fn check(context: &Context) -> Vec<Finding> {
    if uses_attentions(context) {
        return Vec::new();
    }
    let calls = context.script.calls.iter().filter(|call| call.role == Role::Model);
    worst_of_each_place(calls.filter_map(|call| finding(context, call)).collect())
}

/// Whether the script asks for attention weights, or reads them.
fn uses_attentions(context: &Context) -> bool {
    let attentions = fillings(Role::ModelRun).filter(|filling| filling.extra == Extra::Attentions);
    let module = context.script.module;
    attentions.into_iter().any(|filling| {
        module.symbol(filling.option).is_some()
            || filling.fields().any(|field| module.symbol(field).is_some())
    })
}

fn finding(context: &Context, call: &LibraryCall) -> Option<Finding> {
    let given = call.arguments.named(OPTION)?;
    let name = call.arguments.get("pretrained_model_name_or_path", 0).and_then(|given| given.value.text());
    if given.value != Known::Text(EAGER.into()) || name.is_some_and(needs_eager) {
        return None;
    }
    let span = given.span?;
    let is_trained = call.trained || call.events.iter().any(|event| trains(context, event));
    let severity = if is_trained { Severity::Warning } else { Severity::Information };
    let verdict = Verdict { severity, confidence: Confidence::High, growth: Growth::Peak };
    let message = if is_trained { text("eager-training", &[]) } else { text("eager-inference", &[]) };
    let mut finding = context.finding(&RULE, verdict, span, message);
    finding.fix = literal::contents(context, span, EAGER).map(|written| Fix {
        applicability: Applicability::Unsafe,
        message: text("eager-use-sdpa", &[]),
        edits: vec![replacement(context, written, "sdpa")],
    });
    Some(finding)
}

/// Whether an event gives the model to a trainer that trains it.
fn trains(context: &Context, event: &Event) -> bool {
    let Action::GivenTo(index) = event.action else { return false };
    let trainer = context.script.calls.get(index).filter(|call| call.role == Role::Trainer);
    let is_training =
        |event: &Event| event.action.method().and_then(object_method) == Some(ObjectEffect::Trains);
    trainer.is_some_and(|trainer| trainer.events.iter().any(is_training))
}
