//! # allocator-setting-replaced (OOM410)
//!
//! ## What it finds
//! A call that sets the allocator while the program runs, such as `torch.cuda.memory._set_allocator_settings`,
//! and leaves out keys that the script set before.
//!
//! ## Why it costs memory
//! The call replaces the whole setting. A key that it does not repeat goes back to its default, and with it
//! whatever it was meant to cure.
//!
//! ## Example
//! ```python
//! import os
//! os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "garbage_collection_threshold:0.8"
//! import torch
//!
//! torch.cuda.memory._set_allocator_settings("expandable_segments:True")
//! ```
//!
//! Use instead:
//! ```python
//! import os
//! os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "garbage_collection_threshold:0.8"
//! import torch
//!
//! torch.cuda.memory._set_allocator_settings("expandable_segments:True,garbage_collection_threshold:0.8")
//! ```
//!
//! ## What stays silent
//! A call that repeats every key, and scripts that set nothing before.
//!
//! ## The fix
//! None: write into the call what must stay.
//!
//! ## References
//! PyTorch, `AllocatorConfig.h`; vLLM 0.33, `device_allocator/alloc_conf.py`.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::rules::Rule;
use crate::rules::allocator::{Setting, setting_calls};
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::environment::allocator_writes;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM410",
    name: "allocator-setting-replaced",
    summary: "A call takes back part of the allocator's setting",
    source: include_str!("oom410.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let writes = allocator_writes(context);
    let before: Vec<Setting> = writes.iter().filter_map(|write| Setting::of(write, context)).collect();
    let verdict =
        Verdict { severity: Severity::Information, confidence: Confidence::High, growth: Growth::None };
    let mut findings = Vec::new();
    for (call, setting) in setting_calls(context) {
        let Some(setting) = setting else { continue };
        let lost = lost_keys(&before, &setting, call.span.start);
        if !lost.is_empty() {
            let message = text("allocator-replaced", &[("keys", &lost.join(", "))]);
            findings.push(context.sure_finding(&RULE, verdict, call.span, message));
        }
    }
    worst_of_each_place(findings)
}

/// The keys that were set above an offset and that a later setting does not repeat.
fn lost_keys(before: &[Setting], later: &Setting, offset: u32) -> Vec<String> {
    let above = before.iter().filter(|setting| setting.span.end <= offset);
    let mut lost = Vec::new();
    for (_, key, _) in above.flat_map(Setting::pairs) {
        let quoted = format!("`{key}`");
        if later.pair(key).is_none() && !lost.contains(&quoted) {
            lost.push(quoted);
        }
    }
    lost
}
