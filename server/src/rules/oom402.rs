//! # allocator-setting-after-import (OOM402)
//!
//! ## What it finds
//! A write to `PYTORCH_CUDA_ALLOC_CONF`, or to another variable with the allocator's setting, behind an import of
//! PyTorch, of a library that imports it, or of a file of the project that does, and before anything surely uses CUDA.
//!
//! ## Why it costs memory
//! PyTorch reads most of the setting at the first use of CUDA, so the line still works, until any import in
//! between uses CUDA on its own. `backend:` is read while PyTorch is imported: set later, CUDA refuses to start,
//! because the allocator in place is not the one asked for.
//!
//! ## Example
//! ```python
//! import os
//! import torch
//!
//! os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
//! model = torch.nn.Linear(4096, 4096).cuda()
//! ```
//!
//! Use instead:
//! ```python
//! import os
//! os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
//! import torch
//!
//! model = torch.nn.Linear(4096, 4096).cuda()
//! ```
//!
//! ## What stays silent
//! A write that comes first. What comes after CUDA was started is OOM401. When another process is started later,
//! the variable may be meant for that one: then it is a hint, without a fix.
//!
//! ## The fix
//! Moves the line above the first import of PyTorch, with its comments and the imports of `os` and the like that
//! it needs. Safe. None when it stands in a block, or needs something that is only known later.
//!
//! ## References
//! PyTorch documentation, "CUDA semantics: optimizing memory usage with `PYTORCH_CUDA_ALLOC_CONF`". Which name is
//! read when was traced on the wheels of torch 2.0 to 2.15.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::allocator::{BACKEND, NATIVE};
use crate::rules::Rule;
use crate::rules::allocator::Setting;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::environment::{Moment, Write, allocator_writes};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM402",
    name: "allocator-setting-after-import",
    summary: "A setting of the allocator is written after PyTorch was imported",
    source: include_str!("oom402.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    for write in allocator_writes(context).into_iter().filter(|write| !write.is_command(context)) {
        let Moment::AfterImport(import) = write.moment(context) else { continue };
        let for_another = write.may_be_for_another_process(context);
        let backend = chooses_backend(&write, context);
        let (severity, confidence) = match (for_another, backend) {
            (true, _) => (Severity::Hint, Confidence::Low),
            (false, true) => (Severity::Error, Confidence::High),
            (false, false) => (Severity::Warning, Confidence::High),
        };
        let verdict = Verdict { severity, confidence, growth: Growth::None };
        let line = context.quote_line(import.span);
        let arguments = [("line", line.as_str())];
        let message = if backend {
            text("allocator-backend-after-import", &arguments)
        } else {
            text("allocator-after-import", &arguments)
        };
        let mut finding = context.sure_finding(&RULE, verdict, write.event.span, message);
        finding.related.push(context.related(import.span, text("torch-imported-here", &[])));
        finding.fix = write.moved_up(context).filter(|_| !for_another);
        findings.push(finding);
    }
    worst_of_each_place(findings)
}

/// Whether the setting asks for another backend than the one that is there without it.
fn chooses_backend(write: &Write, context: &Context) -> bool {
    Setting::of(write, context)
        .is_some_and(|setting| setting.pair(BACKEND).is_some_and(|(_, value)| value != NATIVE))
}
