//! # expandable-segments-on-windows (OOM407)
//!
//! ## What it finds
//! `expandable_segments:True` in a script that was written for Windows: it names a path with a drive letter.
//!
//! ## Why it costs memory
//! It costs none by itself: PyTorch for Windows prints a warning and ignores the setting, so fragmentation goes
//! on.
//!
//! ## Example
//! ```python
//! import os
//! os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
//! import torch
//!
//! checkpoint = r"C:\\models\\last.pt"
//! ```
//!
//! Use instead:
//! ```python
//! import os
//! os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:128"
//! import torch
//!
//! checkpoint = r"C:\\models\\last.pt"
//! ```
//!
//! ## What stays silent
//! Scripts that say nothing of Windows, and torch 2.15 and later, where support was being added.
//!
//! ## The fix
//! None. `max_split_size_mb:128` works on Windows and helps against fragmentation, at some cost.
//!
//! ## References
//! Warning text in the Windows wheels of torch up to 2.14; PyTorch pull request 189163.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::allocator::{EXPANDABLE_SEGMENTS, ON, TORCH};
use crate::rules::Rule;
use crate::rules::allocator::settings;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM407",
    name: "expandable-segments-on-windows",
    summary: "PyTorch for Windows does not have expandable segments",
    source: include_str!("oom407.rs"),
    check,
};

/// The first version that may have expandable segments on Windows.
const MAY_HAVE_IT: &[u32] = &[2, 15];

fn check(context: &Context) -> Vec<Finding> {
    let all = settings(context);
    let Some(path) = (!all.is_empty()).then(|| context.script.windows_path()).flatten() else {
        return Vec::new();
    };
    if context.surroundings.versions.at_least(TORCH, MAY_HAVE_IT) == Some(true) {
        return Vec::new();
    }
    let verdict =
        Verdict { severity: Severity::Information, confidence: Confidence::Medium, growth: Growth::None };
    let mut findings = Vec::new();
    for setting in all {
        let Some((pair, _)) = setting.pair(EXPANDABLE_SEGMENTS).filter(|(_, value)| *value == ON) else {
            continue;
        };
        let message = text("allocator-on-windows", &[]);
        let mut finding = context.sure_finding(&RULE, verdict, setting.place(&pair), message);
        finding.related.push(context.related(path, text("windows-path-here", &[])));
        findings.push(finding);
    }
    worst_of_each_place(findings)
}
