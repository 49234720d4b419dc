//! # pipeline-pads-large-batches (OOM212)
//!
//! ## What it finds
//! A pipeline of transformers for a text task with a large `batch_size` and no `truncation`.
//!
//! ## Why it costs memory
//! Each batch is padded to its longest text. One long document among short ones makes the whole batch as long, and the
//! activations and logits grow with batch size times length: a run that went well for hours stops at that batch.
//!
//! ## Example
//! ```python
//! from transformers import pipeline
//!
//! classify = pipeline("text-classification", model="distilbert/distilbert-base-uncased", device=0, batch_size=256)
//! for label in classify(texts):
//!     print(label)
//! ```
//!
//! Use instead:
//! ```python
//! from transformers import pipeline
//!
//! classify = pipeline("text-classification", model="distilbert/distilbert-base-uncased", device=0, batch_size=256, truncation=True)
//! for label in classify(texts):
//!     print(label)
//! ```
//!
//! ## What stays silent
//! Batches of fewer than 64; tasks with images or sound; pipelines that truncate, or whose runs do; options that
//! are not known. Sorting the texts by length first helps, too.
//!
//! ## The fix
//! Adds `truncation=True`. Unsafe: longer texts lose their end.
//!
//! ## References
//! transformers 4.46.3 and 5.24.0, `pipelines/base.py`; transformers documentation, "Pipeline batching".

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::knowledge::pipeline_tasks::pads_texts;
use crate::python::library_call::{Action, Arguments, Known, LibraryCall};
use crate::python::syntax::ExprId;
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::arguments;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM212",
    name: "pipeline-pads-large-batches",
    summary: "A text pipeline pads large batches to their longest text",
    source: include_str!("oom212.rs"),
    check,
};

/// The option with the size of a batch.
const BATCH: &str = "batch_size";
/// The options that bound the length of a text.
const BOUNDS: [&str; 3] = ["truncation", "tokenize_kwargs", "tokenizer_kwargs"];
/// From this size on a long text costs gigabytes.
const LARGE: i64 = 64;

fn check(context: &Context) -> Vec<Finding> {
    let pipelines = context.script.calls.iter().filter(|call| call.role == Role::TaskPipeline);
    worst_of_each_place(pipelines.filter_map(|pipeline| finding(context, pipeline)).collect())
}

fn finding(context: &Context, pipeline: &LibraryCall) -> Option<Finding> {
    let task = pipeline.arguments.get("task", 0)?.value.text()?;
    let runs = pipeline.events.iter().filter_map(|event| match &event.action {
        Action::Run { arguments } => Some((event.expr?, arguments)),
        _ => None,
    });
    let uses: Vec<(ExprId, &Arguments)> =
        [(pipeline.expr, &pipeline.arguments)].into_iter().chain(runs).collect();
    let is_bounded =
        |given: &Arguments| given.open || BOUNDS.iter().any(|option| given.named(option).is_some());
    if !pads_texts(task) || pipeline.leaves || uses.iter().any(|(_, given)| is_bounded(given)) {
        return None;
    }
    let (call, size, span) = uses.iter().find_map(|(call, given)| {
        let given = given.named(BATCH)?;
        match given.value {
            Known::Int(size) if size >= LARGE => Some((*call, size, given.span?)),
            _ => None,
        }
    })?;
    let verdict =
        Verdict { severity: Severity::Information, confidence: Confidence::Medium, growth: Growth::Peak };
    let message = text("pipeline-pads", &[("size", &size.to_string())]);
    let place = arguments::whole(context.script.module, call, span).unwrap_or(span);
    let mut finding = context.finding(&RULE, verdict, place, message);
    finding.fix = arguments::added(context, call, &["truncation=True"]).map(|edits| Fix {
        applicability: Applicability::Unsafe,
        message: text("pipeline-truncate", &[]),
        edits,
    });
    Some(finding)
}
