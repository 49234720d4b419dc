//! What the rules about kept graphs share: how bad a kept graph is, and how to keep its number only.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Edit, Finding, Fix, Growth, Severity};
use crate::python::script::{Fate, Keeping, Kept};
use crate::rules::context::{Context, Verdict};
use crate::rules::no_grad;
use crate::rules::{Rule, adapters};
use crate::texts::text;

/// A bounded collection of scalars with freed graphs is not worth a warning up to this many items: half a kilobyte
/// of device memory each.
const SMALL_CAPACITY: u64 = 1_000_000;

/// How bad a kept graph is; `None` when nothing is wrong with it.
fn verdict(kept: &Kept, holder: Option<Span>) -> Option<Verdict> {
    let (severity, growth) = match kept.fate {
        Fate::SentThrough(_) => return None,
        Fate::Freed(_) if !kept.dropped && holder.is_some() => (Severity::Error, Growth::Tensors),
        Fate::Freed(_) => freed(kept)?,
        Fate::Retained(_) => (Severity::Error, Growth::FullGraph),
        Fate::Never => {
            let evaluated = kept.evaluating.is_some() && (kept.in_loop.over_data || !kept.returned);
            let certain = kept.in_loop.trains || evaluated || !kept.leaves;
            // In the middle of a training step, it lasts as long as the step.
            // A module that goes over the parts of one input, such as tiles, returns what it makes of them.
            let parts = kept.in_loop.in_module && !kept.in_loop.over_data && kept.evaluating.is_none();
            let brief = kept.inside_training && !kept.in_loop.trains && kept.evaluating.is_none();
            if !certain || brief || parts || kept.built_by.is_empty() {
                return None;
            }
            (if kept.dropped { Severity::Warning } else { Severity::Error }, Growth::FullGraph)
        }
    };
    let confidence =
        if kept.leaves && kept.fate == Fate::Never { Confidence::Medium } else { Confidence::High };
    Some(Verdict { severity, confidence, growth })
}

/// What makes a graph hold the tensors that went into it, even after a backward: they ask for gradients themselves.
fn holder_of_inputs(context: &Context, kept: &Kept) -> Option<Span> {
    kept.asking.or_else(|| adapters::holds_inputs(context, &kept.built_by))
}

/// A graph whose saved activations a backward of the same iteration frees.
fn freed(kept: &Kept) -> Option<(Severity, Growth)> {
    let is_tensor = kept.keeping != Keeping::Sum && !kept.scalar && !kept.host;
    if !is_tensor {
        let small =
            kept.capacity.is_some_and(|capacity| capacity.is_none_or(|items| items <= SMALL_CAPACITY));
        let bounded = small || kept.dropped && kept.keeping != Keeping::Sum;
        return Some((if bounded { Severity::Information } else { Severity::Warning }, Growth::NodesOnly));
    }
    if kept.dropped {
        return None;
    }
    // Whole records, with the inputs of the forward pass beside its results, keep what that pass saved.
    let growth = if kept.with_tensors { Growth::FullGraph } else { Growth::Tensors };
    Some((Severity::Error, growth))
}

/// The finding about a kept graph.
pub fn finding(context: &Context, rule: &Rule, kept: &Kept) -> Option<Finding> {
    let holder = matches!(kept.fate, Fate::Freed(_)).then(|| holder_of_inputs(context, kept)).flatten();
    let verdict = verdict(kept, holder)?;
    let mut finding = context.finding(rule, verdict, kept.span, message(context, kept, verdict.growth));
    finding.related.push(context.related(kept.in_loop.span, text("kept-loop", &[])));
    for built in kept.built_by.iter().take(2) {
        finding.related.push(context.related(*built, text("kept-built-here", &[])));
    }
    if let Fate::Freed(backward) | Fate::Retained(backward) = kept.fate {
        finding.related.push(context.related(backward, text("kept-backward", &[])));
    }
    if let Some(holder) = holder {
        finding.related.push(context.related(holder, text("kept-inputs-asked", &[])));
    }
    if let Some(stored) = kept.stored_at {
        finding.related.push(context.related(stored, text("kept-stored-here", &[])));
    }
    finding.fix = fix(context, kept);
    Some(finding)
}

fn message(context: &Context, kept: &Kept, growth: Growth) -> String {
    let target = context.quote(kept.target);
    let cure = if takes_number(kept) { ".item()" } else { ".detach()" };
    let arguments = [("target", target.as_str()), ("cure", cure)];
    match (kept.fate, growth) {
        (Fate::Freed(_), Growth::NodesOnly) => text("kept-nodes-only", &arguments),
        (Fate::Freed(_), Growth::Tensors) if kept.scalar => text("kept-inputs", &arguments),
        (Fate::Freed(_), Growth::Tensors) => text("kept-tensors", &arguments),
        (Fate::Freed(_), _) => text("kept-records", &arguments),
        (Fate::Retained(_), _) => text("kept-retained", &arguments),
        _ if kept.in_loop.trains => text("kept-beside-backward", &arguments),
        _ => text("kept-never-freed", &arguments),
    }
}

/// Whether the number alone can stand for the kept tensor wherever the program uses it.
fn takes_number(kept: &Kept) -> bool {
    kept.keeping == Keeping::Sum
        && kept.scalar
        && kept.from_number
        && !kept.target_has_methods
        && !kept.leaves
        && kept.stored_at.is_none()
}

/// Writes `.item()` or `.detach()` behind what is kept, or switches gradients off where that is the cure.
fn fix(context: &Context, kept: &Kept) -> Option<Fix> {
    if kept.fate == Fate::Never && !kept.in_loop.trains {
        // Nothing ever uses the graph: what keeps it is not at fault, what builds it is.
        let cure = no_grad::fix(context, kept.region, kept.leaves);
        if cure.is_some() {
            return cure;
        }
    }
    if kept.values.is_empty() {
        return None;
    }
    let call = if takes_number(kept) { ".item()" } else { ".detach()" };
    let insert = |at: u32, content: String| Edit { location: context.locate(Span::at(at)), content };
    let mut edits = Vec::new();
    for value in &kept.values {
        if value.is_primary {
            edits.push(insert(value.span.end, call.to_owned()));
        } else {
            edits.push(insert(value.span.start, "(".to_owned()));
            edits.push(insert(value.span.end, format!("){call}")));
        }
    }
    edits.sort();
    let message = text("kept-fix", &[("call", call)]);
    // What a module returned may be a tuple or a record, which cannot be detached.
    let known = kept.scalar || kept.values.iter().all(|value| value.is_tensor);
    let applicability = if known { Applicability::Safe } else { Applicability::Unsafe };
    Some(Fix { applicability, message, edits })
}
