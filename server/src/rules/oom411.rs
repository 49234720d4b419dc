//! # empty-cache-in-other-process (OOM411)
//!
//! ## What it finds
//! A command such as `python -c "import torch; torch.cuda.empty_cache()"`, started from the script.
//!
//! ## Why it costs memory
//! Every process has a cache of its own. The new one empties its own empty cache, which frees nothing, and takes
//! a few hundred MiB for its CUDA context while it runs.
//!
//! ## Example
//! ```python
//! import os
//! import torch
//!
//! os.system('python -c "import torch; torch.cuda.empty_cache()"')
//! model = torch.nn.Linear(4096, 4096).cuda()
//! ```
//!
//! Use instead:
//! ```python
//! import os
//! import torch
//!
//! model = torch.nn.Linear(4096, 4096).cuda()
//! ```
//!
//! ## What stays silent
//! Commands that do something else as well, and `torch.cuda.empty_cache()` in the script itself.
//!
//! ## The fix
//! Deletes the line, when nothing uses its result. Safe.
//!
//! ## References
//! PyTorch documentation, `torch.cuda.empty_cache`.

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::knowledge::commands::only_empties_cache;
use crate::python::library_call::LibraryCall;
use crate::python::syntax::StmtKind;
use crate::rules::Rule;
use crate::rules::command::words;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::removal;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM411",
    name: "empty-cache-in-other-process",
    summary: "A new process is asked to empty the GPU's cache",
    source: include_str!("oom411.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let commands = context.script.calls.iter().filter(|call| call.role == Role::Shell);
    let vain = commands.filter(|call| words(call).is_some_and(|words| only_empties_cache(&words)));
    worst_of_each_place(vain.map(|call| finding(context, call)).collect())
}

fn finding(context: &Context, call: &LibraryCall) -> Finding {
    let verdict = Verdict { severity: Severity::Warning, confidence: Confidence::High, growth: Growth::None };
    let message = text("empty-cache-elsewhere", &[]);
    let mut finding = context.sure_finding(&RULE, verdict, call.span, message);
    let statement = context.script.module.stmts().find(|(_, stmt)| match stmt.kind {
        StmtKind::Expr(expr) => expr == call.expr,
        _ => false,
    });
    finding.fix = statement.and_then(|(stmt, _)| {
        let edits = vec![removal::statement(context, stmt)?];
        let message = text("empty-cache-delete", &[]);
        Some(Fix { applicability: Applicability::Safe, message, edits })
    });
    finding
}
