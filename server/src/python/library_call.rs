//! Calls of libraries that matter to memory, with what they are given and what is done to what they make.

use std::rc::Rc;

use vramlens_grammars::Span;

use crate::knowledge::Role;
use crate::python::holding::{Holder, Life};
use crate::python::script::LoopFacts;
pub use crate::python::state::GradMode;
use crate::python::syntax::{ExprId, FunctionId, StmtId};

/// A call that a table of the knowledge names: a model that is loaded, a configuration, a trainer.
#[derive(Clone, Debug)]
pub struct LibraryCall {
    /// What the call is for.
    pub role: Role,
    /// What is called, as its canonical path: `transformers.AutoModel.from_pretrained`. Of a method that is known by
    /// its name alone, that name; of a thing that is called itself, nothing.
    pub path: Rc<str>,
    /// The call.
    pub expr: ExprId,
    /// Its bytes.
    pub span: Span,
    /// The bytes of what is called, without the arguments.
    pub callee: Span,
    /// Where it is reached.
    pub place: CallPlace,
    /// What it is given.
    pub arguments: Arguments,
    /// How long the object it makes lives, and what else is there.
    pub life: Life,
    /// For a method, or a thing that is called itself: the call that made what it belongs to, by its index in
    /// [`crate::python::script::Script::calls`].
    pub receiver: Option<usize>,
    /// What is done to the object it makes, in the order in which it is reached.
    pub events: Vec<Event>,
    /// Whether code elsewhere gets the object, which may do more to it.
    pub leaves: bool,
    /// Whether this file trains it: a backward runs over what it returns, or an optimizer gets its parameters and some
    /// backward runs. Of a run of a model: whether a backward runs over its result.
    pub trained: bool,
}

/// Where a call is reached, in one calling context.
#[derive(Clone, Debug)]
pub struct CallPlace {
    /// The statement that it stands in, as far as that is known.
    pub stmt: Option<StmtId>,
    /// The functions under way, outermost first; none at the module's top level.
    pub functions: Vec<FunctionId>,
    /// The calls of this module's own code under way, outermost first.
    pub calls: Vec<ExprId>,
    /// The loops open there, outermost first, those of callers too.
    pub loops: Vec<LoopFacts>,
    /// Whether operations are recorded for backward there.
    pub grad: GradMode,
    /// What decides whether it is reached.
    pub way: Way,
    /// Whether a function under way answers requests.
    pub served: bool,
    /// Whether what is computed there is kept for the next time: a function under way is cached.
    pub cached: bool,
}

/// What decides whether a place is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// Whether, inside the innermost loop or, without one, at all, it is reached on some ways only.
    pub conditional: bool,
    /// Whether an exception leads there.
    pub handling: bool,
}

/// What a call is given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    /// By place.
    pub positional: Vec<Given>,
    /// By name.
    pub named: Vec<(Rc<str>, Given)>,
    /// Whether more may be given, by `*` and `**` whose contents are not known.
    pub open: bool,
}

impl Arguments {
    /// What is given in either of two ways of reaching the call.
    pub(super) fn join(&mut self, other: &Arguments) {
        self.open |= other.open;
        for (mine, theirs) in self.positional.iter_mut().zip(&other.positional) {
            mine.value.join(&theirs.value);
        }
        for (name, mine) in &mut self.named {
            if let Some(theirs) = other.named(name) {
                mine.value.join(&theirs.value);
            }
        }
    }
}

impl Arguments {
    /// The argument with this name.
    pub fn named(&self, name: &str) -> Option<&Given> {
        self.named.iter().find(|(known, _)| &**known == name).map(|(_, given)| given)
    }

    /// The argument that can be given by name or at this place.
    pub fn get(&self, name: &str, place: usize) -> Option<&Given> {
        self.named(name).or_else(|| self.positional.get(place))
    }
}

