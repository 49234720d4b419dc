//! # allocator-setting-invalid (OOM405)
//!
//! ## What it finds
//! A text of the allocator's setting that PyTorch does not take: `=` for `:`, a key that no version has or that
//! the installed one does not have, `true` for `True`, a number out of its range.
//!
//! ## Why it costs memory
//! It costs none by itself: PyTorch raises a `ValueError` at the first use of CUDA. From torch 2.10 on, a text
//! without `:` ends the process while PyTorch is imported.
//!
//! ## Example
//! ```python
//! import os
//! os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:true"
//! import torch
//! ```
//!
//! Use instead:
//! ```python
//! import os
//! os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
//! import torch
//! ```
//!
//! ## What stays silent
//! Spaces and a comma at the end, which PyTorch accepts. Texts that are not known. A key that only some versions
//! have, where the version is not known.
//!
//! ## The fix
//! Writes the text as PyTorch takes it, where it is clear what was meant. Safe. The other keys and the quotes
//! stay as they are.
//!
//! ## References
//! Keys, ranges and errors were read from the wheels of torch 1.13 to 2.15 and their `CUDAAllocatorConfig.h`.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::allocator::check::{Problem, Wrong, problems};
use crate::knowledge::allocator::{Accepts, TORCH};
use crate::rules::Rule;
use crate::rules::allocator::{Setting, settings};
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM405",
    name: "allocator-setting-invalid",
    summary: "PyTorch refuses this setting of the allocator",
    source: include_str!("oom405.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let versions = &context.surroundings.versions;
    let all = settings(context);
    let found = all.iter().flat_map(|setting| {
        problems(setting.written, versions).into_iter().map(|problem| finding(context, setting, &problem))
    });
    worst_of_each_place(found.collect())
}

fn finding(context: &Context, setting: &Setting, problem: &Problem) -> Finding {
    let verdict = Verdict { severity: Severity::Error, confidence: Confidence::High, growth: Growth::None };
    let mut finding =
        context.sure_finding(&RULE, verdict, setting.place_of(problem.span), message(context, &problem.what));
    if problem.instead.is_some() {
        finding.fix = setting.mended(context);
    }
    finding
}

fn message(context: &Context, wrong: &Wrong) -> String {
    match wrong {
        Wrong::Separators => text("allocator-separators", &[]),
        Wrong::Quotes => text("allocator-quotes", &[]),
        Wrong::Empty => text("allocator-empty", &[]),
        Wrong::NoValue { key } => text("allocator-no-value", &[("key", key)]),
        Wrong::UnknownKey { key, meant: Some(meant) } => {
            text("allocator-unknown-key-near", &[("key", key), ("meant", meant)])
        }
        Wrong::UnknownKey { key, meant: None } => text("allocator-unknown-key", &[("key", key)]),
        Wrong::OtherVersion { key, since, gone_in } => {
            let torch = context.installed(TORCH, "PyTorch");
            match (since, gone_in) {
                (_, Some(version)) => {
                    text("allocator-key-gone", &[("key", key), ("version", version), ("torch", &torch)])
                }
                (since, None) => {
                    let version = since.as_deref().unwrap_or_default();
                    text("allocator-key-too-new", &[("key", key), ("version", version), ("torch", &torch)])
                }
            }
        }
        Wrong::Value { key, value, accepts } => {
            text("allocator-value", &[("key", key), ("value", value), ("accepts", &accepted(accepts))])
        }
    }
}

/// The values that a key takes, in words.
fn accepted(accepts: &Accepts) -> String {
    match accepts {
        Accepts::Switch => text("allocator-accepts-switch", &[]),
        Accepts::Integer(least) => text("allocator-accepts-integer", &[("least", &least.to_string())]),
        Accepts::Fraction { open: true } => text("allocator-accepts-between", &[]),
        Accepts::Fraction { open: false } => text("allocator-accepts-fraction", &[]),
        Accepts::PowerOfTwo(most) => text("allocator-accepts-power", &[("most", &most.to_string())]),
        Accepts::Divisions => text("allocator-accepts-divisions", &[]),
        Accepts::Choice(words) => {
            let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            text("allocator-accepts-choice", &[("words", &quoted.join(", "))])
        }
        Accepts::Anything => String::new(),
    }
}
