//! What the rules about evaluation share: how to switch gradients off around it.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Edit, Finding, Fix, Growth, Severity};
use crate::python::script::{ImportPlace, Iterated, Region, Script, UnusedForward};
use crate::python::syntax::{FunctionId, StmtId};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict};
use crate::texts::text;

/// The unused forward passes worth telling, one for each loop: the first that the loop feeds back, or else the first.
/// Those around which a block switches gradients on are told where that is: see OOM214.
pub fn first_of_each_loop<'a>(script: &'a Script) -> Vec<&'a UnusedForward> {
    first(script, |forward| forward.switched_on.is_none())
}

/// The same of those around which a block switches gradients on.
pub fn first_switched_on_of_each_loop<'a>(script: &'a Script) -> Vec<&'a UnusedForward> {
    first(script, |forward| forward.switched_on.is_some())
}

fn first<'a>(script: &'a Script, which: impl Fn(&UnusedForward) -> bool) -> Vec<&'a UnusedForward> {
    let mut chosen: Vec<&UnusedForward> = Vec::new();
    let told = |forward: &&UnusedForward| which(forward) && verdict(forward).is_some();
    for forward in script.unused.iter().filter(told) {
        match chosen.iter_mut().find(|earlier| earlier.in_loop.span == forward.in_loop.span) {
            Some(earlier) if forward.feeds_back && !earlier.feeds_back => *earlier = forward,
            Some(_) => {}
            None => chosen.push(forward),
        }
    }
    chosen
}

/// Whether a forward pass is a step of a loop that goes on from its own result, such as a sampler or a decoder, and over
/// no data.
pub fn is_sampling(forward: &UnusedForward) -> bool {
    let counts = matches!(forward.in_loop.iterated, Iterated::Collection | Iterated::Nothing);
    forward.feeds_back && (counts || !forward.in_loop.over_data)
}

/// How bad a forward pass is that is recorded for nothing; `None` when it may be for something.
pub fn verdict(forward: &UnusedForward) -> Option<Verdict> {
    let parts = forward.in_loop.in_module && !forward.in_loop.over_data && forward.evaluating.is_none();
    if forward.in_loop.trains || forward.inside_forward || parts && !forward.feeds_back {
        return None;
    }
    let growth = if forward.feeds_back { Growth::FullGraph } else { Growth::Peak };
    // A pass now and then between epochs has a lower peak than training itself.
    let worst = if forward.in_loop.trains_within && !forward.feeds_back {
        Severity::Warning
    } else {
        Severity::Error
    };
    let (severity, confidence) = if forward.evaluating.is_some() {
        if forward.returned && !forward.in_loop.over_data {
            // An evaluated network in a loss: the gradient goes through it.
            return None;
        }
        (worst, if forward.leaves { Confidence::Medium } else { Confidence::High })
    } else if forward.inside_training && (forward.leaves || !forward.feeds_back) {
        // A teacher's or a critic's pass in the middle of training may have its reasons.
        return None;
    } else if forward.feeds_back && !forward.leaves {
        (Severity::Error, Confidence::High)
    } else if forward.leaves {
        // A state that starts as noise and is fed back is drawn, not trained.
        if !(forward.from_noise && forward.feeds_back) {
            return None;
        }
        (Severity::Error, Confidence::Medium)
    } else if forward.by_usage && forward.consumed && !forward.is_kept {
        // What its class does with gradients is in another file.
        (Severity::Warning, Confidence::Medium)
    } else if forward.consumed || forward.is_kept {
        (worst, Confidence::High)
    } else {
        (Severity::Information, Confidence::Low)
    };
    Some(Verdict { severity, confidence, growth })
}

/// The finding about a forward pass recorded for nothing.
pub fn finding(context: &Context, rule: &Rule, forward: &UnusedForward) -> Option<Finding> {
    let verdict = verdict(forward)?;
    let module = context.quote(forward.callee);
    let arguments = [("module", module.as_str())];
    let message = match (forward.evaluating.is_some(), forward.feeds_back) {
        (true, _) if let Some(file) = &forward.elsewhere => {
            text("unused-evaluating-elsewhere", &[("module", module.as_str()), ("file", file)])
        }
        (true, false) => text("unused-evaluating", &arguments),
        (true, true) => text("unused-evaluating-fed-back", &arguments),
        (false, false) => text("unused-peak", &arguments),
        (false, true) => text("unused-fed-back", &arguments),
    };
    let mut finding = context.finding(rule, verdict, forward.span, message);
    if forward.elsewhere.is_none() {
        finding.related.push(context.related(forward.in_loop.span, text("unused-loop", &[])));
    }
    if let Some(evaluating) = forward.evaluating {
        finding.related.push(context.related(evaluating, text("unused-eval-mode", &[])));
    }
    let doubtful = forward.leaves || verdict.confidence == Confidence::Low;
    finding.fix = fix(context, forward.region, doubtful);
    Some(finding)
}

