//! # reentrant-checkpointing-of-adapter (OOM118)
//!
//! ## What it finds
//! A `Trainer` of transformers that trains an adapter with reentrant gradient checkpointing, where no input of a layer takes
//! gradients.
//!
//! ## Why it costs memory
//! Reentrant checkpointing only computes gradients where an input of the checkpointed layers asks for them. Behind the
//! frozen embeddings of an adapted model none does: the backward fails, or the adapter gets no gradients. What then helps at
//! once, training without checkpointing or with all parameters, is what runs out of memory. The other kind of
//! checkpointing saves as much and does not care.
//!
//! ## Example
//! ```python
//! from peft import LoraConfig, get_peft_model
//! from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
//!
//! model = get_peft_model(AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B"), LoraConfig())
//! arguments = TrainingArguments("out", gradient_checkpointing=True, gradient_checkpointing_kwargs={"use_reentrant": True})
//! trainer = Trainer(model=model, args=arguments, train_dataset=dataset)
//! trainer.train()
//! ```
//!
//! Use instead:
//! ```python
//! from peft import LoraConfig, get_peft_model
//! from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
//!
//! model = get_peft_model(AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B"), LoraConfig())
//! arguments = TrainingArguments("out", gradient_checkpointing=True, gradient_checkpointing_kwargs={"use_reentrant": False})
//! trainer = Trainer(model=model, args=arguments, train_dataset=dataset)
//! trainer.train()
//! ```
//!
//! ## What stays silent
//! transformers 5.0 and later, which lets the inputs take gradients by itself; a script that calls
//! `enable_input_require_grads()`, prepares the model for k-bit training, or turns checkpointing on before the
//! adapter, where PEFT does it; trainers of TRL, which do it, too. Where the version of transformers is not known it is
//! information, and only for `use_reentrant=True`; up to 4.57 that is the default.
//!
//! ## The fix
//! Writes `"use_reentrant": False`. Unsafe: a custom layer may count on the other kind.
//!
//! ## References
//! transformers 4.46.3, 5.0.0 and 5.24.0, `modeling_utils.py`; peft 0.21.2, `peft_model.py`; PyTorch documentation,
//! `torch.utils.checkpoint`.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Edit, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::knowledge::checkpointing::{self, Default};
use crate::python::library_call::{Known, LibraryCall};
use crate::python::syntax::{Constant, ExprKind};
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::arguments;
use crate::rules::writing::removal::replacement;
use crate::rules::{Rule, adapters};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM118",
    name: "reentrant-checkpointing-of-adapter",
    summary: "An adapter is checkpointed in the way that gives it no gradients",
    source: include_str!("oom118.rs"),
    check,
};

/// The option of the trainer that turns checkpointing on.
const CHECKPOINTING: &str = "gradient_checkpointing";
/// Its options.
const OPTIONS: &str = "gradient_checkpointing_kwargs";
/// The one that chooses the kind.
const REENTRANT: &str = "use_reentrant";

fn check(context: &Context) -> Vec<Finding> {
    let trainers = context.script.calls.iter().filter(|call| call.role == Role::Trainer);
    worst_of_each_place(trainers.filter_map(|trainer| finding(context, trainer)).collect())
}

fn finding(context: &Context, trainer: &LibraryCall) -> Option<Finding> {
    // Trainers that turn it on by themselves see to the inputs.
    if checkpointing::default(&trainer.path) != Some(Default::Off) {
        return None;
    }
    let model = made(context, trainer, "model", 0).filter(|call| call.role == Role::Model)?;
    let adapter = adapter(context, model)?;
    let options = made(context, trainer, "args", 1).filter(|call| call.role == Role::TrainingOptions)?;
    let is_on = options.arguments.named(CHECKPOINTING).is_some_and(|given| given.value == Known::Bool(true));
    if !is_on || options.arguments.open || has_open_inputs(model) {
        return None;
    }
    let (severity, span, edits) =
        match (reentrant(options), checkpointing::reenters(&context.surroundings.versions)) {
            (_, Some(false)) | (Kind::Other, _) | (Kind::Default, None) => return None,
            (Kind::Reentrant(span), known) => {
                let severity = if known.is_some() { Severity::Warning } else { Severity::Information };
                (severity, span, switched(context, span))
            }
            (Kind::Default, Some(true)) => {
                let added = checkpointing::without_reentry(&context.surroundings.versions)?;
                (Severity::Warning, options.span, arguments::added(context, options.expr, &[added]))
            }
        };
    let verdict = Verdict { severity, confidence: Confidence::Medium, growth: Growth::None };
    let version = context.installed("transformers", "transformers");
    let mut finding =
        context.sure_finding(&RULE, verdict, span, text("reentrant-adapter", &[("library", &version)]));
    finding.related.push(context.related(adapter.callee, text("reentrant-adapter-here", &[])));
    let message = text("reentrant-off", &[]);
    finding.fix = edits.map(|edits| Fix { applicability: Applicability::Unsafe, message, edits });
    Some(finding)
}

/// What a trainer is given.
fn made<'a>(
    context: &Context<'a>,
    trainer: &LibraryCall,
    name: &str,
    place: usize,
) -> Option<&'a LibraryCall> {
    match trainer.arguments.get(name, place)?.value {
        Known::Made(index) => context.script.calls.get(index),
        _ => None,
    }
}

/// The kind of checkpointing that a trainer's options choose.
enum Kind {
    /// The library's default.
    Default,
    /// The reentrant one, where its options are written.
    Reentrant(Span),
    /// The other one, or one that is not known.
    Other,
}

fn reentrant(options: &LibraryCall) -> Kind {
    let Some(given) = options.arguments.named(OPTIONS) else { return Kind::Default };
    let Known::Table(entries) = &given.value else { return Kind::Other };
    let chosen = entries.iter().find(|(name, _)| &**name == REENTRANT);
    match (chosen, given.span) {
        (Some((_, Known::Bool(true))), Some(span)) => Kind::Reentrant(span),
        _ => Kind::Other,
    }
}

/// The adapter that is put on a model; `None` when a call that prepares the model's inputs takes it, too.
fn adapter<'a>(context: &'a Context, model: &LibraryCall) -> Option<&'a LibraryCall> {
    let adapters = adapters::adapters(context, model);
    if adapters.iter().any(|taker| adapters::prepares(taker)) { None } else { adapters.first().copied() }
}

/// Whether something lets gradients reach the inputs of a model's layers, or may.
fn has_open_inputs(model: &LibraryCall) -> bool {
    model.leaves || adapters::opened_at(model).is_some()
}

/// The edit that chooses the other kind, where the choice is written in a range.
fn switched(context: &Context, range: Span) -> Option<Vec<Edit>> {
    let module = context.script.module;
    let is_option =
        |expr: &ExprKind| matches!(expr, ExprKind::Constant(Constant::Text(name)) if name == REENTRANT);
    let dicts = module.exprs().filter(|(_, expr)| range.contains(expr.span));
    let value = dicts.into_iter().find_map(|(_, expr)| match &expr.kind {
        ExprKind::Dict(entries) => {
            entries.iter().find(|(key, _)| key.is_some_and(|key| is_option(&module.expr(key).kind)))
        }
        _ => None,
    });
    let value = module.expr(value?.1);
    let is_true = matches!(value.kind, ExprKind::Constant(Constant::Bool(true)));
    is_true.then(|| vec![replacement(context, value.span, "False")])
}
