//! # env-magic-after-import (OOM951)
//!
//! ## What it finds
//! `%env` with the setting of PyTorch's allocator, in a cell behind the one that imports PyTorch.
//!
//! ## Why it costs memory
//! PyTorch reads the setting when CUDA starts, and some of its versions already when it is imported. In a kernel that has
//! run both, the setting does nothing until the kernel is restarted: see OOM401 and OOM402. The order is that of the
//! cells in the notebook.
//!
//! ## Example
//! ```ipython
//! import torch
//! %env PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
//! ```
//!
//! Use instead:
//! ```ipython
//! %env PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
//! import torch
//! ```
//!
//! ## What stays silent
//! A setting before the first import of PyTorch or of a library that imports it. `os.environ` in a cell is OOM401 or
//! OOM402.
//!
//! ## The fix
//! None: move the line into the first cell, and restart the kernel.
//!
//! ## References
//! PyTorch 2.15, `c10/core/AllocatorConfig.cpp`; `IPython` documentation, `%env`.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::environment::{Purpose, purpose};
use crate::python::commands::{CellVariable, How, variables};
use crate::python::library_call::{ProcessChange, ProcessEvent};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM951",
    name: "env-magic-after-import",
    summary: "A cell sets the allocator up after PyTorch was imported",
    source: include_str!("oom951.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let set = variables(context.source).into_iter().filter(|variable| variable.how == How::Magic);
    set.filter_map(|variable| finding(context, &variable)).collect()
}

fn finding(context: &Context, variable: &CellVariable) -> Option<Finding> {
    if purpose(&variable.name) != Some(Purpose::Allocator) {
        return None;
    }
    let reads = |event: &&ProcessEvent| {
        matches!(event.what, ProcessChange::ImportsTorch { .. }) && event.span.start < variable.span.start
    };
    let import = context.script.process.iter().filter(|event| event.at_top_level).find(reads)?;
    let verdict = Verdict { severity: Severity::Warning, confidence: Confidence::High, growth: Growth::None };
    let line = context.quote_line(import.span);
    let message = text("allocator-after-import", &[("line", &line)]);
    let mut finding = context.sure_finding(&RULE, verdict, variable.span, message);
    finding.related.push(context.related(import.span, text("torch-imported-here", &[])));
    Some(finding)
}
