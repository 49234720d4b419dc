//! # max-split-size-too-small (OOM409)
//!
//! ## What it finds
//! `max_split_size_mb` below 128, without expandable segments.
//!
//! ## Why it costs memory
//! Cached blocks above that size are never split, so each can only be used again for a request of about its own
//! size. With a low bound that holds for most blocks, and more memory may lie idle than without the setting.
//! Expandable segments, which torch has since 2.1, cure the fragmentation that the setting is for.
//!
//! ## Example
//! ```python
//! import os
//! os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:32"
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
//! 128 and more; scripts for Windows and torch before 2.1, which do not have expandable segments;
//! `backend:cudaMallocAsync`.
//!
//! ## The fix
//! Writes `expandable_segments:True` in its place. Unsafe: what is reserved changes, and how fast it is.
//!
//! ## References
//! PyTorch documentation, "CUDA semantics: optimizing memory usage with `PYTORCH_CUDA_ALLOC_CONF`".

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::allocator::{BACKEND, EXPANDABLE_SEGMENTS, MAX_SPLIT_SIZE, NATIVE, ON, key_named};
use crate::rules::Rule;
use crate::rules::allocator::{Setting, settings};
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM409",
    name: "max-split-size-too-small",
    summary: "A low max_split_size_mb may raise the use of memory",
    source: include_str!("oom409.rs"),
    check,
};

/// The bound, in MiB, below which most blocks of a usual program are never split, and the least that PyTorch takes.
const LOW: std::ops::Range<u32> = 20..128;

fn check(context: &Context) -> Vec<Finding> {
    let versions = &context.surroundings.versions;
    let missing = key_named(EXPANDABLE_SEGMENTS).is_none_or(|key| key.exists_in(versions) == Some(false));
    let all = settings(context);
    if missing || all.is_empty() || context.script.windows_path().is_some() {
        return Vec::new();
    }
    worst_of_each_place(all.iter().filter_map(|setting| finding(context, setting)).collect())
}

fn finding(context: &Context, setting: &Setting) -> Option<Finding> {
    let (pair, value) = setting.pair(MAX_SPLIT_SIZE)?;
    let size: u32 = value.parse().ok()?;
    let other_backend = setting.pair(BACKEND).is_some_and(|(_, backend)| backend != NATIVE);
    if !LOW.contains(&size) || other_backend || setting.pair(EXPANDABLE_SEGMENTS).is_some() {
        return None;
    }
    let verdict = Verdict { severity: Severity::Hint, confidence: Confidence::Low, growth: Growth::Static };
    let message = text("allocator-split-small", &[("size", &size.to_string())]);
    let mut finding = context.sure_finding(&RULE, verdict, setting.place(&pair), message);
    let instead = format!("{EXPANDABLE_SEGMENTS}:{ON}");
    finding.fix = setting.with_pair(context, &pair, &instead);
    Some(finding)
}
