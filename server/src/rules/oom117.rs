//! # gradient-checkpointing-opportunity (OOM117)
//!
//! ## What it finds
//! A model of transformers that is trained, by a `Trainer` or by a loop, without gradient checkpointing.
//!
//! ## Why it costs memory
//! Training keeps the activations of every layer until its backward. With checkpointing only the inputs of each
//! layer are kept, and the rest is computed again: most of that memory is saved for about a quarter more time.
//!
//! ## Example
//! ```python
//! from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B")
//! arguments = TrainingArguments("out", bf16=True)
//! trainer = Trainer(model=model, args=arguments, train_dataset=dataset)
//! trainer.train()
//! ```
//!
//! Use instead:
//! ```python
//! from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B")
//! arguments = TrainingArguments("out", bf16=True, gradient_checkpointing=True)
//! trainer = Trainer(model=model, args=arguments, train_dataset=dataset)
//! trainer.train()
//! ```
//!
//! ## What stays silent
//! Trainers of TRL and models of Unsloth, where it is on by default; scripts that turn it on, turn it off or
//! leave it to an option; FSDP and `DeepSpeed`, which have their own; prefix and prompt tuning; models with fewer than 100 million
//! parameters; models that are not surely trained, or that code elsewhere may prepare.
//!
//! ## The fix
//! Adds `gradient_checkpointing=True` to the options of the trainer, or `model.gradient_checkpointing_enable()`
//! behind the load, in the spelling of the installed version. Where the model returns a cache from every forward
//! pass, `model.config.use_cache = False` goes with it. A model with an adapter gets `"use_reentrant": False` as
//! well, unless transformers is 5 or later. Unsafe: each step takes longer.
//!
//! ## References
//! transformers 4.46 to 5.24, `training_args.py` and `modeling_utils.py`; Chen et al., "Training Deep Nets with
//! Sublinear Memory Cost", 2016.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Edit, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::knowledge::checkpointing::{self, Default};
use crate::knowledge::objects::{ObjectEffect, object_method};
use crate::python::library_call::{Action, Event, Known, LibraryCall};
use crate::rules::Rule;
use crate::rules::cache::{sets_cache, without_cache};
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::arguments;
use crate::rules::writing::behind::Behind;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM117",
    name: "gradient-checkpointing-opportunity",
    summary: "A transformer is trained with all of its activations kept",
    source: include_str!("oom117.rs"),
    check,
};

/// The activations of a model with fewer parameters are seldom what fills a card.
const SMALL: u64 = 100_000_000;

fn check(context: &Context) -> Vec<Finding> {
    let calls = &context.script.calls;
    let trainers = calls.iter().filter(|call| call.role == Role::Trainer);
    let by_trainer = trainers.filter_map(|trainer| by_trainer(context, trainer));
    let models = calls.iter().filter(|call| call.role == Role::Model && call.trained);
    let by_loop = models.filter_map(|model| by_loop(context, model));
    worst_of_each_place(by_trainer.chain(by_loop).collect())
}

fn finding(context: &Context, span: Span, fix: Option<Fix>) -> Finding {
    let verdict = Verdict { severity: Severity::Hint, confidence: Confidence::Medium, growth: Growth::Peak };
    let mut finding = context.sure_finding(&RULE, verdict, span, text("checkpointing-opportunity", &[]));
    finding.fix = fix;
    finding
}

/// A model that a trainer trains, told at the trainer's options.
fn by_trainer(context: &Context, trainer: &LibraryCall) -> Option<Finding> {
    let trains = |event: &Event| effect(event) == Some(ObjectEffect::Trains);
    if checkpointing::default(&trainer.path) != Some(Default::Off) || !trainer.events.iter().any(trains) {
        return None;
    }
    let made = |name: &str, place: usize| match trainer.arguments.get(name, place)?.value {
        Known::Made(index) => context.script.calls.get(index),
        _ => None,
    };
    let model = made("model", 0).filter(|call| call.role == Role::Model)?;
    let options = made("args", 1).filter(|call| call.role == Role::TrainingOptions)?;
    if is_decided(context, model) || is_decided(context, options) || options.arguments.open {
        return None;
    }
    let option = format!("{}=True", checkpointing::option(&context.surroundings.versions)?);
    let added: Vec<&str> = [option.as_str()].into_iter().chain(without_reentry(context, model)).collect();
    let fix = arguments::added(context, options.expr, &added).map(|edits| unsafe_fix(&option, edits));
    let mut finding = finding(context, options.span, fix);
    finding.related.push(context.related(model.callee, text("checkpointing-model-here", &[])));
    finding.related.push(context.related(trainer.callee, text("checkpointing-trained-here", &[])));
    Some(finding)
}

