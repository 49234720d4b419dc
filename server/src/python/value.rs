//! What an expression evaluates to, abstractly.

use std::rc::Rc;

use smallvec::SmallVec;

use crate::python::graph::{Moment, NodeSet};
use crate::python::scopes::Scope;
use crate::python::storage::Storage;
use crate::python::syntax::linked::UnitId;
use crate::python::syntax::{ClassId, Constant, FunctionId, Symbol};

/// A thing with an identity: what one place in the text makes in one calling context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

/// One activation of a scope: its names live here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(pub u32);

/// A value: what it is, and the graph nodes it reaches without passing through an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Value {
    /// What it is.
    pub what: What,
    /// The graph it carries.
    pub graph: NodeSet,
    /// Where its tensors lie.
    pub stored: Storage,
}

/// What a value is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum What {
    /// Anything.
    #[default]
    Unknown,
    /// Something that was moved to a device: a tensor or a module.
    Moved,
    /// Exactly this.
    Constant(Rc<Constant>),
    /// This, unless whoever runs the program says otherwise: an option's default.
    Default(Rc<Constant>),
    /// One of these constants or library paths, whichever way the program takes: at most a few.
    Either(Rc<[What]>),
    /// Some number.
    Number,
    /// Some text.
    Text,
    /// A tensor.
    Tensor,
    /// What a module returned: a tensor, or something made of tensors whose structure is not known.
    Output,
    /// A tensor of fresh random numbers.
    Noise,
    /// One of these objects.
    Objects(SmallVec<[ObjectId; 1]>),
    /// A function with the frame it was defined in, bound to an object if it is a method.
    Function(Closure),
    /// A class of this module, defined in a frame.
    Class(ClassId, FrameId),
    /// Something of a library, by its canonical dotted path.
    Library(Rc<str>),
    /// Another file of the workspace, imported as a module.
    Namespace(UnitId),
    /// A parameter of one of these modules.
    ParameterOf(SmallVec<[ObjectId; 1]>),
    /// A context manager that switches gradients: on, off, or as something unknown says.
    GradientSwitch(Option<bool>),
}

/// A function of this module as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closure {
    /// The function.
    pub function: FunctionId,
    /// The frame it was defined in.
    pub frame: FrameId,
    /// What it is bound to.
    pub receiver: Option<ObjectId>,
}

/// What an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A list, set or other growing collection.
    List,
    /// A queue that drops old items: its capacity, if it is known.
    Bounded(Option<u64>),
    /// A tuple.
    Tuple,
    /// A dict.
    Dict,
    /// An instance of a class of this module.
    Instance(ClassId),
    /// A neural network module of a library, or one that usage shows to be a module.
    Module,
    /// A module without parameters; whether it returns a loss.
    Applies {
        /// Whether its result is one number.
        loss: bool,
    },
    /// An optimizer.
    Optimizer,
    /// What was saved and is read back, or a part of it: anything, until usage shows what.
    Loaded,
    /// A stack of context managers.
    ExitStack,
    /// A library object whose calls and methods record no graph and keep nothing: its path.
    Inert(Rc<str>),
}

/// An object and where it comes from.
#[derive(Clone, Debug)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// When it was last made.
    pub moment: Moment,
    /// For a part of a module: the module.
    pub owner: Option<ObjectId>,
}

/// A place that can hold a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// A name in a frame.
    Variable(FrameId, Symbol),
    /// An attribute of an object.
    Attribute(ObjectId, Symbol),
    /// An item under a known key.
    Item(ObjectId, Key),
    /// All items whose keys are not known.
    Items(ObjectId),
    /// Something about the object itself.
    Flag(ObjectId, Flag),
}

/// A known key of an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// A place in a sequence, or an integer key.
    Index(i64),
    /// A text key.
    Text(Rc<str>),
}

/// What can change about an object itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// Whether its parameters take no gradients.
    Frozen,
    /// Whether it was put in evaluation mode.
    Evaluating,
    /// Whether its forward pass returns a tensor.
    ReturnsTensor,
    /// Whether it yields the items of a loader.
    OverData,
    /// What a missing key makes.
    Default,
    /// The grad mode that entering it as a context manager sets.
    Switch,
    /// The device that a module's parameters lie on, or a loader's items.
    Device,
}

