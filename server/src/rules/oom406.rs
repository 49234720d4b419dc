//! # allocator-keys-without-backend (OOM406)
//!
//! ## What it finds
//! `backend:cudaMallocAsync` together with keys that only PyTorch's own allocator knows: `expandable_segments`,
//! `max_split_size_mb`, `garbage_collection_threshold`, `roundup_power2_divisions`.
//!
//! ## Why it costs memory
//! It costs none by itself: CUDA's allocator is used, and the other keys have no effect.
//!
//! ## Example
//! ```python
//! import os
//! os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "backend:cudaMallocAsync,expandable_segments:True"
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
//! `backend:native`; keys that both backends know; a key that is switched off.
//!
//! ## The fix
//! None: which of the two you want is for you to say.
//!
//! ## References
//! PyTorch documentation, "CUDA semantics: optimizing memory usage with `PYTORCH_CUDA_ALLOC_CONF`".

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::allocator::{BACKEND, NATIVE, OFF, key_named};
use crate::rules::Rule;
use crate::rules::allocator::{Setting, settings};
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM406",
    name: "allocator-keys-without-backend",
    summary: "The chosen backend ignores keys of the allocator's setting",
    source: include_str!("oom406.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let all = settings(context);
    worst_of_each_place(all.iter().filter_map(|setting| finding(context, setting)).collect())
}

fn finding(context: &Context, setting: &Setting) -> Option<Finding> {
    let (_, backend) = setting.pair(BACKEND).filter(|(_, backend)| *backend != NATIVE)?;
    let pairs = setting.pairs();
    let ignored = pairs
        .iter()
        .filter(|(_, key, value)| key_named(key).is_some_and(|key| key.native_only) && *value != OFF);
    let keys: Vec<String> = ignored.clone().map(|(_, key, _)| format!("`{key}`")).collect();
    let (first, _, _) = ignored.clone().next()?;
    let verdict = Verdict { severity: Severity::Warning, confidence: Confidence::High, growth: Growth::None };
    let message = text("allocator-ignored-keys", &[("backend", backend), ("keys", &keys.join(", "))]);
    Some(context.sure_finding(&RULE, verdict, setting.place(first), message))
}