/// The fix that switches gradients off around a region. It is doubtful when something may want the graph after all:
/// code in other files that it is handed to.
pub fn fix(context: &Context, region: Region, doubtful: bool) -> Option<Fix> {
    let module = context.script.module;
    let start = match region {
        Region::Function(function) => module.function(function).span.start,
        Region::Statement(stmt) => module.stmt(stmt).span.start,
        Region::Nothing => return None,
    };
    let (torch, import) = torch(context, start);
    let (mut edits, message) = match region {
        Region::Function(function) => {
            let decorator = format!("@{torch}.no_grad()");
            (decorate(context, function, &decorator), text("no-grad-decorator", &[("decorator", &decorator)]))
        }
        Region::Statement(stmt) => {
            let line = format!("with {torch}.no_grad():");
            (wrap(context, stmt, &line)?, text("no-grad-with", &[("line", &line)]))
        }
        Region::Nothing => return None,
    };
    if let Some(import) = import {
        add_import(&mut edits, import);
    }
    let applicability = if doubtful { Applicability::Unsafe } else { Applicability::Safe };
    Some(Fix { applicability, message, edits })
}

/// PyTorch's name in the module, and the edit that imports it, above an offset, where it has none.
fn torch(context: &Context, offset: u32) -> (String, Option<Edit>) {
    if let Some(name) = context.script.torch_name() {
        return (name.to_owned(), None);
    }
    let (place, content) = match context.script.import_place(offset) {
        ImportPlace::Behind(place) => (place, "\nimport torch"),
        ImportPlace::Before(place) => (place, "import torch\n"),
    };
    let import = Edit { location: context.locate(Span::at(place)), content: content.to_owned() };
    ("torch".to_owned(), Some(import))
}

/// Adds an import to a fix. Two insertions at one place have no order, so there they become one.
fn add_import(edits: &mut Vec<Edit>, import: Edit) {
    match edits.iter_mut().find(|edit| edit.location == import.location) {
        Some(edit) => edit.content.insert_str(0, &import.content),
        None => edits.push(import),
    }
    edits.sort();
}

/// Writes a decorator right above a function.
fn decorate(context: &Context, function: FunctionId, decorator: &str) -> Vec<Edit> {
    let start = context.script.module.function(function).span.start;
    let indent = indent_before(context.script.text, start);
    vec![Edit { location: context.locate(Span::at(start)), content: format!("{decorator}\n{indent}") }]
}

/// Writes a `with` line above a statement and indents the statement below it. `None` when the statement does not
/// start its line.
fn wrap(context: &Context, stmt: StmtId, line: &str) -> Option<Vec<Edit>> {
    let script = context.script;
    let span = script.module.stmt(stmt).span;
    let indent = indent_before(script.text, span.start);
    let before = script.text.get(..span.start as usize)?;
    if !before.ends_with(indent)
        || !before.trim_end_matches([' ', '\t']).ends_with(['\n', '\r']) && !before.trim().is_empty()
    {
        return None;
    }
    let step = if indent.contains('\t') { "\t" } else { "    " };
    let mut edits = vec![Edit {
        location: context.locate(Span::at(span.start)),
        content: format!("{line}\n{indent}{step}"),
    }];
    let mut offset = span.start;
    for text_line in script.text_of(span).split_inclusive('\n') {
        let at = offset;
        offset += u32::try_from(text_line.len()).ok()?;
        let inside_string =
            script.module.multiline_strings.iter().any(|string| string.start < at && at < string.end);
        if at == span.start || text_line.trim().is_empty() || inside_string {
            continue;
        }
        edits.push(Edit { location: context.locate(Span::at(at)), content: step.to_owned() });
    }
    Some(edits)
}

/// The white space before an offset on its line.
fn indent_before(text: &str, offset: u32) -> &str {
    let before = text.get(..offset as usize).unwrap_or_default();
    let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..blank).unwrap_or_default()
}
