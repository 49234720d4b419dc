//! # state-dict-kept-by-reference (OOM114)
//!
//! ## What it finds
//! The best weights of a training that are kept as `best = model.state_dict()` and put back at the end.
//!
//! ## Why it costs memory
//! A state dict is no copy: its tensors are the weights on the GPU, and they change with every further step. The
//! weights that are put back are the last ones, not the best, and the model cannot be freed while the dict is there.
//! The copy that mends it belongs in host memory.
//!
//! ## Example
//! ```python
//! import torch
//!
//! model = torch.nn.Linear(4096, 4096).to("cuda")
//! lowest, best = 1e9, None
//! for epoch in range(10):
//!     loss = train(model)
//!     if loss < lowest:
//!         lowest, best = loss, model.state_dict()
//! model.load_state_dict(best)
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//!
//! model = torch.nn.Linear(4096, 4096).to("cuda")
//! lowest, best = 1e9, None
//! for epoch in range(10):
//!     loss = train(model)
//!     if loss < lowest:
//!         lowest, best = loss, {k: v.detach().cpu().clone() for k, v in model.state_dict().items()}
//! model.load_state_dict(best)
//! ```
//!
//! ## What stays silent
//! State dicts that are saved, copied or gone before the next round, and those that nothing puts back.
//!
//! ## The fix
//! Keeps a copy in host memory. Unsafe: other weights are put back than before.
//!
//! ## References
//! PyTorch documentation, "Saving and Loading Models", the note on `best_model_state`.

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::python::library_call::{Action, Event, LibraryCall};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM114",
    name: "state-dict-kept-by-reference",
    summary: "The best weights are kept as references to the weights in training",
    source: include_str!("oom114.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let states = context.script.calls.iter().filter(|call| call.role == Role::StateDict);
    worst_of_each_place(states.filter_map(|state| finding(context, state)).collect())
}

fn finding(context: &Context, state: &LibraryCall) -> Option<Finding> {
    let held_by = state.life.next_iteration.as_ref()?;
    let put_back = |event: &Event| matches!(event.action, Action::CopiedInto { .. });
    let copied = |event: &Event| matches!(event.action, Action::GivenTo(_));
    let back = state.events.iter().find(|event| put_back(event))?;
    let inside = state.place.loops.last()?.span;
    if held_by.is_empty()
        || !state.place.way.conditional
        || state.events.iter().any(copied)
        || inside.contains(back.span)
    {
        return None;
    }
    let verdict =
        Verdict { severity: Severity::Information, confidence: Confidence::High, growth: Growth::Static };
    let mut finding = context.sure_finding(&RULE, verdict, state.span, text("state-by-reference", &[]));
    finding.related.push(context.related(back.span, text("state-put-back", &[])));
    finding.fix = Some(fix(context, state));
    Some(finding)
}

fn fix(context: &Context, state: &LibraryCall) -> Fix {
    let named = context.script.text_of(state.span);
    let content = format!("{{k: v.detach().cpu().clone() for k, v in {named}.items()}}");
    let edits = vec![replacement(context, state.span, &content)];
    Fix { applicability: Applicability::Unsafe, message: text("copy-to-host", &[]), edits }
}
