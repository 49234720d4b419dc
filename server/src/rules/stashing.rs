//! What the rules about tensors kept on a GPU share: how bad it is, and how to keep them in host memory.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Edit, Finding, Fix, Growth, Severity};
use crate::python::script::{Emptied, StashedTensors};
use crate::python::storage::Size;
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict};
use crate::texts::text;

/// How bad it is that a collection keeps tensors on a GPU; `None` when nothing is wrong with it.
pub fn verdict(stashed: &StashedTensors) -> Option<Verdict> {
    if stashed.dropped || stashed.with_graph || stashed.inside_step {
        // Inside a step, it lasts as long as the step.
        return None;
    }
    let in_loop = &stashed.in_loop;
    let (severity, confidence) = match stashed.stored.size {
        // How long it runs is not in the text.
        Size::Large if !in_loop.loads && may_run_long(stashed) => (Severity::Information, Confidence::Low),
        Size::Number => return None,
        _ if !in_loop.loads => return None,
        // A batch taken apart, most likely, or a few bytes beside what training takes.
        Size::Small | Size::Data if stashed.target == stashed.span || in_loop.trains => return None,
        // A few bytes for each item of a batch.
        Size::Small | Size::Data => (Severity::Information, Confidence::Medium),
        // As many as there are keys, which is not in the text.
        _ if stashed.looked_up => (Severity::Information, Confidence::Low),
        _ if stashed.emptied == Some(Emptied::Elsewhere) => (Severity::Information, Confidence::High),
        _ if stashed.stored.places.may_be_host() => (Severity::Warning, Confidence::Medium),
        Size::Reduced => (Severity::Warning, Confidence::Medium),
        Size::Large if stashed.stored.places.is_gpu() => (Severity::Error, Confidence::High),
        Size::Large => (Severity::Error, Confidence::Medium),
    };
    Some(Verdict { severity, confidence, growth: Growth::Tensors })
}

/// Whether a loop that goes over something else may be one over data: it runs what is moved to a GPU, and nothing around
/// it trains.
fn may_run_long(stashed: &StashedTensors) -> bool {
    let in_loop = &stashed.in_loop;
    in_loop.over_data && !in_loop.trains_within && !stashed.beside_training && !stashed.is_emptied
}

/// What keeps the tensors, for a message.
pub fn target(context: &Context, stashed: &StashedTensors) -> String {
    if stashed.target == stashed.span {
        text("stashed-comprehension", &[])
    } else {
        format!("`{}`", context.quote(stashed.target))
    }
}

/// A finding about tensors kept on a GPU.
pub fn finding(
    context: &Context,
    rule: &Rule,
    stashed: &StashedTensors,
    (verdict, message): (Verdict, String),
) -> Finding {
    let mut finding = context.finding(rule, verdict, stashed.span, message);
    finding.related.push(context.related(stashed.in_loop.span, text("stashed-loop", &[])));
    finding
}

/// Writes `.cpu()` behind what is kept.
pub fn to_host(context: &Context, stashed: &StashedTensors) -> Option<Fix> {
    if stashed.values.is_empty() {
        return None;
    }
    let insert =
        |at: u32, content: &str| Edit { location: context.locate(Span::at(at)), content: content.to_owned() };
    let mut edits = Vec::new();
    for value in &stashed.values {
        if value.is_primary {
            edits.push(insert(value.span.end, ".cpu()"));
        } else {
            edits.push(insert(value.span.start, "("));
            edits.push(insert(value.span.end, ").cpu()"));
        }
    }
    edits.sort();
    // What goes on as it is may meet tensors that are on the GPU.
    let applicability = if stashed.ends_on_host && stashed.values.iter().all(|value| value.is_tensor) {
        Applicability::Safe
    } else {
        Applicability::Unsafe
    };
    Some(Fix { applicability, message: text("stashed-fix", &[]), edits })
}