/// A scope with its frame, in the chain that names are looked up in.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// What it is an activation of.
    pub scope: Scope,
    /// The frame its definition stands in.
    pub parent: Option<FrameId>,
}

impl Place {
    /// The same place of another object; `None` when it belongs to neither.
    pub fn moved_to(&self, from: ObjectId, to: ObjectId) -> Option<Place> {
        match self {
            Place::Attribute(owner, name) if *owner == from => Some(Place::Attribute(to, *name)),
            Place::Item(owner, key) if *owner == from => Some(Place::Item(to, key.clone())),
            Place::Items(owner) if *owner == from => Some(Place::Items(to)),
            Place::Flag(owner, flag) if *owner == from => Some(Place::Flag(to, *flag)),
            _ => None,
        }
    }
}

impl Value {
    /// A value that carries no graph.
    pub fn plain(what: What) -> Self {
        Self { what, ..Self::default() }
    }

    /// A constant.
    pub fn constant(constant: Constant) -> Self {
        Self::plain(What::Constant(Rc::new(constant)))
    }

    /// A tensor with this graph.
    pub fn tensor(graph: NodeSet) -> Self {
        Self { what: What::Tensor, graph, ..Self::default() }
    }

    /// What a module returned, with this graph.
    pub fn output(graph: NodeSet) -> Self {
        Self { what: What::Output, graph, ..Self::default() }
    }

    /// An object.
    pub fn object(object: ObjectId) -> Self {
        Self::plain(What::Objects(SmallVec::from_slice(&[object])))
    }

    /// Something of a library.
    pub fn library(path: &str) -> Self {
        Self::plain(What::Library(Rc::from(path)))
    }

    /// The objects it may be.
    pub fn objects(&self) -> &[ObjectId] {
        match &self.what {
            What::Objects(objects) => objects,
            _ => &[],
        }
    }

    /// The object it is, if it is just one.
    pub fn single_object(&self) -> Option<ObjectId> {
        match self.objects() {
            [object] => Some(*object),
            _ => None,
        }
    }

    /// The constant it is.
    pub fn as_constant(&self) -> Option<&Constant> {
        match &self.what {
            What::Constant(constant) => Some(constant),
            _ => None,
        }
    }

    /// The constant it is, or is by default.
    pub fn usual_constant(&self) -> Option<&Constant> {
        match &self.what {
            What::Constant(constant) | What::Default(constant) => Some(constant),
            _ => None,
        }
    }

