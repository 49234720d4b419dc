//! Tensors that stay on a GPU because something keeps them, not because a graph does.

use vramlens_grammars::Span;

pub use crate::python::record::Resident;
use crate::python::record::Shown;
use crate::python::script::{Keeping, KeptValue, LoopFacts};
use crate::python::state::GradMode;
use crate::python::storage::Storage;
use crate::python::syntax::FunctionId;

/// Tensors without a graph that stay on a GPU over the iterations of a loop.
#[derive(Clone, Debug)]
pub struct StashedTensors {
    /// How they are kept.
    pub keeping: Keeping,
    /// The statement or call that keeps them.
    pub span: Span,
    /// What they are kept in, as written.
    pub target: Span,
    /// The expressions whose tensors are kept, without those that are small.
    pub values: Vec<KeptValue>,
    /// Where they lie, and how large they are.
    pub stored: Storage,
    /// Whether all that a module returned is kept.
    pub whole: bool,
    /// The loop whose iterations pile up.
    pub in_loop: LoopFacts,
    /// Whether some loop around that one trains, or is given batches itself.
    pub inside_step: bool,
    /// Whether some loop around that one has a training loop in it.
    pub beside_training: bool,
    /// Whether what holds them is emptied, or drops old items, inside that loop.
    pub dropped: bool,
    /// Whether that loop reads back what a dict holds under the key that it goes over.
    pub looked_up: bool,
    /// Whether anything empties what holds them at some time.
    pub is_emptied: bool,
    /// Whether a graph is kept with them.
    pub with_graph: bool,
    /// Whether all that the program does with them afterwards takes them to host memory.
    pub ends_on_host: bool,
    /// For what a framework's hook keeps: when it is emptied.
    pub emptied: Option<Emptied>,
}

/// A data set, or part of one, that is put on a GPU as a whole.
#[derive(Clone, Copy, Debug)]
pub struct ResidentData {
    /// The call or assignment; for what a function yields, the function's name.
    pub span: Span,
    /// What is put there.
    pub what: Resident,
    /// A loader of the module with worker processes.
    pub workers: Option<Span>,
}

/// A forward pass on a GPU that is given a whole data set.
#[derive(Clone, Copy, Debug)]
pub struct WholeDataRun {
    /// The call.
    pub span: Span,
    /// The call that reads the data.
    pub read: Span,
    /// Whether it is a table, of rows with a few numbers each.
    pub is_table: bool,
    /// Whether operations are recorded for backward there.
    pub grad: GradMode,
}

/// When something is emptied that a framework's hook fills for every batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emptied {
    /// Some other method empties it.
    Elsewhere,
    /// Nothing does. The method that could, at the end of the epoch, is this, if the class has one.
    Never {
        /// What the framework calls at the end of the epoch.
        epoch_end: Option<FunctionId>,
    },
}

/// The value of a statement that is nothing but an expression.
#[derive(Clone, Copy, Debug)]
pub struct ShownValue {
    /// The expression.
    pub span: Span,
    /// What is known of its value; `made` is an index in [`crate::python::script::Script::calls`].
    pub value: Shown,
}
