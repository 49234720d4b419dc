//! # optimizer-states-of-large-model (OOM110)
//!
//! ## What it finds
//! Adam over all parameters of a model that is known to have a billion or more.
//!
//! ## Why it costs memory
//! Adam keeps two more values for each parameter, in the parameter's own precision: for weights in float32, 8 bytes a
//! parameter beside 4 for the weight and 4 for its gradient. They are made in the first `optimizer.step()`, so that a
//! first forward and backward that fit say nothing. An 8-bit optimizer keeps about 2 bytes, a paged one
//! moves them to host memory when it must, and an adapter trains a hundredth of the parameters.
//!
//! ## Example
//! ```python
//! from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B")
//! arguments = TrainingArguments("out", bf16=True, gradient_checkpointing=True)
//! trainer = Trainer(model=model, args=arguments, train_dataset=dataset)
//! trainer.train()
//! ```
//!
//! Use instead:
//! ```python
//! from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B")
//! arguments = TrainingArguments("out", bf16=True, gradient_checkpointing=True, optim="paged_adamw_8bit")
//! trainer = Trainer(model=model, args=arguments, train_dataset=dataset)
//! trainer.train()
//! ```
//!
//! ## What stays silent
//! Smaller models and those whose size is not known; adapters, quantized models and scripts that freeze parameters;
//! FSDP and `DeepSpeed`, which spread the states over GPUs; an optimizer that an option chooses.
//!
//! ## The fix
//! For a `Trainer`: `optim="paged_adamw_8bit"`, which needs bitsandbytes. Unsafe: the states are rounded. In a loop,
//! `bitsandbytes.optim.PagedAdamW8bit` takes the same arguments.
//!
//! ## References
//! PyTorch documentation, `torch.optim.AdamW`; transformers 5.24.0, `training_args.py`; Dettmers et al., "8-bit
//! Optimizers via Block-wise Quantization", 2022.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::knowledge::objects::{ObjectEffect, object_method};
use crate::knowledge::optimizers::{is_adam, spreads};
use crate::memory::Bytes;
use crate::python::library_call::{Action, Arguments, Event, Known, LibraryCall};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::arguments;
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM110",
    name: "optimizer-states-of-large-model",
    summary: "Adam keeps two more values for each parameter of a large model",
    source: include_str!("oom110.rs"),
    check,
};

/// From this many parameters on the states are what fills a card.
const LARGE: u64 = 1_000_000_000;
/// Two values of four bytes.
const STATE_BYTES: u64 = 8;
/// The option of a trainer that chooses its optimizer.
const OPTION: &str = "optim";
/// An optimizer with small states, which moves them to host memory when it must.
const SMALL_STATES: &str = "\"paged_adamw_8bit\"";
/// What decides which parameters are trained.
const TAKES_GRADIENTS: [&str; 2] = ["requires_grad", "requires_grad_"];

fn check(context: &Context) -> Vec<Finding> {
    if TAKES_GRADIENTS.iter().any(|name| context.script.reads_attribute(name)) {
        return Vec::new();
    }
    let calls = &context.script.calls;
    let trainers = calls.iter().filter(|call| call.role == Role::Trainer);
    let by_trainer = trainers.filter_map(|trainer| by_trainer(context, trainer));
    let optimizers = calls.iter().filter(|call| call.role == Role::AdamOptimizer);
    let by_loop = optimizers.filter_map(|optimizer| by_loop(context, optimizer));
    worst_of_each_place(by_trainer.chain(by_loop).collect())
}

fn finding(context: &Context, span: Span, model: &LibraryCall, parameters: u64) -> Finding {
    let verdict =
        Verdict { severity: Severity::Hint, confidence: Confidence::Medium, growth: Growth::Static };
    let bytes = Bytes(parameters.saturating_mul(STATE_BYTES)).to_string();
    let mut finding =
        context.sure_finding(&RULE, verdict, span, text("optimizer-states", &[("bytes", &bytes)]));
    finding.related.push(context.related(model.callee, text("optimizer-model-here", &[])));
    finding
}

/// A trainer with Adam, told at its options.
fn by_trainer(context: &Context, trainer: &LibraryCall) -> Option<Finding> {
    let trains = |event: &Event| event.action.method().and_then(object_method) == Some(ObjectEffect::Trains);
    let made = |name: &str, place: usize| match trainer.arguments.get(name, place)?.value {
        Known::Made(index) => context.script.calls.get(index),
        _ => None,
    };
    let model = made("model", 0)?;
    let options = made("args", 1).filter(|call| call.role == Role::TrainingOptions)?;
    let is_open =
        trainer.arguments.open || options.arguments.open || trainer.arguments.named("optimizers").is_some();
    if is_open
        || !trainer.events.iter().any(trains)
        || is_spread(&trainer.arguments)
        || is_spread(&options.arguments)
    {
        return None;
    }
    let parameters = trained_parameters(context, model)?;
    let chosen = options.arguments.named(OPTION);
    if chosen.is_some_and(|given| given.value.text().is_none_or(|name| !is_adam(name))) {
        return None;
    }
    let written = chosen.and_then(|given| given.span);
    let mut finding = finding(context, written.unwrap_or(options.span), model, parameters);
    let edits = match written {
        Some(span) => Some(vec![replacement(context, span, SMALL_STATES)]),
        None => arguments::added(context, options.expr, &[&format!("{OPTION}={SMALL_STATES}")]),
    };
    let message = text("optimizer-small-states", &[]);
    finding.fix = edits.map(|edits| Fix { applicability: Applicability::Unsafe, message, edits });
    Some(finding)
}

/// An optimizer that is given all parameters of a model.
fn by_loop(context: &Context, optimizer: &LibraryCall) -> Option<Finding> {
    let given = optimizer.arguments.get("params", 0)?;
    let Known::ParametersOf(index) = given.value else { return None };
    let model = context.script.calls.get(index).filter(|model| model.trained)?;
    let parameters = trained_parameters(context, model)?;
    Some(finding(context, optimizer.span, model, parameters))
}

/// How many parameters of a large model are trained on each GPU; `None` when it is not known to be so many.
fn trained_parameters(context: &Context, model: &LibraryCall) -> Option<u64> {
    let to_other = |event: &Event| match event.action {
        Action::GivenTo(index) => {
            let taker = context.script.calls.get(index).map(|taker| taker.role);
            !matches!(taker, Some(Role::Trainer | Role::AdamOptimizer))
        }
        _ => false,
    };
    let is_whole = model.role == Role::Model
        && !model.leaves
        && !is_spread(&model.arguments)
        && !model.events.iter().any(to_other);
    context.parameters_of(model).filter(|parameters| is_whole && *parameters >= LARGE)
}

/// Whether an option leaves one GPU few states to keep.
fn is_spread(given: &Arguments) -> bool {
    let is_off = |value: &Known| matches!(value, Known::None | Known::Bool(false));
    given.named.iter().any(|(name, given)| spreads(name) && !is_off(&given.value))
}
