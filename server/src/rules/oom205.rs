//! # model-returns-unread-layers (OOM205)
//!
//! ## What it finds
//! `output_hidden_states=True` or `output_attentions=True` for a model of transformers whose result is known to be used
//! without them.
//!
//! ## Why it costs memory
//! Hidden states are one tensor of batch size times length times width for every layer, which live as long as the
//! result does: in a loop, until the next pass is through. Attentions are one tensor of heads times length times length
//! for every layer, and only the eager attention can return them, so the whole model loses its memory-efficient
//! attention.
//!
//! ## Example
//! ```python
//! import torch
//! from transformers import AutoModelForSequenceClassification
//!
//! model = AutoModelForSequenceClassification.from_pretrained("microsoft/deberta-v3-base").cuda().eval()
//! with torch.no_grad():
//!     for batch in loader:
//!         outputs = model(**batch, output_hidden_states=True)
//!         print(outputs.logits.argmax(-1).tolist())
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! from transformers import AutoModelForSequenceClassification
//!
//! model = AutoModelForSequenceClassification.from_pretrained("microsoft/deberta-v3-base").cuda().eval()
//! with torch.no_grad():
//!     for batch in loader:
//!         outputs = model(**batch)
//!         print(outputs.logits.argmax(-1).tolist())
//! ```
//!
//! ## What stays silent
//! Results whose field is read, by name or by a place behind the first; results that are handed on, returned or
//! unpacked; models with the option that other code gets; options that are not known.
//!
//! ## The fix
//! Takes the option out. Safe.
//!
//! ## References
//! transformers 4.46.3 and 5.24.0, `modeling_outputs.py`, `configuration_utils.py` and `utils/output_capturing.py`.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::Role;
use crate::knowledge::fields::Extra;
use crate::python::library_call::{Action, Event, GradMode, LibraryCall};
use crate::python::results::Reads;
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::fields::{Asked, asked, is_unread, place, without_option};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM205",
    name: "model-returns-unread-layers",
    summary: "A model returns a tensor of every layer that nothing reads",
    source: include_str!("oom205.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let calls = &context.script.calls;
    let runs = calls.iter().filter(|call| call.role == Role::ModelRun);
    let of_runs = runs.flat_map(|run| of_run(context, run));
    let models = calls.iter().filter(|call| call.role == Role::Model);
    let of_models = models.flat_map(|model| of_model(context, model));
    worst_of_each_place(of_runs.chain(of_models).collect())
}

/// The options of a rule that is about layers: the cache has one of its own.
fn layers_asked(call: &LibraryCall) -> Vec<Asked> {
    let mut options = asked(Role::ModelRun, &call.arguments);
    options.retain(|option| option.filling.extra != Extra::Cache);
    options
}

/// What one forward pass is asked for.
fn of_run(context: &Context, run: &LibraryCall) -> Vec<Finding> {
    let options = layers_asked(run);
    if options.is_empty() {
        return Vec::new();
    }
    let Some(reads) = context.script.reads_of(run.expr) else { return Vec::new() };
    let over_data = run.place.loops.last().is_some_and(|in_loop| in_loop.over_data);
    let is_kept = reads.is_named && run.place.grad == GradMode::Off && over_data;
    let unread = options.iter().filter(|option| is_unread(option, &reads));
    unread.map(|option| finding(context, run, option, is_kept)).collect()
}

/// What a model is asked for with every forward pass, as it is loaded.
fn of_model(context: &Context, model: &LibraryCall) -> Vec<Finding> {
    let options = layers_asked(model);
    if options.is_empty() || model.leaves || model.events.iter().any(|event| is_handed_on(context, event)) {
        return Vec::new();
    }
    let runs = model.events.iter().filter(|event| matches!(event.action, Action::Run { .. }));
    let reads: Option<Vec<Reads>> = runs.map(|run| context.script.reads_of(run.expr?)).collect();
    let Some(reads) = reads.filter(|reads| !reads.is_empty()) else { return Vec::new() };
    let unread = options.iter().filter(|option| reads.iter().all(|reads| is_unread(option, reads)));
    unread.map(|option| finding(context, model, option, false)).collect()
}

/// Whether an event gives a model to something that runs it elsewhere.
fn is_handed_on(context: &Context, event: &Event) -> bool {
    match event.action {
        Action::GivenTo(index) => {
            context.script.calls.get(index).is_none_or(|taker| taker.role != Role::ModelRun)
        }
        _ => false,
    }
}

/// A finding about an option; `is_kept` says whether its tensors surely live on while the next pass runs.
fn finding(context: &Context, call: &LibraryCall, option: &Asked, is_kept: bool) -> Finding {
    let name = [("option", option.filling.option)];
    let (costs, message) = match option.filling.extra {
        Extra::Attentions => (true, text("layers-unread-attentions", &name)),
        _ => (is_kept, text("layers-unread-states", &name)),
    };
    let severity = if costs { Severity::Warning } else { Severity::Information };
    let verdict = Verdict { severity, confidence: Confidence::High, growth: Growth::Peak };
    let span = place(context, call.expr, option);
    let mut finding = context.finding(&RULE, verdict, span, message);
    finding.fix = without_option(context, call.expr, option);
    finding
}
