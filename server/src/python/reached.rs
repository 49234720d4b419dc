//! Whether each iteration of a loop comes by a piece of code.

use vramlens_grammars::Span;

use crate::knowledge::Role;
use crate::python::enclosing::{Block, Inside, enclosing};
use crate::python::library_call::LibraryCall;
use crate::python::script::{LoopFacts, Script};
use crate::python::syntax::{ExprId, StmtKind};

impl Script<'_> {
    /// Whether each iteration of a loop surely makes a call: no condition stands around it, nor around the calls that lead
    /// to it from the loop. A question whether there is a GPU is no condition.
    pub fn runs_every_time(&self, call: &LibraryCall, in_loop: &LoopFacts) -> bool {
        let way = call.place.calls.iter().chain([&call.expr]).map(|expr| self.module.expr(*expr).span);
        let mut way = way.skip_while(|span| !in_loop.span.contains(*span));
        let Some(first) = way.next() else { return false };
        let around = enclosing(self.module, first);
        let inside_loop = |inside: &Inside| self.module.stmt(inside.stmt).span == in_loop.span;
        let Some(place) = around.iter().position(inside_loop) else { return false };
        let within = around.iter().skip(place + 1);
        within.copied().all(|inside| self.always_runs(inside))
            && way.all(|span| self.always_runs_in_its_function(span))
    }

    /// Whether a function that is called surely comes by a place in it.
    fn always_runs_in_its_function(&self, span: Span) -> bool {
        let around = enclosing(self.module, span);
        let is_function =
            |inside: &Inside| matches!(self.module.stmt(inside.stmt).kind, StmtKind::Function(_));
        let Some(place) = around.iter().rposition(is_function) else { return false };
        around.iter().skip(place + 1).copied().all(|inside| self.always_runs(inside))
    }

    /// Whether whatever reaches a statement goes on into one of its blocks.
    fn always_runs(&self, inside: Inside) -> bool {
        match (&self.module.stmt(inside.stmt).kind, inside.block) {
            (StmtKind::With { .. }, _) => true,
            (StmtKind::Try { .. }, block) => !matches!(block, Block::Handler(_)),
            (StmtKind::If { test, .. }, Block::Body) => self.asks_for_device(*test),
            _ => false,
        }
    }

    /// Whether an expression only asks whether there is a GPU.
    pub fn asks_for_device(&self, expr: ExprId) -> bool {
        self.calls.iter().any(|call| call.expr == expr && call.role == Role::DeviceQuestion)
    }
}
