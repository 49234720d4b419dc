//! # export-in-a-cell (OOM952)
//!
//! ## What it finds
//! `!export NAME=value` in a cell of a notebook, for a variable that decides about GPU memory.
//!
//! ## Why it costs memory
//! Every line with `!` has a shell of its own, which ends with the line, and the variable with it. PyTorch in the
//! notebook's process never sees it: the allocator goes on as it was, and all GPUs stay visible.
//!
//! ## Example
//! ```ipython
//! !export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
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
//! A line that goes on and starts a program, which gets the variable; variables that have nothing to do with GPU memory;
//! `%env` and `os.environ`.
//!
//! ## The fix
//! Writes `%env` for it, with the value as it is, without quotes. Safe. None where the shell would put something in the
//! value.
//!
//! ## References
//! `IPython` documentation, "System shell access"; `IPython` documentation, `%env`.

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::environment::purpose;
use crate::python::commands::{CellVariable, How, variables};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict};
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM952",
    name: "export-in-a-cell",
    summary: "A variable is set in a shell that ends with its line",
    source: include_str!("oom952.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let exported = variables(context.source).into_iter().filter(|variable| variable.how == How::Shell);
    exported.filter_map(|variable| finding(context, &variable)).collect()
}

fn finding(context: &Context, variable: &CellVariable) -> Option<Finding> {
    purpose(&variable.name)?;
    let verdict = Verdict { severity: Severity::Warning, confidence: Confidence::High, growth: Growth::None };
    let message = text("export-in-cell", &[("name", &variable.name)]);
    let mut finding = context.sure_finding(&RULE, verdict, variable.span, message);
    finding.fix = fix(context, variable);
    Some(finding)
}

fn fix(context: &Context, variable: &CellVariable) -> Option<Fix> {
    let value = variable.value.trim_matches(['"', '\'']);
    if value.contains(['$', '`', '"', '\'']) {
        return None;
    }
    let line = format!("%env {}={value}", variable.name);
    let message = text("export-as-magic", &[("line", &line)]);
    let edits = vec![replacement(context, variable.span, &line)];
    Some(Fix { applicability: Applicability::Safe, message, edits })
}
