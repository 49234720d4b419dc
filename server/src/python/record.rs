//! What happens to graphs while a program runs: the raw events, as the interpreter sees them.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use vramlens_grammars::Span;

use crate::python::graph::{LoopId, Moment, NodeId, NodeSet};
use crate::python::state::GradMode;
use crate::python::storage::Storage;
use crate::python::syntax::{ExprId, FunctionId, StmtId, Symbol};
use crate::python::usage::Path;
use crate::python::value::{FrameId, ObjectId, Place};

/// A backward over some nodes.
#[derive(Clone, Debug)]
pub struct Backward {
    /// The call.
    pub span: Span,
    /// Where it is told: itself, or the document's call of another file's code that runs it.
    pub told: Span,
    /// The call's expression; none for a framework's own.
    pub call: Option<ExprId>,
    /// The function whose code it is.
    pub function: Option<FunctionId>,
    /// What it starts from.
    pub roots: NodeSet,
    /// Whether the graph survives it.
    pub retains: bool,
    /// Whether gradients get a graph of their own.
    pub creates_graph: bool,
    /// Whether it only computes gradients, which does not say what becomes of the graph afterwards.
    pub is_partial: bool,
    /// The loops open when it runs, outermost first.
    pub moment: Moment,
}

/// A forward pass through trainable parameters, recorded for backward.
#[derive(Clone, Debug)]
pub struct Forward {
    /// The call.
    pub call: ExprId,
    /// The loops open when it runs, outermost first.
    pub moment: Moment,
    /// Where the module was put in evaluation mode, if it was by code still under way.
    pub evaluating: Option<Span>,
    /// The functions under way, outermost first.
    pub functions: Vec<FunctionId>,
    /// Whether it runs inside the forward pass of a module of this file.
    pub inside_forward: bool,
    /// The module that runs.
    pub object: ObjectId,
    /// Whether a method of a module of this file runs it.
    pub in_module: bool,
    /// What switches gradients on for the block around it, if anything does.
    pub switched_on: Option<ExprId>,
    /// The calls under way, outermost first, each with the number of loops that were open when it was made.
    pub calls: Vec<(ExprId, usize)>,
    /// The names and attributes that it is given.
    pub given: Vec<(ExprId, Place)>,
}

/// A value with a graph put into a collection.
#[derive(Clone, Debug)]
pub struct Collect {
    /// The call or statement that puts it there.
    pub span: Span,
    /// The call, in the loop's own code, that hands the value over; `span`'s own if nothing does.
    pub blamed: Option<ExprId>,
    /// The call in the document's own code that stores it, when another file's code does.
    pub told_at: Option<ExprId>,
    /// The collection as written.
    pub target: Span,
    /// The expressions whose tensors are kept.
    pub values: Vec<ExprId>,
    /// The collection.
    pub object: ObjectId,
    /// The graph of the value, all of it.
    pub graph: NodeSet,
    /// Whether tensors without a graph are kept along with it.
    pub with_tensors: bool,
    /// The loops open when it is put there, outermost first.
    pub moment: Moment,
    /// The loops that the collection outlives, outermost first.
    pub loops: SmallVec<[LoopId; 2]>,
    /// The loops whose next iteration still finds it there.
    pub alive_after: FxHashSet<LoopId>,
    /// Whether old items are dropped at some point.
    pub bound: Bound,
}

/// A tensor that may lie on a GPU, kept over the iterations of a loop.
#[derive(Clone, Debug)]
pub struct Stash {
    /// The call or statement that keeps it.
    pub span: Span,
    /// What it is kept in, as written.
    pub target: Span,
    /// The expressions whose tensors are kept.
    pub values: Vec<Stashed>,
    /// The collection; none for a tensor that grows.
    pub object: Option<ObjectId>,
    /// Where it lies and how large it is.
    pub stored: Storage,
    /// Whether all that a module returned is kept.
    pub whole: bool,
    /// Its graph.
    pub graph: NodeSet,
    /// The loops open when it is kept, outermost first.
    pub moment: Moment,
    /// The loops that the collection outlives, outermost first.
    pub loops: SmallVec<[LoopId; 2]>,
    /// The loops whose next iteration still finds it there.
    pub alive_after: FxHashSet<LoopId>,
    /// Whether the collection drops old items by itself.
    pub bounded: bool,
    /// The function whose code keeps it.
    pub function: Option<FunctionId>,
    /// Whether that is a method of a module.
    pub in_module: bool,
}

/// A data set, or part of one, that is put on a GPU as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resident {
    /// An attribute of a data set, from its making on.
    Field,
    /// The tensors of a `TensorDataset`.
    Tensors,
    /// All batches of a loader, in a list.
    Batches,
    /// What a data set or a collating function yields, in whatever process runs it.
    Yielded,
}

