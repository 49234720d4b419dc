//! The runs of one model, told from what is done to it.

use vramlens_grammars::Span;

use crate::estimate::EstimateKind;
use crate::estimates::desk::Desk;
use crate::estimates::notes::Notes;
use crate::estimates::plan::Piece;
use crate::estimates::runs::inputs::{self, Inputs};
use crate::estimates::runs::sharing::Method;
use crate::estimates::runs::{loops, trainers};
use crate::knowledge::Role;
use crate::memory::replay::{AttentionKernel, Quantized};
use crate::memory::step::{Generation, Run, RunTask};
use crate::memory::weights::Precision;
use crate::python::library_call::{Action, Arguments, Event, LibraryCall};

/// Something that a script does with a model.
#[derive(Clone, Debug)]
pub struct Use<'a> {
    /// The call.
    pub place: Span,
    /// Where a hover shows it.
    pub hover: Span,
    /// What it is.
    pub kind: EstimateKind,
    /// The same in numbers.
    pub run: Run,
    /// How it is shared among GPUs, where it is.
    pub sharing: Option<Method>,
    /// What the numbers rest on.
    pub notes: Notes<'a>,
}

/// A model that a script does something with.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The call that loads it.
    pub model: &'a LibraryCall,
    /// The place of that call among the calls of the script.
    pub index: usize,
    /// The script.
    pub desk: Desk<'a>,
    /// How its weights are held.
    pub precision: Precision,
}

/// The method that generates text.
const GENERATES: &str = "generate";
/// The option of a load that chooses who computes attention, and its name for attention that is written out.
const KERNEL: &str = "attn_implementation";
const EAGER: &str = "eager";
/// The setting of a model's configuration that decides whether keys and values are kept.
const CACHES: &str = "use_cache";

/// What the script does with the model that a call loads, as far as the text says how much at once.
pub fn uses<'a>(index: usize, desk: Desk<'a>, piece: &Piece) -> Vec<Use<'a>> {
    let Some(model) = desk.calls.get(index) else { return Vec::new() };
    let subject = Subject { model, index, desk, precision: piece.precision };
    let of_event = |event: &Event| match &event.action {
        Action::Called { method, arguments } if &**method == GENERATES => {
            subject.generation(event.span, arguments)
        }
        Action::Run { arguments } if model.trained => loops::training(subject, event.span, arguments),
        Action::Run { arguments } => subject.forward(event.span, arguments),
        Action::GivenTo(taker) => {
            let trainer = desk.calls.get(*taker).filter(|call| call.role == Role::Trainer)?;
            trainers::training(subject, trainer)
        }
        _ => None,
    };
    model.events.iter().filter(|event| event.part.is_empty()).filter_map(of_event).collect()
}

/// Tokens that are generated when nothing is said (`GenerationConfig.max_length` of transformers 5.24, with the prompt).
const USUAL_NEW: u64 = 20;

impl<'a> Subject<'a> {
    /// A run of these inputs, as far as the load and the configuration of the model decide it.
    pub fn run(self, inputs: Inputs, task: RunTask) -> Run {
        let given = |name: &str| self.model.arguments.named(name).and_then(|given| given.value.text());
        let is_off = |event: &Event| match &event.action {
            Action::Set { attribute, value } => &**attribute == CACHES && value.bool() == Some(false),
            _ => false,
        };
        let (dtype, quantized) = match self.precision {
            Precision::Plain(dtype) => (dtype, None),
            Precision::Quantized { quantization, rest } => {
                (rest, Some(Quantized { how: quantization, compute: rest }))
            }
        };
        Run {
            task,
            dtype,
            quantized,
            autocast: None,
            batch: inputs.batch,
            length: inputs.length,
            target: inputs.target,
            image: inputs.image,
            kernel: if given(KERNEL) == Some(EAGER) { AttentionKernel::Eager } else { AttentionKernel::Sdpa },
            padded: inputs.padded,
            use_cache: !self.model.events.iter().any(is_off),
        }
    }

    fn forward(self, place: Span, arguments: &Arguments) -> Option<Use<'a>> {
        let run = self.run(inputs::given(arguments)?, RunTask::Forward);
        Some(Use {
            place,
            hover: place,
            kind: EstimateKind::Forward,
            run,
            sharing: None,
            notes: Notes::new(self.desk.source),
        })
    }

    fn generation(self, place: Span, arguments: &Arguments) -> Option<Use<'a>> {
        let inputs = inputs::given(arguments)?;
        let number = |name: &str| arguments.named(name).and_then(|given| given.value.count());
        let until = number("max_length").map(|most| most.saturating_sub(inputs.length));
        let new = number("max_new_tokens").or(until).unwrap_or(USUAL_NEW);
        let room =
            arguments.named("cache_implementation").is_some_and(|given| given.value.text() == Some("static"));
        let beams = number("num_beams").unwrap_or(1).max(1);
        let run = self.run(inputs, RunTask::Generate(Generation { new, room, beams, all_scores: false }));
        let mut notes = Notes::new(self.desk.source);
        notes.written("new tokens", new.to_string(), Some(place));
        Some(Use { place, hover: place, kind: EstimateKind::Generate, run, sharing: None, notes })
    }
}
