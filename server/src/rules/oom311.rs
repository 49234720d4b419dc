//! # old-model-still-there (OOM311)
//!
//! ## What it finds
//! A model that is loaded onto the GPU while the one before it is still there: its name is given to the new model, or
//! nothing uses it any more.
//!
//! ## Why it costs memory
//! Python frees the old model when the last name lets it go. In `model = load()` that is after the new one is complete,
//! so both must fit for a moment; where another name, an optimizer or a list holds the old one, both stay.
//! `empty_cache()` cannot free what something still holds.
//!
//! ## Example
//! ```python
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", dtype="auto").to("cuda")
//! print(model.generate(prompt))
//! model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.3", dtype="auto").to("cuda")
//! print(model.generate(prompt))
//! ```
//!
//! Use instead:
//! ```python
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", dtype="auto").to("cuda")
//! print(model.generate(prompt))
//! model = None
//! model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.3", dtype="auto").to("cuda")
//! print(model.generate(prompt))
//! ```
//!
//! ## What stays silent
//! Where nothing uses the old model any more but its name stays, it is information; where the name was deleted and
//! something else holds the model, it is a warning, and OOM958 says so at the deletion. Models that are both used afterwards; one that was deleted, or moved to host memory; models on ways of the program
//! that exclude each other; models that are known to be small. A name in a notebook that is given to the new
//! model is OOM955.
//!
//! ## The fix
//! Lets the old model go first: `model = None` above the load. Safe. None where something else holds it, too: the message
//! names what.
//!
//! ## References
//! Python reference, assignment statements; PyTorch documentation, "CUDA semantics: memory management".

use vramlens_grammars::Span;

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::reloading::{Pair, let_go_first, names, pairs};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM311",
    name: "old-model-still-there",
    summary: "A model is loaded while the one before it is still on the GPU",
    source: include_str!("oom311.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    worst_of_each_place(pairs(context).iter().filter_map(|pair| finding(context, pair)).collect())
}

fn finding(context: &Context, pair: &Pair) -> Option<Finding> {
    match pair.rebound() {
        Some((told, held_by)) if !context.is_in_cell(told) => {
            let (severity, key) = match held_by {
                [] => (Severity::Warning, "old-model-rebound"),
                _ => (Severity::Error, "old-model-held"),
            };
            let mut finding =
                about(context, pair, (severity, told), text(key, &[("names", &names(held_by))]));
            if held_by.is_empty() {
                let message = |lines: &str| text("old-model-let-go", &[("line", lines)]);
                finding.fix = let_go_first(context, told, message);
            }
            Some(finding)
        }
        None if pair.is_forgotten(context) => {
            let message = text("old-model-forgotten", &[("names", &names(&pair.beside.held_by))]);
            let severity = if pair.is_deleted() { Severity::Warning } else { Severity::Information };
            Some(about(context, pair, (severity, pair.load.span), message))
        }
        _ => None,
    }
}

fn about(context: &Context, pair: &Pair, (severity, told): (Severity, Span), message: String) -> Finding {
    let verdict = Verdict { severity, confidence: Confidence::High, growth: Growth::Static };
    let mut finding = context.sure_finding(&RULE, verdict, told, message);
    finding.related.push(context.related(pair.old.span, text("old-model-here", &[])));
    finding
}
