//! # visible-devices-not-obeyed (OOM412)
//!
//! ## What it finds
//! A write to `CUDA_VISIBLE_DEVICES` after CUDA was started or PyTorch imported, a number where it needs a text,
//! and spaces inside the list.
//!
//! ## Why it costs memory
//! CUDA reads the variable when it starts. Set later, it changes nothing: the script runs on the first card,
//! beside whatever runs there.
//!
//! ## Example
//! ```python
//! import os
//! import torch
//!
//! torch.cuda.set_device(0)
//! os.environ["CUDA_VISIBLE_DEVICES"] = "1"
//! ```
//!
//! Use instead:
//! ```python
//! import os
//! os.environ["CUDA_VISIBLE_DEVICES"] = "1"
//! import torch
//!
//! torch.cuda.set_device(0)
//! ```
//!
//! ## What stays silent
//! A write that comes first. After an import of PyTorch it still works, until something uses CUDA: a hint. When
//! another process is started later, the variable may be meant for that one.
//!
//! ## The fix
//! Moves the line above the first import of PyTorch, or corrects the value. Safe. None when it stands in a block,
//! or needs something that is only known later.
//!
//! ## References
//! CUDA C++ Programming Guide, "CUDA environment variables".

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::environment::Purpose;
use crate::python::library_call::{Known, ProcessEvent};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::environment::{Moment, Write, writes};
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM412",
    name: "visible-devices-not-obeyed",
    summary: "CUDA_VISIBLE_DEVICES is set too late, or to what is not a list of GPUs",
    source: include_str!("oom412.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let all = writes(context);
    let devices = all.iter().filter(|write| write.purpose() == Some(Purpose::Devices));
    let found = devices.filter_map(|write| {
        number(context, write).or_else(|| too_late(context, write)).or_else(|| spaces(context, write))
    });
    worst_of_each_place(found.collect())
}

fn verdict(severity: Severity) -> Verdict {
    Verdict { severity, confidence: Confidence::High, growth: Growth::None }
}

/// A number is no text, and environment variables hold nothing else.
fn number(context: &Context, write: &Write) -> Option<Finding> {
    let Known::Int(number) = write.value else { return None };
    let message = text("devices-number", &[("number", &number.to_string())]);
    let mut finding = write.about_value(context, &RULE, verdict(Severity::Error), message);
    let written = write.value_span.filter(|span| context.script.text_of(*span) == number.to_string());
    finding.fix = written.map(|span| Fix {
        applicability: Applicability::Safe,
        message: text("devices-quote", &[]),
        edits: vec![replacement(context, span, &format!("\"{number}\""))],
    });
    Some(finding)
}

fn too_late<'a>(context: &Context<'a>, write: &Write<'a>) -> Option<Finding> {
    let for_another = write.may_be_for_another_process(context);
    let (event, severity, message, note): (&ProcessEvent, _, _, _) = match write.moment(context) {
        Moment::AfterStart(start) if for_another => {
            (start, Severity::Hint, text("devices-after-cuda", &[]), text("cuda-starts-here", &[]))
        }
        Moment::AfterStart(start) => {
            (start, Severity::Warning, text("devices-after-cuda", &[]), text("cuda-starts-here", &[]))
        }
        // What the options of the program say is not known any earlier.
        Moment::AfterImport(import) if !for_another && matches!(write.value, Known::Text(_)) => {
            let line = context.quote_line(import.span);
            let message = text("devices-after-import", &[("line", &line)]);
            (import, Severity::Hint, message, text("torch-imported-here", &[]))
        }
        _ => return None,
    };
    let mut finding = context.sure_finding(&RULE, verdict(severity), write.event.span, message);
    finding.related.push(context.related(event.span, note));
    finding.fix = write.moved_up(context).filter(|_| !for_another);
    Some(finding)
}

fn spaces(context: &Context, write: &Write) -> Option<Finding> {
    let list = write.value.text()?;
    if !list.contains(' ') || !list.contains(',') {
        return None;
    }
    let message = text("devices-spaces", &[]);
    let mut finding = write.about_value(context, &RULE, verdict(Severity::Information), message);
    finding.fix = write.rewritten(context, &list.replace(' ', ""));
    Some(finding)
}
