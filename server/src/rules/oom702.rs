//! # two-engines-on-one-gpu (OOM702)
//!
//! ## What it finds
//! Two engines of vLLM in one process whose shares of the GPU add up to more than all of it.
//!
//! ## Why it costs memory
//! `gpu_memory_utilization` is a share of the whole card, not of what is free, and each engine takes its share when it
//! starts: nine tenths and more if nothing is said. The second one then finds the card full.
//!
//! ## Example
//! ```python
//! from vllm import LLM
//!
//! writer = LLM("Qwen/Qwen3-8B")
//! judge = LLM("Qwen/Qwen3-4B", gpu_memory_utilization=0.5)
//! ```
//!
//! Use instead:
//! ```python
//! from vllm import LLM
//!
//! writer = LLM("Qwen/Qwen3-8B", gpu_memory_utilization=0.5)
//! judge = LLM("Qwen/Qwen3-4B", gpu_memory_utilization=0.4)
//! ```
//!
//! ## What stays silent
//! Shares that fit together; engines on ways of the program that exclude each other; an engine that is deleted before
//! the other is made; a share that is not in the text; engines over several GPUs, which may be others.
//!
//! ## The fix
//! None: how to share the card is for you to say. The shares must add up to less than one, with room for what else
//! uses the GPU.
//!
//! ## References
//! vLLM 0.33, `config/cache.py`, `gpu_memory_utilization`, and `v1/worker/gpu_worker.py`; vLLM issue 14376.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::Role;
use crate::python::blocks::share_block;
use crate::python::library_call::{Known, LibraryCall};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM702",
    name: "two-engines-on-one-gpu",
    summary: "Two engines in one process claim more than the whole GPU",
    source: include_str!("oom702.rs"),
    check,
};

/// The option that says which share of the card an engine takes.
const SHARE: &str = "gpu_memory_utilization";
/// What it takes if nothing is said, in the versions that take the least (vLLM before 0.20; 0.92 since).
const USUAL_SHARE: f64 = 0.9;
/// The option that spreads an engine over several cards.
const CARDS: &str = "tensor_parallel_size";

fn check(context: &Context) -> Vec<Finding> {
    let engines: Vec<&LibraryCall> =
        context.script.calls.iter().filter(|call| call.role == Role::Engine).collect();
    let mut found = Vec::new();
    for (place, second) in engines.iter().enumerate() {
        let mut before = engines.iter().take(place);
        found.extend(before.find_map(|first| finding(context, first, second)));
    }
    worst_of_each_place(found)
}

fn finding(context: &Context, first: &LibraryCall, second: &LibraryCall) -> Option<Finding> {
    let total = share(first)? + share(second)?;
    if first.expr == second.expr
        || total <= 1.0
        || !share_block(context.script.module, first.span, second.span)
    {
        return None;
    }
    let verdict = Verdict { severity: Severity::Error, confidence: Confidence::High, growth: Growth::Static };
    let total = format!("{:.0}", total * 100.0);
    let message = text("two-engines", &[("total", &total), ("option", SHARE)]);
    let mut finding = context.sure_finding(&RULE, verdict, second.span, message);
    finding.related.push(context.related(first.span, text("two-engines-first", &[])));
    Some(finding)
}

/// The share of a card that an engine takes; `None` when it is not in the text, or of other cards.
fn share(engine: &LibraryCall) -> Option<f64> {
    if engine.arguments.open
        || engine.arguments.named(CARDS).is_some_and(|cards| cards.value.int() != Some(1))
    {
        return None;
    }
    match engine.arguments.named(SHARE).map(|given| &given.value) {
        None => Some(USUAL_SHARE),
        Some(Known::Float(share)) => Some(*share),
        Some(_) => None,
    }
}
