//! # output-kept-by-notebook (OOM954)
//!
//! ## What it finds
//! A cell of a notebook whose last line is what a model computed on the GPU, such as `model(inputs)`, where the notebook
//! has put a large model there: `IPython` shows it, and keeps it.
//!
//! ## Why it costs memory
//! `IPython` keeps every value that a cell shows in the dict `Out`, and the last three as `_`, `__` and `___`, until the
//! kernel ends. The tensors stay on the GPU, one more each time the cell is run; where gradients are on, so do all
//! activations of the forward pass. Deleting the names of the notebook does not free them.
//!
//! ## Example
//! ```ipython
//! %pip install transformers
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", dtype="auto").to("cuda")
//! with torch.no_grad():
//!     logits = model(inputs).logits
//! logits
//! ```
//!
//! Use instead:
//! ```ipython
//! %pip install transformers
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", dtype="auto").to("cuda")
//! with torch.no_grad():
//!     logits = model(inputs).logits
//! logits;
//! ```
//!
//! ## What stays silent
//! Notebooks without a large model, whose results are small; single numbers such as a loss, shapes, what `print` is given, tensors in host memory; a model itself, which its name
//! keeps alive anyway (when that name is deleted, OOM958 speaks); a line with `;` behind it. What a trainer's `predict`
//! returns are arrays in host memory.
//!
//! ## The fix
//! Writes `;` behind the line: `IPython` then neither shows nor keeps its value. Safe. To see what it is like, show its
//! `shape`, or a part of it in host memory.
//!
//! ## References
//! `IPython` 9, `core/displayhook.py` (`quiet`, `update_user_ns`) and its documentation, "Output caching system".

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::python::script::ShownValue;
use crate::python::storage::Size;
use crate::rules::Rule;
use crate::rules::cells::shown;
use crate::rules::context::{Context, Verdict};
use crate::rules::objects::put_on_gpu;
use crate::rules::reloading::is_large;
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM954",
    name: "output-kept-by-notebook",
    summary: "A cell shows what a model computed, and IPython keeps it on the GPU",
    source: include_str!("oom954.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let models = context.script.calls.iter().filter(|call| is_large(context, call));
    let Some(first) = models.filter_map(|call| put_on_gpu(call, u32::MAX)).map(|span| span.start).min()
    else {
        return Vec::new();
    };
    let results = shown(context).filter(|shown| shown.span.start > first && is_result(shown));
    results.map(|shown| finding(context, shown)).collect()
}

/// Whether it is what a model computes, and on a GPU, as far as is known.
fn is_result(shown: &ShownValue) -> bool {
    let value = &shown.value;
    let is_data = value.made.is_none() && !value.stored.is_loader;
    is_data && value.stored.places.may_be_gpu() && (value.whole || value.stored.size == Size::Large)
}

fn finding(context: &Context, shown: &ShownValue) -> Finding {
    let verdict =
        Verdict { severity: Severity::Information, confidence: Confidence::Medium, growth: Growth::Static };
    let key = if shown.value.carries_graph { "shown-with-graph" } else { "shown-on-gpu" };
    let mut finding = context.sure_finding(&RULE, verdict, shown.span, text(key, &[]));
    let edits = vec![replacement(context, Span::at(shown.span.end), ";")];
    finding.fix = Some(Fix { applicability: Applicability::Safe, message: text("shown-quiet", &[]), edits });
    finding
}
