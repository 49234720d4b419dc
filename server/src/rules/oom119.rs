//! # cache-in-training (OOM119)
//!
//! ## What it finds
//! A training step of a language model that returns its cache of keys and values, because `use_cache=True` is written or
//! because nothing turns it off.
//!
//! ## Why it costs memory
//! The cache is there to generate tokens one by one. A training step has no use for it, and its result holds the keys
//! and values of all layers for the whole batch, with their graph, until the next step's result takes its place: all
//! through the next forward pass. For a model with 32 layers of 4096 that is 512 KiB a token in 16 bit.
//!
//! ## Example
//! ```python
//! import torch
//! from liger_kernel.transformers import apply_liger_kernel_to_llama
//! from transformers import AutoModelForCausalLM
//!
//! apply_liger_kernel_to_llama()
//! model = AutoModelForCausalLM.from_pretrained("JackFram/llama-68m").cuda()
//! optimizer = torch.optim.AdamW(model.parameters())
//! for batch in loader:
//!     outputs = model(**batch, use_cache=True)
//!     outputs.loss.backward()
//!     optimizer.step()
//!     optimizer.zero_grad()
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! from liger_kernel.transformers import apply_liger_kernel_to_llama
//! from transformers import AutoModelForCausalLM
//!
//! apply_liger_kernel_to_llama()
//! model = AutoModelForCausalLM.from_pretrained("JackFram/llama-68m").cuda()
//! optimizer = torch.optim.AdamW(model.parameters())
//! for batch in loader:
//!     outputs = model(**batch, use_cache=False)
//!     outputs.loss.backward()
//!     optimizer.step()
//!     optimizer.zero_grad()
//! ```
//!
//! ## What stays silent
//! Generation and evaluation; a script that sets `use_cache` for the model; checkpointing, which turns the cache off by
//! itself; a `Trainer`, which turns it off since transformers 5.0; a result that is used at once and put nowhere;
//! one whose cache is read; encoder-decoder models, which return none where they are given labels.
//!
//! ## The fix
//! Writes `use_cache=False`, or `model.config.use_cache = False` behind the load. Safe.
//!
//! ## References
//! transformers 4.46.3 and 5.24.0, `models/llama/modeling_llama.py`, `utils/generic.py` and `trainer.py`.

use crate::finding::{Applicability, Confidence, Edit, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::knowledge::checkpointing;
use crate::knowledge::fields::Extra;
use crate::knowledge::objects::{ObjectEffect, object_method};
use crate::python::enclosing::enclosing;
use crate::python::library_call::{Action, Event, LibraryCall};
use crate::python::syntax::{ExprId, StmtKind};
use crate::rules::Rule;
use crate::rules::cache::{USE_CACHE, sets_cache, without_cache};
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::fields::{asked, is_unread, place};
use crate::rules::writing::behind::Behind;
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM119",
    name: "cache-in-training",
    summary: "Training steps of a language model return a cache that nothing reads",
    source: include_str!("oom119.rs"),
    check,
};

/// What a training step takes out of the result.
const LOSS: &str = "loss";

fn check(context: &Context) -> Vec<Finding> {
    let calls = &context.script.calls;
    let runs = calls.iter().filter(|call| call.role == Role::ModelRun && call.trained);
    let written = runs.filter_map(|run| written(context, run));
    let models = calls.iter().filter(|call| call.role == Role::Model && call.trained);
    let by_default = models.filter_map(|model| by_default(context, model));
    worst_of_each_place(written.chain(by_default).collect())
}

/// A training step that asks for the cache.
fn written(context: &Context, run: &LibraryCall) -> Option<Finding> {
    let option = asked(Role::ModelRun, &run.arguments);
    let option = option.into_iter().find(|option| option.filling.extra == Extra::Cache)?;
    let reads = context.script.reads_of(run.expr)?;
    let model = run.receiver.and_then(|index| context.script.calls.get(index));
    if !reads.is_named || !is_unread(&option, &reads) || model.is_some_and(checkpoints) {
        return None;
    }
    let verdict = Verdict { severity: Severity::Warning, confidence: Confidence::High, growth: Growth::Peak };
    let span = place(context, run.expr, &option);
    let mut finding = context.finding(&RULE, verdict, span, text("cache-asked-in-training", &[]));
    finding.fix = Some(fix(replacement(context, option.span, "False")));
    Some(finding)
}

/// A model whose training steps return the cache because nothing turns it off, told at such a step.
fn by_default(context: &Context, model: &LibraryCall) -> Option<Finding> {
    if !checkpointing::caches_in_training(&model.path)
        || sets_cache(model)
        || checkpoints(model)
        || model.leaves
    {
        return None;
    }
    let runs = model.events.iter().filter(|event| matches!(event.action, Action::Run { .. }));
    let step = runs.filter_map(|event| event.expr).find(|run| is_kept_step(context, *run))?;
    let verdict =
        Verdict { severity: Severity::Information, confidence: Confidence::Medium, growth: Growth::Peak };
    let message = text("cache-by-default-in-training", &[]);
    let mut finding = context.finding(&RULE, verdict, context.script.module.expr(step).span, message);
    finding.related.push(context.related(model.callee, text("cache-model-here", &[])));
    let behind = Behind::load(context, model);
    finding.fix = behind.map(|place| fix(place.added(context, &[without_cache(place.name)])));
    Some(finding)
}

fn fix(edit: Edit) -> Fix {
    let message = text("cache-turn-off", &[("option", USE_CACHE)]);
    Fix { applicability: Applicability::Safe, message, edits: vec![edit] }
}

/// Whether a forward pass is a step of a loop whose result, cache and all, a name holds until the next.
fn is_kept_step(context: &Context, run: ExprId) -> bool {
    let module = context.script.module;
    let around = enclosing(module, module.expr(run).span);
    let is_loop = |kind: &StmtKind| matches!(kind, StmtKind::For { .. } | StmtKind::While { .. });
    let in_loop = around.iter().any(|inside| is_loop(&module.stmt(inside.stmt).kind));
    let reads = context.script.reads_of(run);
    in_loop
        && reads.is_some_and(|reads| reads.is_named && reads.names.contains(LOSS) && reads.places.is_empty())
}

/// Whether a script decides on checkpointing for a model: where it is on, there is no cache.
fn checkpoints(model: &LibraryCall) -> bool {
    let decides =
        |event: &Event| event.action.method().and_then(object_method) == Some(ObjectEffect::Checkpoints);
    model.events.iter().any(decides)
}