/// An expression whose tensors are kept.
#[derive(Clone, Debug)]
pub struct Stashed {
    /// The expression.
    pub expr: ExprId,
    /// Where its tensors lie and how large they are.
    pub stored: Storage,
    /// The name that it is.
    pub name: Option<Place>,
    /// Whether it is known to be a tensor.
    pub is_tensor: bool,
}

/// The value of a statement of the module's top level that is nothing but an expression.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// The noted call that made it, by its number.
    pub made: Option<usize>,
    /// Where its tensors lie and how large they are.
    pub stored: Storage,
    /// Whether it is all that a module returned.
    pub whole: bool,
    /// Whether it carries a graph.
    pub carries_graph: bool,
}

/// What the iterations of a loop follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Over {
    /// A condition.
    #[default]
    Condition,
    /// A count that the text does not tie to data.
    Count,
    /// Items.
    Items,
    /// The places of batches, or of all items, in a sequence.
    Places,
    /// The batches of a loader.
    Batches,
}

/// Whether a collection drops old items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound {
    /// It keeps everything.
    #[default]
    None,
    /// It keeps at most this many.
    Capacity(Option<u64>),
}

/// A loop in one calling context.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The statement or comprehension.
    pub span: Span,
    /// The statement it is or stands in.
    pub stmt: Option<StmtId>,
    /// The function whose code it is.
    pub function: Option<FunctionId>,
    /// Whether it runs inside the forward pass of a module of this file.
    pub inside_forward: bool,
    /// Whether it is the code of a method of a module.
    pub in_module: bool,
    /// Whether it runs a handful of times only, or goes over the parts of a module.
    pub is_short: bool,
    /// Whether a backward or an optimizer step runs in it, outside any loop inside it.
    pub trains: bool,
    /// Whether one runs in it or in a loop inside it.
    pub trains_within: bool,
    /// Whether it goes over data: a loader, or items that it moves to a device.
    pub over_data: bool,
    /// What its iterations follow.
    pub over: Over,
    /// Whether it is given batches: by a loader, or items that are put on a device.
    pub loads: bool,
    /// What is iterated.
    pub iterated: Iterated,
    /// Whether it stands for calls of a function from elsewhere, one after the other.
    pub is_calls: bool,
    /// The module whose forward passes make those calls, of a hook.
    pub hooked: Option<ObjectId>,
}

/// What a loop iterates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Iterated {
    /// Nothing: it goes on while a condition holds.
    #[default]
    Nothing,
    /// Something that is not known.
    Unknown,
    /// Something that code in another file made before the function that iterates it was called.
    Foreign,
    /// A loader of PyTorch's.
    Loader,
    /// Numbers, or a collection that the file itself fills.
    Collection,
}

/// A call of a module with parameters.
#[derive(Clone, Debug)]
pub struct Run {
    /// Whether operations are recorded for backward there.
    pub grad: GradMode,
    /// Whether it, or what it is given, lies on a GPU.
    pub on_gpu: bool,
}

/// A graph that is put into a place which outlives a loop.
#[derive(Clone, Debug)]
pub struct Lasting {
    /// The place as written.
    pub target: ExprId,
    /// The place.
    pub place: Place,
    /// The graph.
    pub graph: NodeSet,
    /// The loops open when it is put there, outermost first.
    pub moment: Moment,
    /// The loops that the place outlives, outermost first.
    pub loops: SmallVec<[LoopId; 2]>,
    /// The loops whose next iteration still finds it there.
    pub alive_after: FxHashSet<LoopId>,
    /// The function whose code puts it there.
    pub function: Option<FunctionId>,
}

/// Logits over a vocabulary that are still there when the same forward pass makes the next ones.
#[derive(Clone, Debug)]
pub struct LogitsHeld {
    /// The names that hold them, each with the statement that gave it its value.
    pub names: Vec<(Symbol, StmtId)>,
    /// The noted call that loads the model, by its number.
    pub model: Option<usize>,
    /// The number of words, where the text has it.
    pub vocabulary: Option<u64>,
}

