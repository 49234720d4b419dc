//! What the steps of a training carry on: states with a graph, retained graphs, what hooks keep.

use std::rc::Rc;

use vramlens_grammars::Span;

use crate::python::script::{Fate, KeptValue, LoopFacts};
use crate::python::syntax::{ExprId, StmtId};

/// A state that a step of training is given with the graph of the step before.
#[derive(Clone, Debug)]
pub struct CarriedState {
    /// The forward pass that is given it.
    pub span: Span,
    /// What is called, as written.
    pub callee: Span,
    /// The names and attributes that hold it, where it is given.
    pub names: Vec<StateName>,
    /// The library class of what is called, by its path.
    pub made_from: Option<Rc<str>>,
    /// The loop that carries it.
    pub in_loop: LoopFacts,
    /// The statement of that loop.
    pub loop_stmt: Option<StmtId>,
    /// Whether the forward pass stands in the code of the loop's own function.
    pub in_loops_code: bool,
    /// A backward in the loop that runs over it.
    pub backward: Span,
    /// Whether that backward retains the graph.
    pub retained: bool,
}

/// A graph of one step that an attribute, or a name of an outer function or the module, carries into the next.
#[derive(Clone, Debug)]
pub struct LastingGraph {
    /// The assignment.
    pub span: Span,
    /// What is assigned to, as written.
    pub target: Span,
    /// The value.
    pub value: KeptValue,
    /// What a backward does to the graph.
    pub fate: Fate,
    /// Whether the value is a single number.
    pub scalar: bool,
    /// Whether it lies in host memory.
    pub host: bool,
    /// The forward passes that built it.
    pub built_by: Vec<Span>,
    /// Where a module that built it was put in evaluation mode by code still under way.
    pub evaluating: Option<Span>,
    /// The loop.
    pub in_loop: LoopFacts,
    /// Whether a backward starts from what is read there.
    pub starts_backward: bool,
}

/// A tensor with its graph that a hook puts into a collection which grows with every forward pass.
#[derive(Clone, Debug)]
pub struct HookStore {
    /// The statement or call that keeps it.
    pub span: Span,
    /// What it is kept in, as written.
    pub target: Span,
    /// The expressions whose values are kept.
    pub values: Vec<KeptValue>,
    /// The call that registers the hook.
    pub registered: Span,
    /// What becomes of the forward passes of the module.
    pub passes: Passes,
}

/// What becomes of the graphs of a module's forward passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// A backward runs over every one.
    Trained,
    /// They are recorded, and no backward runs over them.
    Recorded,
    /// None is recorded: gradients are off.
    Unrecorded,
}

/// A backward in a loop that retains its graph.
#[derive(Clone, Debug)]
pub struct RetainedGraph {
    /// The call.
    pub span: Span,
    /// The call's expression.
    pub call: ExprId,
    /// The innermost loop it runs in.
    pub in_loop: LoopFacts,
    /// Whether code that is not in this file gets some of what it runs over.
    pub leaves: bool,
}

/// A name or attribute that holds a state.
#[derive(Clone, Copy, Debug)]
pub struct StateName {
    /// Where it is written.
    pub span: Span,
    /// Whether it is a variable.
    pub is_variable: bool,
}