/// What is known of an argument.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// What it is.
    pub value: Known,
    /// Where it is written in the call; `None` when it comes out of `**options`.
    pub span: Option<Span>,
}

/// More alternatives than this are as good as unknown.
const MOST_ALTERNATIVES: usize = 6;

/// The sizes of a tensor's dimensions, outermost first; `None` where one is not known.
pub type Shape = Rc<[Option<u64>]>;

/// What a value is known to be.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Known {
    /// Anything.
    #[default]
    Unknown,
    /// `None`.
    None,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// Some text.
    Text(Rc<str>),
    /// Something of a library, by its canonical path: `torch.float16`.
    Library(Rc<str>),
    /// What another call of [`crate::python::script::Script::calls`] made, by its index.
    Made(usize),
    /// The parameters of what another call made, by its index.
    ParametersOf(usize),
    /// A list or tuple.
    List(Vec<Known>),
    /// A dict with known keys, written as text.
    Table(Vec<(Rc<str>, Known)>),
    /// A tensor of this shape.
    Tensor(Shape),
    /// One of these, whichever way the program takes.
    Either(Vec<Known>),
    /// This, unless whoever runs the program says otherwise: the default of an option.
    Usually(Box<Known>),
}

impl Known {
    /// This or the other, whichever way the program takes.
    pub(super) fn join(&mut self, other: &Known) {
        if self == other {
            return;
        }
        let mut all: Vec<Known> = self.alternatives().into_iter().cloned().collect();
        for known in other.alternatives() {
            if !all.contains(known) {
                all.push(known.clone());
            }
        }
        *self = if all.contains(&Known::Unknown) || all.len() > MOST_ALTERNATIVES {
            Known::Unknown
        } else {
            Known::Either(all)
        };
    }

    /// All it can be, as far as that is known, the usual one first.
    pub fn alternatives(&self) -> Vec<&Known> {
        match self {
            Known::Either(all) => all.iter().flat_map(Known::alternatives).collect(),
            Known::Usually(usual) => usual.alternatives(),
            other => vec![other],
        }
    }

    /// The text it is, or usually is.
    pub fn text(&self) -> Option<&str> {
        match self {
            Known::Text(text) => Some(text),
            Known::Usually(usual) => usual.text(),
            _ => None,
        }
    }

    /// The truth value it is, or usually is.
    pub fn bool(&self) -> Option<bool> {
        match self {
            Known::Bool(value) => Some(*value),
            Known::Usually(usual) => usual.bool(),
            _ => None,
        }
    }

    /// The integer it is, or usually is.
    pub fn int(&self) -> Option<i64> {
        match self {
            Known::Int(value) => Some(*value),
            Known::Usually(usual) => usual.int(),
            _ => None,
        }
    }

    /// The number of things it is, or usually is.
    pub fn count(&self) -> Option<u64> {
        self.int()?.try_into().ok()
    }

    /// The shape of the tensor it is.
    pub fn shape(&self) -> Option<&Shape> {
        match self {
            Known::Tensor(shape) => Some(shape),
            _ => None,
        }
    }

    /// Whether it is certainly not `None`, not absent and not false.
    pub fn is_set(&self) -> bool {
        !matches!(self, Known::None | Known::Unknown | Known::Bool(false))
    }
}

/// Something that is done to an object.
#[derive(Clone, Debug)]
pub struct Event {
    /// What.
    pub action: Action,
    /// The part of the object that it is done to, as an attribute path (`vae`, `transformer`); empty for the whole.
    pub part: Rc<str>,
    /// The call or assignment.
    pub span: Span,
    /// The call, if it is one.
    pub expr: Option<ExprId>,
    /// Events of the same object that have surely happened before it, by their index in [`LibraryCall::events`], the
    /// oldest first.
    pub before: Vec<usize>,
    /// Whether it happens on every way through the program on which the object is made.
    pub certain: bool,
    /// When it last happens, in the steps of [`Life`].
    pub at: u32,
}

