//! Training by a trainer of transformers or TRL.

use crate::estimate::EstimateKind;
use crate::estimates::desk::Desk;
use crate::estimates::notes::Notes;
use crate::estimates::runs::inputs::Inputs;
use crate::estimates::runs::uses::{Subject, Use};
use crate::estimates::runs::{optimizing, sharing};
use crate::knowledge::Role;
use crate::knowledge::checkpointing::{self, Default};
use crate::memory::step::{Optimizer, RunTask, Runner, Training};
use crate::memory::weights::Dtype;
use crate::python::library_call::{Known, LibraryCall};
use crate::texts::text;

/// Sequences of a micro-batch when nothing is said (`TrainingArguments` of transformers 5.24).
const USUAL_BATCH: u64 = 8;
/// Tokens that TRL 1.16 cuts sequences to when nothing is said (`SFTConfig.max_length`).
const USUAL_LENGTH: u64 = 1024;
/// The method of a data set that makes one of its items.
const MAKES_ITEM: &str = "__getitem__";

/// A training step of a trainer.
pub fn training<'a>(subject: Subject<'a>, trainer: &LibraryCall) -> Option<Use<'a>> {
    let Subject { model, desk, .. } = subject;
    let mut notes = Notes::new(desk.source);
    let options = options(trainer, desk);
    let set =
        |name: &str| options.and_then(|options| options.arguments.named(name)).map(|given| &given.value);
    let number = |name: &str| set(name).and_then(Known::count);
    let is_on = |name: &str| set(name).and_then(Known::bool);
    let place = options.map_or(trainer.span, |options| options.span);
    let batch = number("per_device_train_batch_size").unwrap_or_else(|| {
        notes.add("batch", USUAL_BATCH.to_string(), text("estimate-trainer-default", &[]), Some(place));
        USUAL_BATCH
    });
    let is_trl = trainer.path.starts_with("trl.");
    let length = number("max_length").or_else(|| number("max_seq_length")).or_else(|| length_of_items(desk));
    let length = length.or(is_trl.then_some(USUAL_LENGTH))?;
    let (trained, adapters) =
        optimizing::trained(model, desk, trainer.arguments.named("peft_config").map(|given| &given.value));
    let by_default = options.and_then(|options| checkpointing::default(&options.path)) == Some(Default::On);
    let training = Training {
        trained,
        adapters,
        optimizer: set("optim")
            .and_then(Known::text)
            .and_then(optimizing::optimizer)
            .unwrap_or(Optimizer::AdamWFused),
        accumulation: number("gradient_accumulation_steps").unwrap_or(1).max(1),
        checkpointing: is_on("gradient_checkpointing").unwrap_or(by_default),
        runner: Runner::Trainer,
    };
    let inputs = Inputs { batch, length, target: length, image: None, padded: false };
    let mut run = subject.run(inputs, RunTask::Train(training));
    // A trainer of transformers 5 keeps no cache unless it is asked to (`TrainingArguments.use_cache`).
    run.use_cache = is_on("use_cache") == Some(true);
    run.autocast = match (is_on("bf16"), is_on("fp16")) {
        (Some(true), _) => Some(Dtype::BFloat16),
        (_, Some(true)) => Some(Dtype::Float16),
        _ => None,
    };
    notes.written("length", length.to_string(), Some(place));
    let sharing = options.and_then(|options| sharing::of_options(options, run.autocast, desk, &mut notes));
    Some(Use { place: trainer.span, hover: trainer.callee, kind: EstimateKind::Train, run, sharing, notes })
}

/// The options that a trainer is given.
fn options<'a>(trainer: &LibraryCall, desk: Desk<'a>) -> Option<&'a LibraryCall> {
    match trainer.arguments.get("args", 1)?.value {
        Known::Made(index) => desk.calls.get(index).filter(|call| call.role == Role::TrainingOptions),
        _ => None,
    }
}

/// The length of the sequences that a data set of the script makes one by one.
fn length_of_items(desk: Desk) -> Option<u64> {
    let module = desk.module;
    let items = module.functions().filter(|(_, function)| module.name(function.name) == MAKES_ITEM);
    let within: Vec<_> = items.map(|(_, function)| function.span).collect();
    let made = desk.shapes.iter().filter(|(span, _)| within.iter().any(|item| item.contains(*span)));
    let lengths = made.filter_map(|(_, shape)| match &**shape {
        [length] => *length,
        _ => None,
    });
    lengths.max()
}
