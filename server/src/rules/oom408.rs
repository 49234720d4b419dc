//! # expandable-segments-conflict (OOM408)
//!
//! ## What it finds
//! `expandable_segments:True` in a script that also turns on something that does not go with it, such as a KV
//! connector or the sleep mode of vLLM.
//!
//! ## Why it costs memory
//! The engine refuses to start, or keeps its memory where it was meant to give it back.
//!
//! ## Example
//! ```python
//! import os
//! os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
//! from vllm import LLM
//!
//! llm = LLM("Qwen/Qwen3-8B", enable_sleep_mode=True)
//! ```
//!
//! Use instead:
//! ```python
//! from vllm import LLM
//!
//! llm = LLM("Qwen/Qwen3-8B", enable_sleep_mode=True)
//! ```
//!
//! ## What stays silent
//! Scripts in which no such option is set.
//!
//! ## The fix
//! None: leave out `expandable_segments:True`, or the option.
//!
//! ## References
//! vLLM 0.33, `config/vllm.py` and `device_allocator`.

use vramlens_grammars::Span;

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::Role;
use crate::knowledge::allocator::{Conflict, EXPANDABLE_SEGMENTS, ON, conflicts};
use crate::python::library_call::LibraryCall;
use crate::rules::Rule;
use crate::rules::allocator::settings;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM408",
    name: "expandable-segments-conflict",
    summary: "Something in the script does not work with expandable segments",
    source: include_str!("oom408.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let engines = context.script.calls.iter().filter(|call| call.role == Role::Engine);
    let Some((conflict, option)) = engines.into_iter().find_map(conflict) else { return Vec::new() };
    let verdict =
        Verdict { severity: Severity::Warning, confidence: Confidence::Medium, growth: Growth::Static };
    let mut findings = Vec::new();
    for setting in settings(context) {
        let Some((pair, _)) = setting.pair(EXPANDABLE_SEGMENTS).filter(|(_, value)| *value == ON) else {
            continue;
        };
        let message = text("allocator-conflict", &[("feature", conflict.feature)]);
        let mut finding = context.sure_finding(&RULE, verdict, setting.place(&pair), message);
        finding.related.push(context.related(option, text("allocator-conflict-here", &[])));
        findings.push(finding);
    }
    worst_of_each_place(findings)
}

/// What an engine turns on that does not go with expandable segments, and where.
fn conflict(engine: &LibraryCall) -> Option<(&'static Conflict, Span)> {
    let mut known = conflicts().iter().filter(|conflict| conflict.concerns(&engine.path));
    known.find_map(|conflict| {
        let given = engine.arguments.named(conflict.argument)?;
        let on = if conflict.must_be_true { given.value.bool() == Some(true) } else { given.value.is_set() };
        on.then_some((conflict, given.span.unwrap_or(engine.callee)))
    })
}
