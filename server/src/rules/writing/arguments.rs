//! Taking arguments out of calls and putting them in.

use vramlens_grammars::Span;

use crate::finding::Edit;
use crate::python::syntax::{ArgumentKind, ExprId, ExprKind, Module};
use crate::rules::context::Context;
use crate::rules::writing::lines::{Lines, indentation};
use crate::rules::writing::removal::{has_comment, replacement};

/// All of the argument of a call that a range lies in, its name included.
pub fn whole(module: &Module, call: ExprId, inside: Span) -> Option<Span> {
    let ExprKind::Call { arguments, .. } = &module.expr(call).kind else { return None };
    arguments.iter().map(|argument| argument.span).find(|span| span.contains(inside))
}

/// The edit that takes out the argument of a call that a range lies in. `None` when a comment would go with it.
pub fn removed(context: &Context, call: ExprId, inside: Span) -> Option<Edit> {
    let module = context.script.module;
    let ExprKind::Call { arguments, .. } = &module.expr(call).kind else { return None };
    let place = arguments.iter().position(|argument| argument.span.contains(inside))?;
    let span = arguments.get(place)?.span;
    let previous = place.checked_sub(1).and_then(|place| arguments.get(place));
    let range = if let Some(next) = arguments.get(place + 1) {
        Span::new(span.start, next.span.start)
    } else if let Some(previous) = previous {
        Span::new(previous.span.end, span.end)
    } else {
        let rest = Span::new(span.end, module.expr(call).span.end).text(context.script.text);
        let comma = rest.find(',').map_or(0, |index| index + 1);
        Span::new(span.start, span.end + u32::try_from(comma).ok()?)
    };
    (!has_comment(module, range)).then(|| replacement(context, range, ""))
}

/// The edits that add arguments to a call, in the way that its arguments are written: on one line, or one a line.
pub fn added(context: &Context, call: ExprId, added: &[&str]) -> Option<Vec<Edit>> {
    let module = context.script.module;
    let span = module.expr(call).span;
    let ExprKind::Call { arguments, .. } = &module.expr(call).kind else { return None };
    let insert = |at: u32, content: &str| replacement(context, Span::at(at), content);
    if let Some(mapping) = arguments.iter().find(|given| given.kind == ArgumentKind::UnpackedMapping) {
        let gap = gap_before(context, mapping.span);
        let content: String = added.iter().flat_map(|argument| [argument, ",", &gap]).collect();
        return Some(vec![insert(mapping.span.start, &content)]);
    }
    let Some(last) = arguments.last() else {
        return Some(vec![insert(span.end.checked_sub(1)?, &added.join(", "))]);
    };
    let gap = gap_before(context, last.span);
    let new = added.join(&format!(",{gap}"));
    let (line_end, rest) = {
        let lines = Lines::around(context, last.span.end);
        (lines.end(last.span.end), lines.rest(last.span.end).trim_start())
    };
    Some(if rest.starts_with(',') && gap != " " && line_end < span.end {
        vec![insert(line_end, &format!("{gap}{new},"))]
    } else if rest.starts_with('#') && line_end < span.end {
        vec![insert(last.span.end, ","), insert(line_end, &format!("{gap}{new}"))]
    } else {
        vec![insert(last.span.end, &format!(",{gap}{new}"))]
    })
}

/// What separates an argument from the one before it, so that another one can stand beside it: a line break with its
/// indentation where it starts a line, and a space elsewhere.
fn gap_before(context: &Context, argument: Span) -> String {
    let before = Lines::around(context, argument.start).before(argument.start);
    if before.trim().is_empty() { format!("\n{}", indentation(before)) } else { " ".to_owned() }
}
