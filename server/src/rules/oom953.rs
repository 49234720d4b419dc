//! # quotes-in-env-magic (OOM953)
//!
//! ## What it finds
//! `%env NAME="value"` in a notebook, for a variable that decides about GPU memory.
//!
//! ## Why it costs memory
//! `%env` is no shell: the quotes become part of the value. PyTorch's allocator stops with an error at a setting that
//! begins with a quote, and `CUDA_VISIBLE_DEVICES` with one names no GPU.
//!
//! ## Example
//! ```ipython
//! %env PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True"
//! import torch
//! ```
//!
//! Use instead:
//! ```ipython
//! %env PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
//! import torch
//! ```
//!
//! ## What stays silent
//! Values without quotes around them, and variables that have nothing to do with GPU memory.
//!
//! ## The fix
//! Takes the quotes away. Safe.
//!
//! ## References
//! `IPython` 9, `core/magics/osm.py`, `env` and `set_env`.

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::environment::purpose;
use crate::python::commands::{CellVariable, How, variables};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict};
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM953",
    name: "quotes-in-env-magic",
    summary: "Quotes become part of a variable's value",
    source: include_str!("oom953.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let set = variables(context.source);
    set.iter().filter_map(|variable| finding(context, variable)).collect()
}

fn finding(context: &Context, variable: &CellVariable) -> Option<Finding> {
    purpose(&variable.name)?;
    let unquoted = unquoted(variable)?;
    let verdict = Verdict { severity: Severity::Error, confidence: Confidence::High, growth: Growth::None };
    let message = text("env-quotes", &[("name", &variable.name), ("value", unquoted)]);
    let mut finding = context.sure_finding(&RULE, verdict, variable.value_span, message);
    let edits = vec![replacement(context, variable.value_span, unquoted)];
    finding.fix = Some(Fix { applicability: Applicability::Safe, message: text("env-unquote", &[]), edits });
    Some(finding)
}

/// The value of a magic without the quotes around it, if it has some.
fn unquoted(variable: &CellVariable) -> Option<&str> {
    let within = |quote: char| variable.value.strip_prefix(quote)?.strip_suffix(quote);
    within('"').or_else(|| within('\'')).filter(|_| variable.how == How::Magic)
}
