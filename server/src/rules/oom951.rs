//! # env-magic-after-import (OOM951)
//!
//! ## What it finds
//! `%env` with the setting of PyTorch's allocator, in a cell behind the one that imports PyTorch.
//!
//! ## Why it costs memory
//! PyTorch reads the setting when CUDA starts, and some of its versions already when it is imported. In a kernel that has
//! run both, the setting does nothing until the kernel is restarted: see OOM401 and OOM402. The order is that in which the
//! cells were last run, where the notebook stores it, and else that of the cells.
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
//! A setting before the first import of PyTorch or of a library that imports it. When a later line with `!` starts a
//! program, the variable may be meant for that: then it is a hint. `os.environ` in a cell is OOM401 or OOM402.
//!
//! ## The fix
//! None: move the line into the first cell, and restart the kernel.
//!
//! ## References
//! PyTorch 2.15, `c10/core/AllocatorConfig.cpp`; `IPython` documentation, `%env`.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::python::library_call::ProcessEvent;
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict};
use crate::rules::environment::{Moment, Write, allocator_writes};
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
    let writes = allocator_writes(context);
    let commands = writes.iter().filter(|write| write.is_command(context));
    commands.filter_map(|write| finding(context, write)).collect()
}

fn finding<'a>(context: &Context<'a>, write: &Write<'a>) -> Option<Finding> {
    let (reader, message, note): (&ProcessEvent, _, _) = match write.moment(context) {
        Moment::AfterStart(start) => {
            let message = text("allocator-after-cuda", &[("name", write.name)]);
            (start, message, "cuda-starts-here")
        }
        Moment::AfterImport(import) => {
            let line = context.quote_line(import.span);
            (import, text("allocator-after-import", &[("line", &line)]), "torch-imported-here")
        }
        Moment::InTime => return None,
    };
    let (severity, confidence) = if write.may_be_for_another_process(context) {
        (Severity::Hint, Confidence::Low)
    } else {
        (Severity::Warning, Confidence::High)
    };
    let verdict = Verdict { severity, confidence, growth: Growth::None };
    let mut finding = context.sure_finding(&RULE, verdict, write.event.span, message);
    finding.related.push(context.related(reader.span, text(note, &[])));
    Some(finding)
}