/// All events of a program.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Every backward, by the call in its calling context.
    pub backwards: FxHashMap<(u32, u32), Backward>,
    /// Every call of a module, recorded or not.
    pub runs: FxHashMap<ExprId, Run>,
    /// Every recorded forward pass.
    pub forwards: FxHashMap<NodeId, Forward>,
    /// Modules that run in some loop with gradients switched off.
    pub without_grad: FxHashSet<ObjectId>,
    /// Dicts of which a loop reads the item of a key that it goes over: a table with one item for each key.
    pub looked_up: FxHashSet<(ObjectId, LoopId)>,
    /// Every value with a graph put into a collection that outlives a loop.
    pub collects: FxHashMap<(u32, u32, ObjectId), Collect>,
    /// Every tensor that may lie on a GPU and is kept over a loop.
    pub stashes: FxHashMap<(u32, u32, Option<ObjectId>), Stash>,
    /// Expressions whose value may lie on a GPU, and whether it is known to be a tensor.
    pub on_gpu: FxHashMap<ExprId, (Storage, bool)>,
    /// Where data sets are put on a GPU as a whole, and how.
    pub residents: FxHashMap<Span, Resident>,
    /// Functions that put the items of a batch together.
    pub collating: FxHashSet<FunctionId>,
    /// A loader with worker processes.
    pub workers: Option<Span>,
    /// The hooks that a framework calls for every batch, each with the name of what it calls at the end of the epoch.
    pub step_hooks: FxHashMap<FunctionId, &'static str>,
    /// The functions that empty a collection.
    pub emptied: FxHashMap<ObjectId, FxHashSet<FunctionId>>,
    /// The functions that put something else in an attribute.
    pub replaced: FxHashMap<Place, FxHashSet<FunctionId>>,
    /// Every graph that is put into an attribute, or a name of an outer function or the module, by the statement in its
    /// calling context.
    pub lasting: FxHashMap<(StmtId, u32), Lasting>,
    /// Every loop.
    pub loops: Vec<Loop>,
    /// The places that were given a value, by the node that the value reaches.
    pub holders: FxHashMap<NodeId, FxHashSet<Place>>,
    /// The loops in which a place is given a value without a graph.
    pub resets: FxHashSet<(Place, LoopId)>,
    /// The loops in which a later iteration than the first gives a place a value without a graph.
    pub cuts: FxHashSet<(Place, LoopId)>,
    /// Collections that are written under keys: the same key replaces.
    pub keyed: FxHashSet<ObjectId>,
    /// What modules are parts of.
    pub owners: FxHashMap<ObjectId, ObjectId>,
    /// The library class that a module is made from.
    pub made_from: FxHashMap<ObjectId, Rc<str>>,
    /// The loops in which items are taken out of a collection.
    pub drops: FxHashSet<(ObjectId, LoopId)>,
    /// The call, in an outer function's code, that hands a node's fresh operands over.
    pub handed_over: FxHashMap<NodeId, ExprId>,
    /// Blocks that are meant to fail.
    pub meant_to_fail: FxHashSet<Span>,
    /// Whether some calls of other files' code were not followed, because that took too long.
    pub cut_short_elsewhere: bool,
    /// The call in the document's own code that makes a node, when another file's code does.
    pub told_at: FxHashMap<NodeId, ExprId>,
    /// Nodes whose first operand from outside the loop was a plain number.
    pub from_number: FxHashSet<NodeId>,
    /// The statement that a node is made in.
    pub statements: FxHashMap<NodeId, StmtId>,
    /// Expressions whose value carries a graph without being a collection, and whether it is known to be a tensor.
    pub tensors: FxHashMap<ExprId, bool>,
    /// Nodes that were made by pipelines, which run without gradients.
    pub pipelines: FxHashSet<NodeId>,
    /// Where a module was put in evaluation mode, by the frame of the code that did it.
    pub evaluated: FxHashMap<(ObjectId, FrameId), Span>,
    /// Forward passes that are given fresh random numbers.
    pub noise: FxHashSet<NodeId>,
    /// The places that a collection was put in.
    pub collection_holders: FxHashMap<ObjectId, FxHashSet<Place>>,
    /// What was called, for calls of something unknown.
    pub called: FxHashMap<NodeId, Path>,
    /// Modules that only usage shows to be modules.
    pub by_usage: FxHashSet<ObjectId>,
    /// Those of them whose parameters or gradients something is done with.
    pub with_parameters: FxHashSet<ObjectId>,
    /// Modules whose parameters an optimizer of this file is given.
    pub optimized: FxHashSet<ObjectId>,
    /// How many values a call of something unknown is given.
    pub given: FxHashMap<NodeId, usize>,
    /// Calls of something that the running code was given: a parameter, an attribute.
    pub given_callees: FxHashSet<NodeId>,
    /// The expression that makes a node.
    pub exprs: FxHashMap<NodeId, ExprId>,
    /// Functions that ran inside the forward pass of a module of this file.
    pub inside_forward: FxHashSet<FunctionId>,
    /// Functions during which a backward or an optimizer step ran.
    pub training: FxHashSet<FunctionId>,
    /// The values of expressions that are statements of the module's top level, where they are noted objects or may lie
    /// on a GPU.
    pub shown: FxHashMap<ExprId, Shown>,
    /// Names that some module is given.
    pub inputs: FxHashSet<Place>,
    /// Layers that make an entry for each word of a vocabulary, with the number of its words.
    pub heads: FxHashMap<ObjectId, Option<u64>>,
    /// The statement that last gave a name logits.
    pub logits_bound: FxHashMap<Place, StmtId>,
    /// What still holds logits of the last iteration when a forward pass makes new ones.
    pub logits_held: FxHashMap<(ExprId, LoopId), LogitsHeld>,
}

impl Record {
    /// The loop `id` names.
    pub fn loop_of(&self, id: LoopId) -> Option<&Loop> {
        self.loops.get(id.0 as usize)
    }
}
