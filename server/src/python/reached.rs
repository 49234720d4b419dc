//! Whether each iteration of a loop comes by a piece of code.

use vramlens_grammars::Span;

use crate::knowledge::Role;
use crate::python::enclosing::{Block, Inside, enclosing};
use crate::python::library_call::LibraryCall;
use crate::python::script::{LoopFacts, Script};
use crate::python::syntax::{ExprId, ExprKind, StmtKind};

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

    /// Whether the function or the module that a place stands in surely comes by it.
    pub fn always_runs_in_its_function(&self, span: Span) -> bool {
        let around = self.around_in_function(span);
        around.into_iter().all(|inside| self.always_runs(inside))
    }

    /// The blocks that a place stands inside in its function or the module, the outermost first.
    pub fn around_in_function(&self, span: Span) -> Vec<Inside> {
        let mut around = enclosing(self.module, span);
        let is_function =
            |inside: &Inside| matches!(self.module.stmt(inside.stmt).kind, StmtKind::Function(_));
        let own = around.iter().rposition(is_function).map_or(0, |place| place + 1);
        around.split_off(own)
    }

    /// Whether whatever reaches a statement goes on into one of its blocks.
    fn always_runs(&self, inside: Inside) -> bool {
        match (&self.module.stmt(inside.stmt).kind, inside.block) {
            (StmtKind::With { .. }, _) => true,
            (StmtKind::Try { .. }, block) => !matches!(block, Block::Handler(_)),
            (StmtKind::If { test, .. }, Block::Body) => {
                self.asks_for_device(*test) || self.asks_for_main(*test)
            }
            _ => false,
        }
    }

    /// Whether an expression asks whether the module is the program: `__name__ == "__main__"`.
    fn asks_for_main(&self, expr: ExprId) -> bool {
        let ExprKind::Compare { left, .. } = &self.module.expr(expr).kind else { return false };
        matches!(self.module.expr(*left).kind, ExprKind::Name(name) if self.module.name(name) == "__name__")
    }

    /// Whether an expression only asks whether there is a GPU.
    pub fn asks_for_device(&self, expr: ExprId) -> bool {
        self.calls.iter().any(|call| call.expr == expr && call.role == Role::DeviceQuestion)
    }
}