/// What is done to an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A method is called.
    Called {
        /// Its name.
        method: Rc<str>,
        /// What it is given.
        arguments: Arguments,
    },
    /// An attribute is set.
    Set {
        /// Its name; of a part, the last name of its path.
        attribute: Rc<str>,
        /// To what.
        value: Known,
    },
    /// The object itself is called: a forward pass, a run of a pipeline.
    Run {
        /// What it is given.
        arguments: Arguments,
    },
    /// It is given to another call of [`crate::python::script::Script::calls`], by its index.
    GivenTo(usize),
    /// Its tensors are copied into a module or an optimizer: `load_state_dict`.
    CopiedInto {
        /// Whether that is an optimizer; `None` when it is not known what it is.
        optimizer: Option<bool>,
    },
    /// A name or attribute that was bound to it no longer is.
    Released {
        /// Whether it was deleted or set to `None`, so that the object was to be freed.
        deleted: bool,
        /// What still holds it.
        held_by: Vec<Holder>,
    },
}

/// Where something is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// A GPU, if there is one.
    Gpu,
    /// Host memory.
    Host,
    /// The device that holds nothing.
    Meta,
}

impl Device {
    /// The device that a value names. A choice between a GPU and the host is the GPU: it decides by what is there.
    pub fn named(value: &Known) -> Option<Self> {
        let named = |value: &Known| match value {
            Known::Int(_) => Some(Device::Gpu),
            Known::Text(text) => match text.split(':').next().unwrap_or_default() {
                "cuda" | "gpu" | "xpu" | "mps" | "hip" | "npu" => Some(Device::Gpu),
                "cpu" => Some(Device::Host),
                "meta" => Some(Device::Meta),
                _ => None,
            },
            _ => None,
        };
        let all: Vec<Device> = value.alternatives().into_iter().filter_map(named).collect();
        all.iter().find(|device| **device == Device::Gpu).or(all.first()).copied()
    }
}

impl Action {
    /// The device that it moves the object to.
    pub fn moves_to(&self) -> Option<Device> {
        let Action::Called { method, arguments } = self else { return None };
        match &**method {
            "cuda" => Some(Device::Gpu),
            "cpu" => Some(Device::Host),
            "to" | "to_empty" => {
                let given = arguments.named("device").into_iter().chain(&arguments.positional);
                given.into_iter().find_map(|given| Device::named(&given.value))
            }
            _ => None,
        }
    }

    /// The method that is called.
    pub fn method(&self) -> Option<&str> {
        match self {
            Action::Called { method, .. } => Some(method),
            _ => None,
        }
    }
}

/// Something that happens to the whole process.
#[derive(Clone, Debug)]
pub struct ProcessEvent {
    /// What.
    pub what: ProcessChange,
    /// The statement or call.
    pub span: Span,
    /// The statement that it stands in.
    pub stmt: StmtId,
    /// Events of the process that have surely happened before it, by their index in
    /// [`crate::python::script::Script::process`], the oldest first. The start of another process is never among them.
    pub before: Vec<usize>,
    /// Whether the statement stands at the module's top level, in no block.
    pub at_top_level: bool,
}

/// A change to the whole process.
#[derive(Clone, Debug, PartialEq)]
pub enum ProcessChange {
    /// A package is imported that imports PyTorch.
    ImportsTorch {
        /// The package, as written.
        package: Rc<str>,
    },
    /// CUDA is initialised: something is put on the GPU, or asks it for something.
    InitializesCuda,
    /// An environment variable is set.
    SetsVariable {
        /// Its name.
        name: Rc<str>,
        /// Its value.
        value: Known,
        /// Where the name is written.
        name_span: Option<Span>,
        /// Where the value is written.
        value_span: Option<Span>,
        /// Whether it is set only if it is not set yet (`setdefault`).
        only_if_unset: bool,
    },
    /// Another program or process is started, which gets the environment as it is then.
    StartsProcess,
}
