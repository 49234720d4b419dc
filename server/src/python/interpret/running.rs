//! What is under way while a program is followed: calls, conditions, loops.

use crate::python::graph::LoopId;
use crate::python::interpret::Context;
use crate::python::state::{GradMode, State};
use crate::python::syntax::{ExprId, FunctionId};
use crate::python::value::{FrameId, Value};

/// One call under way.
pub(super) struct Activation {
    pub(super) frame: FrameId,
    pub(super) context: Context,
    pub(super) function: Option<FunctionId>,
    /// The call in the caller's code; none for an entry.
    pub(super) call: Option<ExprId>,
    /// When it began.
    pub(super) clock: u32,
    /// How many loops were open then.
    pub(super) loops: usize,
    /// The state at its `return` statements.
    pub(super) returned: Option<State>,
    /// What it returns.
    pub(super) result: Option<Value>,
    /// What it yields.
    pub(super) yielded: Option<Value>,
    /// The grad mode when it yielded.
    pub(super) yielded_under: Option<GradMode>,
    /// The `with` blocks under way that switch gradients: how many loops were open when each began, and the grad
    /// mode to go back to.
    pub(super) switches: Vec<(usize, GradMode)>,
}

impl Activation {
    pub(super) fn new(frame: FrameId, context: Context) -> Self {
        Self {
            frame,
            context,
            function: None,
            call: None,
            clock: 0,
            loops: 0,
            returned: None,
            result: None,
            yielded: None,
            yielded_under: None,
            switches: Vec::new(),
        }
    }
}

/// A condition under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    /// How many loops were open when it was met.
    pub(super) loops: usize,
    /// Whether it is that an exception was raised.
    pub(super) handling: bool,
}

/// One loop under way.
pub(super) struct OpenLoop {
    pub(super) id: LoopId,
    pub(super) pass: u32,
    pub(super) breaks: Option<State>,
    pub(super) continues: Option<State>,
    /// What held when the pass under way began.
    pub(super) head: State,
}
