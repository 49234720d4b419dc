//! # generate-keeps-unread (OOM209)
//!
//! ## What it finds
//! A `generate` that returns scores, logits, hidden states or attentions of every token, which nothing reads.
//!
//! ## Why it costs memory
//! With `return_dict_in_generate=True`, `output_scores` and `output_logits` keep a float32 tensor of batch size times
//! vocabulary for every generated token, on the GPU, until the result is gone: 512 tokens of a vocabulary of 152,000
//! are 297 MiB for each sequence. Hidden states and attentions are kept for every layer and every token.
//!
//! ## Example
//! ```python
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype="auto", device_map="cuda")
//! result = model.generate(**inputs, max_new_tokens=512, return_dict_in_generate=True, output_scores=True)
//! print(result.sequences)
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype="auto", device_map="cuda")
//! result = model.generate(**inputs, max_new_tokens=512, return_dict_in_generate=True)
//! print(result.sequences)
//! ```
//!
//! ## What stays silent
//! A result whose field is read, or that is handed on or returned, so that it may be read elsewhere; options that are
//! not known; a `generate` without `return_dict_in_generate=True`, which keeps none of it.
//!
//! ## The fix
//! Takes the option out. Safe: the generated tokens are the same.
//!
//! ## References
//! transformers 4.46.3 and 5.24.0, `generation/utils.py`.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::Role;
use crate::knowledge::fields::Extra;
use crate::python::library_call::{Known, LibraryCall};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::fields::{Asked, asked, is_unread, place, without_option};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM209",
    name: "generate-keeps-unread",
    summary: "A generation keeps tensors of every token that nothing reads",
    source: include_str!("oom209.rs"),
    check,
};

/// The option without which a generation returns the tokens only.
const RETURNS_ALL: &str = "return_dict_in_generate";

fn check(context: &Context) -> Vec<Finding> {
    let calls = context.script.calls.iter().filter(|call| call.role == Role::Generation);
    worst_of_each_place(calls.flat_map(|call| findings(context, call)).collect())
}

fn findings(context: &Context, call: &LibraryCall) -> Vec<Finding> {
    let returns_all = call.arguments.named(RETURNS_ALL).is_some_and(|given| given.value == Known::Bool(true));
    let options = asked(Role::Generation, &call.arguments);
    if !returns_all || options.is_empty() {
        return Vec::new();
    }
    let Some(reads) = context.script.reads_of(call.expr) else { return Vec::new() };
    let unread = options.iter().filter(|option| is_unread(option, &reads));
    unread.map(|option| finding(context, call, option)).collect()
}

fn finding(context: &Context, call: &LibraryCall, option: &Asked) -> Finding {
    let verdict = Verdict { severity: Severity::Warning, confidence: Confidence::High, growth: Growth::Peak };
    let arguments = [("option", option.filling.option)];
    let message = match option.filling.extra {
        Extra::Logits => text("generate-unread-logits", &arguments),
        _ => text("generate-unread-layers", &arguments),
    };
    let span = place(context, call.expr, option);
    let mut finding = context.finding(&RULE, verdict, span, message);
    finding.fix = without_option(context, call.expr, option);
    finding
}
