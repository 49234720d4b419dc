//! # evaluation-keeps-logits (OOM601)
//!
//! ## What it finds
//! A `Trainer` of transformers with `compute_metrics` whose model has large outputs, logits for every token or pixel,
//! and nothing that makes them smaller or takes them off the GPU while it evaluates. So is any model that was loaded with
//! `output_hidden_states=True` or `output_attentions=True`: the trainer keeps all that the model returns.
//!
//! ## Why it costs memory
//! For `compute_metrics` the trainer keeps the logits of the whole evaluation set, on the GPU, and joins them batch by
//! batch, which needs both copies for a moment. A language model has one number for each word of its vocabulary and
//! each token: 1,000 texts of 256 tokens with 32,000 words take 30 GiB.
//!
//! ## Example
//! ```python
//! from transformers import AutoModelForMaskedLM, Trainer, TrainingArguments
//!
//! model = AutoModelForMaskedLM.from_pretrained("almanach/camembert-base")
//! args = TrainingArguments("out", eval_strategy="epoch", gradient_checkpointing=True)
//! trainer = Trainer(model, args, train_dataset=train, eval_dataset=test, compute_metrics=accuracy)
//! trainer.train()
//! ```
//!
//! Use instead:
//! ```python
//! from transformers import AutoModelForMaskedLM, Trainer, TrainingArguments
//!
//! model = AutoModelForMaskedLM.from_pretrained("almanach/camembert-base")
//! args = TrainingArguments("out", eval_strategy="epoch", gradient_checkpointing=True, eval_accumulation_steps=8)
//! trainer = Trainer(model, args, train_dataset=train, eval_dataset=test, compute_metrics=accuracy)
//! trainer.train()
//! ```
//!
//! ## What stays silent
//! Trainers with `preprocess_logits_for_metrics`, and options with `eval_accumulation_steps`, `batch_eval_metrics`,
//! `prediction_loss_only` or `predict_with_generate`; classifiers, whose logits are a few numbers; trainers without
//! `compute_metrics`, which keep the loss alone; options that come from elsewhere. A model whose class is not known is
//! information.
//!
//! ## The fix
//! Adds `eval_accumulation_steps=8` to the options: every eight batches the logits go to host memory, which then has
//! to hold them. Unsafe, because evaluation gets slower. Where `compute_metrics` only looks at the most likely words,
//! `preprocess_logits_for_metrics=lambda logits, labels: logits.argmax(-1)` is better: it keeps those alone.
//!
//! ## References
//! transformers 5.24.0, `trainer.py`, `Trainer.evaluation_loop`, and `trainer_pt_utils.py`, `EvalLoopContainer`;
//! transformers issue 8476.

use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::knowledge::Role;
use crate::knowledge::fields::Extra;
use crate::knowledge::outputs::{OutputSize, output_size};
use crate::python::library_call::{Known, LibraryCall};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::fields::asked;
use crate::rules::writing::arguments;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM601",
    name: "evaluation-keeps-logits",
    summary: "A trainer keeps the logits of the whole evaluation set on the GPU",
    source: include_str!("oom601.rs"),
    check,
};

/// What a trainer is given that needs the logits.
const METRICS: &str = "compute_metrics";
/// What makes the logits smaller before they are kept.
const REDUCTION: &str = "preprocess_logits_for_metrics";
/// Options under which the logits are not kept on the GPU.
const OPTIONS: [&str; 4] =
    ["eval_accumulation_steps", "batch_eval_metrics", "prediction_loss_only", "predict_with_generate"];
/// The option that the fix adds.
const ADDED: &str = "eval_accumulation_steps=8";

fn check(context: &Context) -> Vec<Finding> {
    let trainers = context.script.calls.iter().filter(|call| call.role == Role::Trainer);
    worst_of_each_place(trainers.filter_map(|trainer| finding(context, trainer)).collect())
}

fn finding(context: &Context, trainer: &LibraryCall) -> Option<Finding> {
    let is_given = |name: &str| trainer.arguments.named(name).is_some_and(|given| given.value != Known::None);
    if !is_given(METRICS) || is_given(REDUCTION) || trainer.arguments.open {
        return None;
    }
    let options = made(context, trainer, ("args", 1)).filter(|call| call.role == Role::TrainingOptions)?;
    let is_set = |name: &str| {
        let given = options.arguments.named(name);
        given.is_some_and(|given| !matches!(given.value, Known::None | Known::Bool(false)))
    };
    if options.arguments.open || OPTIONS.into_iter().any(is_set) {
        return None;
    }
    let (verdict, key) = verdict(context, trainer)?;
    let place = trainer.arguments.named(METRICS).and_then(|given| given.span).unwrap_or(trainer.span);
    let mut finding = context.sure_finding(&RULE, verdict, place, text(key, &[]));
    finding.related.push(context.related(options.callee, text("evaluation-options-here", &[])));
    finding.fix = arguments::added(context, options.expr, &[ADDED]).map(|edits| Fix {
        applicability: Applicability::Unsafe,
        message: text("evaluation-to-host", &[("option", ADDED)]),
        edits,
    });
    Some(finding)
}

/// How bad it is, and the text that says what is kept.
fn verdict(context: &Context, trainer: &LibraryCall) -> Option<(Verdict, &'static str)> {
    let model = made(context, trainer, ("model", 0)).filter(|call| call.role == Role::Model);
    let class = model.and_then(|call| {
        let path = call.path.strip_suffix(".from_pretrained").unwrap_or(&call.path);
        path.rsplit('.').next()
    });
    let logits = "evaluation-keeps-logits";
    let (severity, confidence, key) = match class.map(output_size) {
        _ if model.is_some_and(returns_layers) => {
            (Severity::Error, Confidence::High, "evaluation-keeps-layers")
        }
        Some(Some(OutputSize::Vocabulary | OutputSize::Pixels)) => {
            (Severity::Error, Confidence::High, logits)
        }
        Some(_) => return None,
        None => (Severity::Information, Confidence::Low, logits),
    };
    Some((Verdict { severity, confidence, growth: Growth::Tensors }, key))
}

/// Whether a model returns a tensor of every layer with each forward pass.
fn returns_layers(model: &LibraryCall) -> bool {
    asked(Role::ModelRun, &model.arguments).iter().any(|option| option.filling.extra != Extra::Cache)
}

/// The call that made an argument.
fn made<'a>(context: &'a Context, trainer: &LibraryCall, argument: (&str, usize)) -> Option<&'a LibraryCall> {
    match trainer.arguments.get(argument.0, argument.1)?.value {
        Known::Made(index) => context.script.calls.get(index),
        _ => None,
    }
}
