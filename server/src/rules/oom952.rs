//! # export-in-a-cell (OOM952)
//!
//! ## What it finds
//! `!export NAME=value` in a cell of a notebook, a cell with `%%bash` that only exports, and `os.system("export ...")` or
//! `subprocess.run("export ...", shell=True)` in any file, for a variable that decides about GPU memory.
//!
//! ## Why it costs memory
//! Every such line or cell has a shell of its own, which ends with it, and the variable with the shell. PyTorch in the
//! process that started the shell never sees it: the allocator goes on as it was, and all GPUs stay visible.
//!
//! ## Example
//! ```ipython
//! !export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
//! import torch
//! ```
//!
//! Use instead:
//! ```ipython
//! %env PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
//! import torch
//! ```
//!
//! ## What stays silent
//! A line or cell that goes on and starts a program, which gets the variable; variables that have nothing to do with GPU memory;
//! `%env` and `os.environ`.
//!
//! ## The fix
//! Writes `%env` for it, with the value as it is, without quotes; for a call, `os.environ`. Safe. None where the shell
//! would put something in the value, for a whole cell, and where `os` is not imported.
//!
//! ## References
//! `IPython` documentation, "System shell access"; `IPython` documentation, `%env`.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::knowledge::environment::purpose;
use crate::python::commands::{CellVariable, How, exported, variables};
use crate::python::library_call::LibraryCall;
use crate::python::syntax::StmtKind;
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::reloading::imported_before;
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM952",
    name: "export-in-a-cell",
    summary: "A variable is set in a shell that ends with its line",
    source: include_str!("oom952.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let exported = variables(context.source).into_iter().filter(|variable| variable.how != How::Magic);
    let calls = context.script.calls.iter().filter(|call| call.role == Role::Shell);
    let mut found: Vec<Finding> = exported.filter_map(|variable| finding(context, &variable)).collect();
    found.extend(calls.filter_map(|call| by_call(context, call)));
    worst_of_each_place(found)
}

/// A call runs a shell that does nothing but set a variable.
fn by_call(context: &Context, call: &LibraryCall) -> Option<Finding> {
    let given = call.arguments.positional.first().or_else(|| call.arguments.named("args"))?;
    let (name, value) = exported(given.value.text()?)?;
    let mut finding = about(context, name, call.span, "export-in-call")?;
    let module = context.script.module;
    let is_all =
        module.stmts().any(|(_, stmt)| matches!(stmt.kind, StmtKind::Expr(expr) if expr == call.expr));
    let line = plain(value).map(|value| format!("os.environ[\"{name}\"] = \"{value}\""));
    let line = line.filter(|_| is_all && imported_before(context, "os", call.span.start));
    finding.fix = line.map(|line| written(context, call.span, &line));
    Some(finding)
}

fn about(context: &Context, name: &str, span: Span, key: &str) -> Option<Finding> {
    purpose(name)?;
    let verdict = Verdict { severity: Severity::Warning, confidence: Confidence::High, growth: Growth::None };
    Some(context.sure_finding(&RULE, verdict, span, text(key, &[("name", name)])))
}

fn finding(context: &Context, variable: &CellVariable) -> Option<Finding> {
    let mut finding = about(context, &variable.name, variable.span, "export-in-cell")?;
    let line = plain(&variable.value).map(|value| format!("%env {}={value}", variable.name));
    let line = line.filter(|_| variable.how == How::Shell);
    finding.fix = line.map(|line| written(context, variable.span, &line));
    Some(finding)
}

/// A value without quotes around it; `None` where a shell would put something in.
fn plain(value: &str) -> Option<&str> {
    let value = value.trim_matches(['"', '\'']);
    (!value.contains(['$', '`', '"', '\'', '\\'])).then_some(value)
}

fn written(context: &Context, span: Span, line: &str) -> Fix {
    let message = text("export-as-magic", &[("line", line)]);
    Fix { applicability: Applicability::Safe, message, edits: vec![replacement(context, span, line)] }
}
