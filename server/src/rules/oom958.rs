//! # deleted-but-held (OOM958)
//!
//! ## What it finds
//! A large model whose name is deleted or set to `None`, to free the GPU, while something else still holds the model:
//! another name, an optimizer, a pipeline, a trainer, a list, or `Out`, where a notebook keeps what its cells show.
//!
//! ## Why it costs memory
//! `del` takes a name away, not the object. Python frees the object when nothing refers to it any more. Until then its
//! weights stay on the GPU, and neither `gc.collect()` nor `torch.cuda.empty_cache()` can free them. The next model is
//! loaded beside it.
//!
//! ## Example
//! ```python
//! import gc
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", dtype="auto").to("cuda")
//! base = model
//! print(base.generate(prompt))
//! del model
//! gc.collect()
//! torch.cuda.empty_cache()
//! ```
//!
//! Use instead:
//! ```python
//! import gc
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-7B", dtype="auto").to("cuda")
//! base = model
//! print(base.generate(prompt))
//! del model, base
//! gc.collect()
//! torch.cuda.empty_cache()
//! ```
//!
//! ## What stays silent
//! Where the other holder is deleted later, or used: then it is meant to keep the model. Where no other model is loaded
//! afterwards, it is information. A deletion in every iteration of a loop is OOM312. Models that are known to be small,
//! or that no line puts on the GPU. References of tracebacks after an error, and of libraries, are not in the text.
//!
//! ## The fix
//! None: delete what the message names, too. Of what a notebook shows, `%reset -f out` lets go.
//!
//! ## References
//! Python reference, "The `del` statement"; `IPython` 9 documentation, "Output caching system" (`Out`, `_`); PyTorch
//! documentation, "CUDA semantics: memory management".

use vramlens_grammars::Span;

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::python::holding::Holder;
use crate::python::library_call::{Event, LibraryCall};
use crate::rules::Rule;
use crate::rules::cells::{SHOWN, shown};
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::objects::{on_gpu_at, put_on_gpu};
use crate::rules::reloading::{are_used_after, deletion, is_large, names, told_at};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM958",
    name: "deleted-but-held",
    summary: "A model is deleted while something else still holds it",
    source: include_str!("oom958.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let calls = context.script.calls.iter().enumerate().filter(|(_, call)| is_large(context, call));
    let once = calls.filter(|(_, call)| call.place.loops.is_empty());
    worst_of_each_place(once.filter_map(|(index, model)| finding(context, index, model)).collect())
}

fn finding(context: &Context, index: usize, model: &LibraryCall) -> Option<Finding> {
    let deleted = deletion(model)?;
    let is_used = model.life.last_use > deleted.at;
    if is_used || model.leaves || !on_gpu_at(model, deleted) {
        return None;
    }
    let next = next_load(context, deleted);
    let held_by = held_by(index, model, next);
    if are_used_after(context, held_by, deleted.span) {
        return None;
    }
    let shown_at = shown(context)
        .filter(|shown| shown.value.made == Some(index) && shown.span.start < deleted.span.start)
        .map(|shown| shown.span)
        .last();
    let holders = match (held_by, shown_at) {
        ([], None) => return None,
        ([], Some(_)) => format!("`{SHOWN}`"),
        (held_by, None) => names(held_by),
        (held_by, Some(_)) => format!("{}, `{SHOWN}`", names(held_by)),
    };
    Some(about(context, (deleted.span, next), &holders, (model.span, shown_at)))
}

/// The first large model that is loaded onto the GPU after a deletion.
fn next_load<'a>(context: &Context<'a>, deleted: &Event) -> Option<&'a LibraryCall> {
    let later = context.script.calls.iter().filter(|call| call.life.reached > deleted.at);
    let mut large = later.filter(|call| is_large(context, call) && put_on_gpu(call, u32::MAX).is_some());
    large.find(|call| !call.place.way.handling)
}

/// What holds a model when the next one is loaded, or else at the end.
fn held_by<'a>(index: usize, model: &'a LibraryCall, next: Option<&'a LibraryCall>) -> &'a [Holder] {
    match next {
        Some(next) => {
            let beside = next.life.beside.iter().find(|beside| beside.call == index);
            beside.map(|beside| beside.held_by.as_slice()).unwrap_or_default()
        }
        None => &model.life.at_end,
    }
}

fn about(
    context: &Context,
    (deleted, next): (Span, Option<&LibraryCall>),
    holders: &str,
    (made, shown_at): (Span, Option<Span>),
) -> Finding {
    let (severity, key) = match next {
        Some(_) => (Severity::Warning, "deleted-then-loaded"),
        None => (Severity::Information, "deleted-but-held"),
    };
    let verdict = Verdict { severity, confidence: Confidence::Medium, growth: Growth::Static };
    let mut finding = context.sure_finding(&RULE, verdict, deleted, text(key, &[("names", holders)]));
    finding.related.push(context.related(made, text("old-model-here", &[])));
    finding.related.extend(shown_at.map(|shown| context.related(shown, text("shown-and-kept", &[]))));
    finding
        .related
        .extend(next.map(|next| context.related(told_at(context, next), text("next-model-here", &[]))));
    finding
}