    /// The text it is.
    pub fn as_text(&self) -> Option<&str> {
        match self.as_constant() {
            Some(Constant::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Whether it is the constant `None`.
    pub fn is_none(&self) -> bool {
        self.as_constant() == Some(&Constant::None)
    }

    /// Whether it is a number, known or not.
    pub fn is_number(&self) -> bool {
        matches!(self.what, What::Number)
            || matches!(
                self.usual_constant(),
                Some(Constant::Int(_) | Constant::Float(_) | Constant::Bool(_))
            )
    }

    /// Whether it is true in a condition, where that is certain.
    pub fn truth(&self) -> Option<bool> {
        match &self.what {
            What::Constant(constant) => match constant.as_ref() {
                Constant::None => Some(false),
                Constant::Bool(value) => Some(*value),
                Constant::Int(value) => Some(*value != 0),
                Constant::Float(value) => Some(*value != 0.0),
                Constant::Text(text) => Some(!text.is_empty()),
                Constant::Other => None,
            },
            What::Function(_) | What::Class(..) => Some(true),
            _ => None,
        }
    }

    /// The value that is either of the two.
    #[must_use]
    pub fn join(&self, other: &Value) -> Value {
        Value {
            what: self.what.join(&other.what),
            graph: self.graph.union(&other.graph),
            stored: self.stored.join(other.stored),
        }
    }

    /// The value that is any one of these; `None` when there are none.
    pub fn any_of(values: impl IntoIterator<Item = Value>) -> Option<Value> {
        values.into_iter().reduce(|joined, value| joined.join(&value))
    }
}

/// More choices than this are as good as unknown.
const MOST_CHOICES: usize = 4;
/// More objects than this in one place are as good as unknown.
const MOST_OBJECTS: usize = 8;

impl What {
    fn join(&self, other: &What) -> What {
        if self == other {
            return self.clone();
        }
        match (self, other) {
            (What::Objects(mine), What::Objects(theirs)) => {
                join_objects(mine, theirs).map_or(What::Unknown, What::Objects)
            }
            (What::ParameterOf(mine), What::ParameterOf(theirs)) => {
                join_objects(mine, theirs).map_or(What::Unknown, What::ParameterOf)
            }
            (What::GradientSwitch(_), What::GradientSwitch(_)) => What::GradientSwitch(None),
            // A name that is `None` until something is put there is that thing wherever it is used.
            (What::Objects(objects), What::Constant(none))
            | (What::Constant(none), What::Objects(objects))
                if **none == Constant::None =>
            {
                What::Objects(objects.clone())
            }
            (What::Output, What::Output | What::Tensor) | (What::Tensor, What::Output) => What::Output,
            // `try: import torch`, and `torch = None` when it is missing.
            (What::Library(path), What::Constant(none)) | (What::Constant(none), What::Library(path))
                if **none == Constant::None =>
            {
                What::Library(path.clone())
            }
            (What::Tensor | What::Noise, _) if other.is_numeric() || other.is_tensor() => What::Tensor,
            (_, What::Tensor | What::Noise) if self.is_numeric() => What::Tensor,
            _ if self.is_numeric() && other.is_numeric() => What::Number,
            _ => match self.either(other) {
                Some(choice) => choice,
                None if self.is_text() && other.is_text() => What::Text,
                None => What::Unknown,
            },
        }
    }

    /// A choice of what both may be, as long as all of it can be told.
    fn either(&self, other: &What) -> Option<What> {
        let mut all: SmallVec<[What; 4]> = SmallVec::new();
        for what in self.choices().iter().chain(other.choices()) {
            if !what.is_choice() {
                return None;
            }
            if !all.contains(what) {
                all.push(what.clone());
            }
        }
        (all.len() <= MOST_CHOICES).then(|| What::Either(all.iter().cloned().collect()))
    }

    /// The things it may be.
    pub fn choices(&self) -> &[What] {
        match self {
            What::Either(all) => all,
            other => std::slice::from_ref(other),
        }
    }

    /// Whether it can be one of several choices: an option's text, a dtype, nothing.
    fn is_choice(&self) -> bool {
        match self {
            What::Constant(constant) | What::Default(constant) => {
                matches!(**constant, Constant::Text(_) | Constant::Bool(_) | Constant::None)
            }
            What::Library(path) => path.strip_prefix("torch.").is_some_and(|name| !name.contains('.')),
            _ => false,
        }
    }

    /// Whether it is a tensor.
    pub fn is_tensor(&self) -> bool {
        matches!(self, What::Tensor | What::Output | What::Noise)
    }

    fn is_numeric(&self) -> bool {
        match self {
            What::Number => true,
            What::Constant(constant) | What::Default(constant) => {
                matches!(**constant, Constant::Int(_) | Constant::Float(_))
            }
            _ => false,
        }
    }

    /// Whether it is some text.
    pub fn is_text(&self) -> bool {
        match self {
            What::Text => true,
            What::Either(all) => all.iter().all(What::is_text),
            What::Constant(constant) | What::Default(constant) => matches!(**constant, Constant::Text(_)),
            _ => false,
        }
    }
}

fn join_objects(mine: &[ObjectId], theirs: &[ObjectId]) -> Option<SmallVec<[ObjectId; 1]>> {
    let mut joined: SmallVec<[ObjectId; 1]> = mine.iter().chain(theirs).copied().collect();
    joined.sort_unstable();
    joined.dedup();
    (joined.len() <= MOST_OBJECTS).then_some(joined)
}
