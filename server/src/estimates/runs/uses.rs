//! The runs of one model, told from what is done to it.

use vramlens_grammars::Span;

use crate::estimate::EstimateKind;
use crate::estimates::desk::Desk;
use crate::estimates::notes::Notes;
use crate::estimates::plan::Piece;
use crate::estimates::runs::inputs::{self, Inputs};
use crate::estimates::runs::{Standing, loops, trainers};
use crate::knowledge::Role;
use crate::memory::replay::{AttentionKernel, Quantized};
use crate::memory::step::{Generation, Run, RunTask};
use crate::memory::weights::{Dtype, Precision};
use crate::python::library_call::{Action, Arguments, Event, LibraryCall};

/// Something that a script does with a model.
#[derive(Clone, Debug)]
pub struct Use<'a> {
    /// The call.
    pub place: Span,
    /// Where a hover shows it.
    pub hover: Vec<Span>,
    /// What it is.
    pub kind: EstimateKind,
    /// The same in numbers.
    pub run: Run,
    /// What the numbers rest on.
    pub notes: Notes<'a>,
}

/// How the weights of a model are held.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// The type of those that are not quantized.
    pub dtype: Dtype,
    /// How the others are.
    pub quantized: Option<Quantized>,
}

impl Held {
    fn of(piece: &Piece) -> Self {
        match piece.precision {
            Precision::Plain(dtype) => Self { dtype, quantized: None },
            Precision::Quantized { quantization, rest } => {
                Self { dtype: rest, quantized: Some(Quantized { how: quantization, compute: rest }) }
            }
        }
    }
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
    let held = Held::of(piece);
    let Some(model) = desk.calls.get(index) else { return Vec::new() };
    let of_event = |event: &Event| match &event.action {
        Action::Called { method, arguments } if &**method == GENERATES => {
            generation(model, desk, held, event, arguments)
        }
        Action::Run { arguments } if model.trained => loops::training(model, desk, held, event, arguments),
        Action::Run { arguments } => forward(model, desk, held, event, arguments),
        Action::GivenTo(taker) if desk.calls.get(*taker).is_some_and(|call| call.role == Role::Trainer) => {
            trainers::training(model, desk, held, *taker)
        }
        _ => None,
    };
    model.events.iter().filter(|event| event.part.is_empty()).filter_map(of_event).collect()
}

/// A run of these inputs, as far as the load and the configuration of a model decide it.
pub fn run(model: &LibraryCall, held: Held, inputs: Inputs, task: RunTask) -> Run {
    let is_eager = model.arguments.named(KERNEL).is_some_and(|given| given.value.text() == Some(EAGER));
    let is_off = |event: &Event| match &event.action {
        Action::Set { attribute, value } => &**attribute == CACHES && value.bool() == Some(false),
        _ => false,
    };
    Run {
        task,
        dtype: held.dtype,
        quantized: held.quantized,
        autocast: None,
        batch: inputs.batch,
        length: inputs.length,
        target: inputs.target,
        image: inputs.image,
        kernel: if is_eager { AttentionKernel::Eager } else { AttentionKernel::Sdpa },
        padded: inputs.padded,
        use_cache: !model.events.iter().any(is_off),
    }
}

fn standing(event: &Event, kind: EstimateKind) -> Standing {
    Standing { place: event.span, hover: vec![event.span], kind }
}

/// What a run is, where it stands.
pub fn used(standing: Standing, run: Run, notes: Notes<'_>) -> Use<'_> {
    Use { place: standing.place, hover: standing.hover, kind: standing.kind, run, notes }
}

fn forward<'a>(
    model: &LibraryCall,
    desk: Desk<'a>,
    held: Held,
    event: &Event,
    arguments: &Arguments,
) -> Option<Use<'a>> {
    let inputs = inputs::given(arguments)?;
    let run = run(model, held, inputs, RunTask::Forward);
    Some(used(standing(event, EstimateKind::Forward), run, Notes::new(desk.source)))
}

/// Tokens that are generated when nothing is said (`GenerationConfig.max_length` of transformers 5.24, with the prompt).
const USUAL_NEW: u64 = 20;

fn generation<'a>(
    model: &LibraryCall,
    desk: Desk<'a>,
    held: Held,
    event: &Event,
    arguments: &Arguments,
) -> Option<Use<'a>> {
    let inputs = inputs::given(arguments)?;
    let number = |name: &str| {
        arguments.named(name).and_then(|given| given.value.int()).and_then(|value| u64::try_from(value).ok())
    };
    let until = number("max_length").map(|most| most.saturating_sub(inputs.length));
    let new = number("max_new_tokens").or(until).unwrap_or(USUAL_NEW);
    let room =
        arguments.named("cache_implementation").is_some_and(|given| given.value.text() == Some("static"));
    let beams = number("num_beams").unwrap_or(1).max(1);
    let generation = Generation { new, room, beams, all_scores: false };
    let run = run(model, held, inputs, RunTask::Generate(generation));
    let mut notes = Notes::new(desk.source);
    notes.written("new tokens", new.to_string(), Some(event.span));
    Some(used(standing(event, EstimateKind::Generate), run, notes))
}

/// Where a script calls what runs in training.
pub fn training_standing(place: Span, hover: Span) -> Standing {
    Standing { place, hover: vec![hover], kind: EstimateKind::Train }
}
