//! # environment-variable-misspelled (OOM907)
//!
//! ## What it finds
//! A write to an environment variable whose name is nearly `PYTORCH_CUDA_ALLOC_CONF`, `PYTORCH_ALLOC_CONF` or
//! `CUDA_VISIBLE_DEVICES`, and that nothing reads.
//!
//! ## Why it costs memory
//! It costs none by itself: the setting has no effect, and whatever it was meant to cure goes on.
//!
//! ## Example
//! ```python
//! import os
//! os.environ["PYTORCH_CUDA_ALLOC_CONFIG"] = "expandable_segments:True"
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
//! Variables of other vendors, such as `HIP_VISIBLE_DEVICES` and `PYTORCH_NPU_ALLOC_CONF`, and every name that is
//! not nearly one of those.
//!
//! ## The fix
//! Writes the name that was meant. Safe.
//!
//! ## References
//! PyTorch documentation, "CUDA semantics: optimizing memory usage with `PYTORCH_CUDA_ALLOC_CONF`"; CUDA C++
//! Programming Guide, "CUDA environment variables".

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::environment::meant_by;
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::environment::writes;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM907",
    name: "environment-variable-misspelled",
    summary: "A variable's name is nearly that of one that PyTorch or CUDA reads",
    source: include_str!("oom907.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let verdict = Verdict { severity: Severity::Warning, confidence: Confidence::High, growth: Growth::None };
    let mut findings = Vec::new();
    for write in writes(context) {
        let Some(meant) = meant_by(write.name) else { continue };
        let message = text("environment-misspelled", &[("name", write.name), ("meant", meant)]);
        let mut finding = write.about_name(context, &RULE, verdict, message);
        finding.fix = write.renamed(context, meant);
        findings.push(finding);
    }
    worst_of_each_place(findings)
}