/// A model that a loop trains, told where it is loaded.
fn by_loop(context: &Context, model: &LibraryCall) -> Option<Finding> {
    let to_trainer = |event: &Event| match event.action {
        Action::GivenTo(index) => {
            context.script.calls.get(index).is_some_and(|call| call.role == Role::Trainer)
        }
        _ => false,
    };
    if is_decided(context, model) || model.leaves || model.events.iter().any(to_trainer) {
        return None;
    }
    Some(finding(context, model.span, enabling(context, model)))
}

fn effect(event: &Event) -> Option<ObjectEffect> {
    object_method(event.action.method()?)
}

/// Whether a script, or the library, decides on it for a model or for the options of a trainer.
fn is_decided(context: &Context, call: &LibraryCall) -> bool {
    let names = call.arguments.named.iter();
    let by_event = |event: &Event| match &event.action {
        Action::Called { .. } => effect(event) == Some(ObjectEffect::Checkpoints),
        Action::Set { attribute, .. } => checkpointing::decides(attribute),
        Action::GivenTo(index) => {
            let taker = context.script.calls.get(*index);
            taker.is_some_and(|taker| checkpointing::default(&taker.path) == Some(Default::On))
        }
        Action::Run { .. } | Action::CopiedInto { .. } | Action::Released { .. } => false,
    };
    checkpointing::default(&call.path) != Some(Default::Off)
        || names.into_iter().any(|(name, given)| checkpointing::decides(name) && given.value != Known::None)
        || call.events.iter().any(by_event)
        || is_small(context, call)
        || learns_prompts(context, call)
}

/// Whether a model is known to be small.
fn is_small(context: &Context, call: &LibraryCall) -> bool {
    let parameters = context.parameters_of(call);
    parameters.is_some_and(|parameters| parameters < SMALL)
}

fn unsafe_fix(what: &str, edits: Vec<Edit>) -> Fix {
    let message = text("checkpointing-add", &[("what", what)]);
    Fix { applicability: Applicability::Unsafe, message, edits }
}

/// Turns it on behind the statement that loads a model.
fn enabling(context: &Context, model: &LibraryCall) -> Option<Fix> {
    let place = Behind::load(context, model)?;
    let method = checkpointing::method(&context.surroundings.versions)?;
    let enable = format!("{}.{method}({})", place.name, without_reentry(context, model).unwrap_or_default());
    let mut added = vec![enable.clone()];
    if checkpointing::returns_cache(&model.path)
        && !sets_cache(model)
        && adapters(context, model).next().is_none()
    {
        added.push(without_cache(place.name));
    }
    Some(unsafe_fix(&enable, vec![place.added(context, &added)]))
}

/// What must be said with it for this model.
fn without_reentry(context: &Context, model: &LibraryCall) -> Option<&'static str> {
    let adapted = adapters(context, model).next().is_some();
    adapted.then(|| checkpointing::without_reentry(&context.surroundings.versions)).flatten()
}

/// The calls that give a model an adapter.
fn adapters<'a>(context: &'a Context<'_>, model: &'a LibraryCall) -> impl Iterator<Item = &'a LibraryCall> {
    let calls = &context.script.calls;
    let takers = model.events.iter().filter_map(|event| match event.action {
        Action::GivenTo(index) => calls.get(index),
        _ => None,
    });
    takers.filter(|taker| taker.role == Role::Adapter)
}

/// Whether a model learns what stands before its prompts, which does not go with checkpointing.
fn learns_prompts(context: &Context, model: &LibraryCall) -> bool {
    let is_prompt_learning = |value: &Known| match value {
        Known::Made(index) => {
            context.script.calls.get(*index).is_some_and(|call| call.role == Role::PromptLearning)
        }
        _ => false,
    };
    adapters(context, model).any(|adapter| {
        let named = adapter.arguments.named.iter().map(|(_, given)| given);
        let mut given = adapter.arguments.positional.iter().chain(named);
        given.any(|given| given.value.alternatives().into_iter().any(is_prompt_learning))
    })
}
