//! # allocator-variable-not-read (OOM403)
//!
//! ## What it finds
//! `PYTORCH_ALLOC_CONF` where the installed PyTorch does not read it: up to 2.8 nothing does, and in 2.9 its CUDA
//! allocator does not.
//!
//! ## Why it costs memory
//! It costs none by itself: the setting has no effect, and whatever it was meant to cure goes on.
//!
//! ## Example
//! ```python
//! import os
//! os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments:True"
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
//! PyTorch 2.10 and later, which reads both names. A script that sets `PYTORCH_CUDA_ALLOC_CONF`, too. Where the
//! version is not known, it is a hint.
//!
//! ## The fix
//! Writes `PYTORCH_CUDA_ALLOC_CONF`, which every version reads; 2.9 calls it deprecated and obeys it. Safe.
//!
//! ## References
//! PyTorch issue 183387. Which name is read when was traced on the wheels of torch 2.0 to 2.15.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::allocator::{TORCH, Variable, always_read, variable_named};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::environment::allocator_writes;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM403",
    name: "allocator-variable-not-read",
    summary: "PyTorch does not read this name of the allocator's setting",
    source: include_str!("oom403.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let writes = allocator_writes(context);
    let is_sure = |name: &str| variable_named(name).is_some_and(Variable::is_always_read);
    if writes.iter().any(|write| is_sure(write.name)) {
        return Vec::new();
    }
    let Some(better) = always_read() else { return Vec::new() };
    let mut findings = Vec::new();
    for write in writes {
        let Some(variable) = variable_named(write.name) else { continue };
        let Some(since) = &variable.read_since else { continue };
        let (name, since) = (variable.name, since.to_string());
        let (severity, message) = match variable.is_read(&context.surroundings.versions) {
            Some(true) => continue,
            Some(false) => {
                let torch = context.installed(TORCH, "PyTorch");
                let arguments = [("name", name), ("better", better), ("since", &since), ("torch", &torch)];
                (Severity::Warning, text("allocator-name-not-read", &arguments))
            }
            None => {
                let arguments = [("name", name), ("better", better), ("since", &since)];
                (Severity::Hint, text("allocator-name-may-not-be-read", &arguments))
            }
        };
        let verdict = Verdict { severity, confidence: Confidence::High, growth: Growth::None };
        let mut finding = write.about_name(context, &RULE, verdict, message);
        finding.fix = write.renamed(context, better);
        findings.push(finding);
    }
    worst_of_each_place(findings)
}
