//! # allocator-setting-after-cuda (OOM401)
//!
//! ## What it finds
//! A write to `PYTORCH_CUDA_ALLOC_CONF`, or to another variable with the allocator's setting, behind code that
//! has surely started CUDA: something was moved to the GPU, or the GPU was asked for something.
//!
//! ## Why it costs memory
//! It costs none by itself: the setting is ignored. PyTorch reads it once, at the first use of CUDA. Whatever it
//! was meant to cure, such as fragmentation, goes on.
//!
//! ## Example
//! ```python
//! import os
//! import torch
//!
//! model = torch.nn.Linear(4096, 4096).cuda()
//! os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
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
//! A write that may come first on some way through the program. When another process is started later, the
//! variable may be meant for that one: then it is a hint, without a fix.
//!
//! ## The fix
//! Moves the line above the first import of PyTorch, with its comments and the imports of `os` and the like that
//! it needs. Safe. None when it stands in a block, or needs something that is only known later.
//!
//! ## References
//! PyTorch documentation, "CUDA semantics: optimizing memory usage with `PYTORCH_CUDA_ALLOC_CONF`". Which name is
//! read when was traced on the wheels of torch 2.0 to 2.15.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::environment::{Moment, allocator_writes};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM401",
    name: "allocator-setting-after-cuda",
    summary: "A setting of the allocator is written after CUDA was started",
    source: include_str!("oom401.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    for write in allocator_writes(context).into_iter().filter(|write| !write.is_command(context)) {
        let Moment::AfterStart(start) = write.moment(context) else { continue };
        let for_another = write.may_be_for_another_process(context);
        let severity = if for_another { Severity::Hint } else { Severity::Warning };
        let confidence = if for_another { Confidence::Low } else { Confidence::High };
        let verdict = Verdict { severity, confidence, growth: Growth::None };
        let message = text("allocator-after-cuda", &[("name", write.name)]);
        let mut finding = context.sure_finding(&RULE, verdict, write.event.span, message);
        finding.related.push(context.related(start.span, text("cuda-starts-here", &[])));
        finding.fix = write.moved_up(context).filter(|_| !for_another);
        findings.push(finding);
    }
    worst_of_each_place(findings)
}
