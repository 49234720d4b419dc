//! # old-model-still-there (OOM311)
//!
//! ## What it finds
//! A model that is loaded onto the GPU while the one before it is still there: its name is given to the new model, or
//! nothing uses it any more.
//!
//! ## Why it costs memory
//! Python frees the old model when the last name lets it go. In `model = load()` that is after the new one is complete,
//! so both must fit for a moment; where another name, an optimizer or a list holds the old one, both stay.
//! `empty_cache()` cannot free what something still holds.
//!
//! ## Example
//! ```python
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", dtype="auto").to("cuda")
//! print(model.generate(prompt))
//! model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.3", dtype="auto").to("cuda")
//! print(model.generate(prompt))
//! ```
//!
//! Use instead:
//! ```python
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", dtype="auto").to("cuda")
//! print(model.generate(prompt))
//! model = None
//! model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.3", dtype="auto").to("cuda")
//! print(model.generate(prompt))
//! ```
//!
//! ## What stays silent
//! Where nothing uses the old model any more but its name stays, it is information. Models that are both used afterwards; one that was deleted, or moved to host memory; models on ways of the program
//! that exclude each other; models that are known to be small.
//!
//! ## The fix
//! Lets the old model go first: `model = None` above the load. Safe. None where something else holds it, too: the message
//! names what.
//!
//! ## References
//! Python reference, assignment statements; PyTorch documentation, "CUDA semantics: memory management".

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Edit, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::python::bindings;
use crate::python::blocks::statement_around;
use crate::python::holding::Holder;
use crate::python::library_call::{Action, LibraryCall};
use crate::python::syntax::{ExprKind, StmtKind};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::objects::{facts_of, put_on_gpu};
use crate::rules::writing::lines::{Lines, indentation};
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM311",
    name: "old-model-still-there",
    summary: "A model is loaded while the one before it is still on the GPU",
    source: include_str!("oom311.rs"),
    check,
};

/// Two models with fewer parameters each seldom fill a card.
const SMALL: u64 = 500_000_000;

fn check(context: &Context) -> Vec<Finding> {
    let loads = context.script.calls.iter().filter(|call| is_large(context, call));
    worst_of_each_place(loads.filter_map(|load| finding(context, load)).collect())
}

/// Whether a call loads weights that are not known to be few.
pub fn is_large(context: &Context, call: &LibraryCall) -> bool {
    let parameters = facts_of(context, call, crate::models::ModelFacts::parameters);
    let is_vision = matches!(call.role, Role::VisionModel | Role::TimmModel);
    // Classifiers of images are small as a rule.
    call.role.makes_weights() && parameters.map_or(!is_vision, |parameters| parameters >= SMALL)
}

fn finding(context: &Context, load: &LibraryCall) -> Option<Finding> {
    put_on_gpu(load, u32::MAX)?;
    if load.place.way.handling {
        // What it is loaded in the place of has failed.
        return None;
    }
    load.life.beside.iter().find_map(|beside| {
        let old = context.script.calls.get(beside.call)?;
        let is_older = old.expr != load.expr && is_large(context, old) && !is_part_of(context, old, load);
        if !is_older || put_on_gpu(old, load.span.start).is_none() {
            return None;
        }
        match rebound(old, load) {
            Some(left) => Some(about(context, (old, load), left)),
            None if is_forgotten(old, load) => Some(about(context, (old, load), &beside.held_by)),
            None => None,
        }
    })
}

/// Whether one object is given to the call that makes the other, as a text encoder to its pipeline.
fn is_part_of(context: &Context, old: &LibraryCall, load: &LibraryCall) -> bool {
    old.events.iter().any(|event| match event.action {
        Action::GivenTo(index) => context.script.calls.get(index).is_some_and(|call| call.expr == load.expr),
        _ => false,
    })
}

/// What still holds the old object after its name was given to the new one, if it was.
fn rebound<'a>(old: &'a LibraryCall, load: &LibraryCall) -> Option<&'a [Holder]> {
    old.events.iter().find_map(|event| match &event.action {
        Action::Released { deleted: false, held_by } if event.span.contains(load.span) => {
            Some(held_by.as_slice())
        }
        _ => None,
    })
}

/// Whether nothing uses the old object once the new one is loaded, though something has used it before.
fn is_forgotten(old: &LibraryCall, load: &LibraryCall) -> bool {
    old.life.last_use > old.life.reached && old.life.last_use < load.life.reached && !old.leaves
}

fn about(context: &Context, (old, load): (&LibraryCall, &LibraryCall), held_by: &[Holder]) -> Finding {
    let names: Vec<String> = held_by.iter().map(|holder| format!("`{}`", holder.name)).collect();
    let is_rebound = rebound(old, load).is_some();
    let (severity, key) = match (is_rebound, names.is_empty()) {
        (true, true) => (Severity::Warning, "old-model-rebound"),
        (true, false) => (Severity::Error, "old-model-held"),
        (false, _) => (Severity::Information, "old-model-forgotten"),
    };
    let verdict = Verdict { severity, confidence: Confidence::High, growth: Growth::Static };
    let message = text(key, &[("names", &names.join(", "))]);
    let mut finding = context.sure_finding(&RULE, verdict, load.span, message);
    finding.related.push(context.related(old.span, text("old-model-here", &[])));
    if is_rebound && names.is_empty() {
        finding.fix = let_go_first(context, load);
    }
    finding
}

/// Writes `name = None` above the statement that loads into a name.
fn let_go_first(context: &Context, load: &LibraryCall) -> Option<Fix> {
    let module = context.script.module;
    let id = statement_around(module, load.span)?;
    let stmt = module.stmt(id);
    let StmtKind::Assign { targets, .. } = &stmt.kind else { return None };
    let [target] = targets.as_slice() else { return None };
    let ExprKind::Name(name) = module.expr(*target).kind else { return None };
    let reads = bindings::used(module, id).iter().filter(|used| **used == name).count();
    let before = Lines::around(context, stmt.span.start).before(stmt.span.start);
    let text_of_value = Span::new(module.expr(*target).span.end, stmt.span.end).text(context.script.text);
    let is_read = text_of_value.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    if reads > 1 || is_read.into_iter().any(|word| word == module.name(name)) || !before.trim().is_empty() {
        return None;
    }
    let line = format!("{} = None", module.name(name));
    let content = format!("{line}\n{}", indentation(before));
    let edits: Vec<Edit> = vec![replacement(context, Span::at(stmt.span.start), &content)];
    let message = text("old-model-let-go", &[("line", &line)]);
    Some(Fix { applicability: Applicability::Safe, message, edits })
}
