//! # model-reloaded-in-notebook (OOM955)
//!
//! ## What it finds
//! A cell of a notebook that loads a model onto the GPU while the one before it is still there: the cell gives its name
//! to the new one, it was run again, or another cell has loaded the same model under another name.
//!
//! ## Why it costs memory
//! A notebook's names live as long as its kernel. In `model = load()` the old model goes only after the new one is
//! complete and has its name, so both must fit on the GPU for a moment; where another name, an optimizer or a list holds
//! the old one, both stay. Under another name the same weights are there twice.
//!
//! ## Example
//! ```ipython
//! %pip install transformers
//! import gc
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", dtype="auto").to("cuda")
//! print(model.generate(prompt))
//! model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.3", dtype="auto").to("cuda")
//! print(model.generate(prompt))
//! ```
//!
//! Use instead:
//! ```ipython
//! %pip install transformers
//! import gc
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", dtype="auto").to("cuda")
//! print(model.generate(prompt))
//! model = None
//! gc.collect()
//! torch.cuda.empty_cache()
//! model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.3", dtype="auto").to("cuda")
//! print(model.generate(prompt))
//! ```
//!
//! ## What stays silent
//! A cell that merely could be run again. That it was is taken from the numbers that the notebook stores: a cell below
//! that uses the model was run before the cell that loads it. Models that were deleted, set to `None` or moved to host
//! memory before; a second copy beside one that is trained; models that are known to be small. In scripts it is OOM311.
//!
//! ## The fix
//! Lets the old model go above the load, collects what cycles hold, and gives the memory back: `model = None`,
//! `gc.collect()`, `torch.cuda.empty_cache()`, with the imports they need. Safe, also when the cell is run for the first
//! time. None where something else holds the old model, too: the message names what; and none where the same model has
//! another name.
//!
//! ## References
//! Python reference, assignment statements; nbformat 5, "Code cells" (`execution_count`); PyTorch documentation, "CUDA
//! semantics: memory management".

use vramlens_grammars::Span;

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::Role;
use crate::python::library_call::{Action, LibraryCall};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::objects::names_of;
use crate::rules::reloading::{Pair, free_first, names, pairs};
use crate::rules::reruns::{Rerun, reruns};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM955",
    name: "model-reloaded-in-notebook",
    summary: "A cell loads a model while the one before it is still on the GPU",
    source: include_str!("oom955.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let pairs = pairs(context);
    let in_cells = pairs.iter().filter(|pair| context.is_in_cell(pair.told));
    let mut found: Vec<Finding> =
        in_cells.filter_map(|pair| rebound(context, pair).or_else(|| twice(context, pair))).collect();
    found.extend(reruns(context).iter().map(|rerun| again(context, rerun)));
    worst_of_each_place(found)
}

/// The new model gets the name of the old one.
fn rebound(context: &Context, pair: &Pair) -> Option<Finding> {
    let (told, held_by) = pair.rebound()?;
    let (severity, message) = match held_by {
        [] => (Severity::Warning, text("reloaded-rebound", &[])),
        _ => (Severity::Error, text("old-model-held", &[("names", &names(held_by))])),
    };
    let mut finding = about(context, (severity, Confidence::High), told, message);
    finding.related.push(context.related(pair.old.span, text("old-model-here", &[])));
    finding.fix = free_first(context, told).filter(|_| held_by.is_empty());
    Some(finding)
}

/// The same model has another name already.
fn twice(context: &Context, pair: &Pair) -> Option<Finding> {
    let (old, load) = (pair.old, pair.load);
    let id = names_of(load).find(|id| names_of(old).any(|other| other == *id))?;
    let is_whole =
        [old, load].into_iter().all(|call| call.role != Role::DiffusionModel && !is_changed(context, call));
    let cell = |call: &LibraryCall| context.locate(call.span).cell;
    if !is_whole || cell(old) == cell(load) || load.place.way.conditional || old.place.way.conditional {
        return None;
    }
    let message = text("reloaded-twice", &[("model", id), ("names", &names(&pair.beside.held_by))]);
    let mut finding = about(context, (Severity::Warning, Confidence::Medium), pair.told, message);
    finding.related.push(context.related(old.span, text("old-model-here", &[])));
    Some(finding)
}

/// Whether something is done to a model that makes it another one than was loaded: training, an adapter.
fn is_changed(context: &Context, call: &LibraryCall) -> bool {
    let takes = |index: usize| {
        context
            .script
            .calls
            .get(index)
            .is_some_and(|taker| matches!(taker.role, Role::Trainer | Role::Adapter))
    };
    let is_taken = |action: &Action| matches!(action, Action::GivenTo(index) if takes(*index));
    call.trained || call.leaves || call.events.iter().any(|event| is_taken(&event.action))
}

/// The cell was run again while the model was there.
fn again(context: &Context, rerun: &Rerun) -> Finding {
    let (run, earlier) = (rerun.run.to_string(), rerun.used_in.to_string());
    let values = [("name", rerun.name), ("run", run.as_str()), ("earlier", earlier.as_str())];
    let mut finding =
        about(context, (Severity::Warning, Confidence::Medium), rerun.told, text("reloaded-rerun", &values));
    finding.related.push(context.related(rerun.used, text("reloaded-used", &[])));
    finding.fix = free_first(context, rerun.told);
    finding
}

fn about(
    context: &Context,
    (severity, confidence): (Severity, Confidence),
    told: Span,
    message: String,
) -> Finding {
    let verdict = Verdict { severity, confidence, growth: Growth::Static };
    context.sure_finding(&RULE, verdict, told, message)
}
