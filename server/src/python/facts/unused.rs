//! Forward passes whose graph no backward visits.

use rustc_hash::FxHashSet;

use crate::python::facts::Facts;
use crate::python::graph::{LoopId, NodeId};
use crate::python::record::{Forward, Loop};
use crate::python::script::{Region, UnusedForward};
use crate::python::syntax::{ExprId, ExprKind, FunctionBody};

impl Facts<'_> {
    pub(super) fn unused_forwards(&self) -> Vec<UnusedForward> {
        let mut forwards: Vec<(&NodeId, &Forward)> = self.record.forwards.iter().collect();
        forwards.sort_by_key(|(id, _)| **id);
        // Loops of which an iteration is given something that the last one made.
        let fed_back: FxHashSet<LoopId> =
            forwards.iter().flat_map(|(id, _)| self.graph.cycles(**id, |_| true)).collect();
        forwards
            .into_iter()
            .filter(|(id, _)| !self.visited.contains(id) && !self.record.pipelines.contains(id))
            .filter_map(|(id, forward)| self.unused_forward(*id, forward, &fed_back))
            .collect()
    }

    fn unused_forward(
        &self,
        id: NodeId,
        forward: &Forward,
        fed_back: &FxHashSet<LoopId>,
    ) -> Option<UnusedForward> {
        let is_long = |open: &LoopId| self.record.loop_of(*open).is_some_and(|known| !known.is_short);
        let innermost = forward.moment.iter().rev().map(|(open, _)| *open).find(is_long)?;
        let in_loop = self.loop_facts(innermost)?;
        let (call, depth) = self.place_of(forward, innermost, fed_back.contains(&innermost));
        let feeds_back = !self.graph.cycles(id, |_| true).is_empty();
        let ExprKind::Call { callee, .. } = &self.module.expr(call).kind else { return None };
        Some(UnusedForward {
            span: self.module.expr(call).span,
            callee: self.module.expr(*callee).span,
            in_loop,
            inside_training: self.inside_training(&forward.moment, innermost)
                || forward.functions.last().is_some_and(|function| self.record.training.contains(function)),
            feeds_back,
            from_noise: self.record.noise.contains(&id),
            is_kept: false,
            consumed: self.comes_to(id, |node| node.consumed),
            leaves: self.leaves(id),
            evaluating: forward.evaluating,
            inside_forward: forward.inside_forward,
            region: self.region(forward, depth),
        })
    }

    /// Where a forward pass is to be told, and how many functions are under way there: where it stands, or, when training
    /// goes through the same line or a module's own method takes a step, where the loop calls the code that it stands in.
    fn place_of(&self, forward: &Forward, innermost: LoopId, feeds_back: bool) -> (ExprId, usize) {
        let here = (forward.call, forward.functions.len());
        let trains_too = self
            .record
            .forwards
            .iter()
            .any(|(id, other)| other.call == forward.call && self.visited.contains(id));
        let Some(position) = forward.moment.iter().position(|(open, _)| *open == innermost) else {
            return here;
        };
        let from_loop = forward.calls.iter().position(|(_, loops)| *loops > position);
        match from_loop {
            Some(index) if trains_too || forward.in_module && feeds_back => {
                let entered = forward.functions.len().saturating_sub(forward.calls.len());
                forward.calls.get(index).map_or(here, |(call, _)| (*call, entered + index))
            }
            _ => here,
        }
    }

    /// The code around a forward pass that trains nothing: the function `depth` calls deep, or the outermost loop of it
    /// that does not.
    pub(super) fn region(&self, forward: &Forward, depth: usize) -> Region {
        if forward.switched_on {
            // Switching them off further out would change nothing.
            return Region::Nothing;
        }
        let function = forward.functions.get(..depth).and_then(<[_]>::last).copied();
        if let Some(function) = function
            && !self.record.training.contains(&function)
            && matches!(self.module.function(function).body, FunctionBody::Block(_))
            && !self.module.function(function).is_async
        {
            return Region::Function(function);
        }
        let mut loops = forward.moment.iter().filter_map(|(open, _)| self.record.loop_of(*open));
        loops
            .find(|open| open.function == function && !self.ever_trains(open))
            .and_then(|open| open.stmt)
            .map_or(Region::Nothing, Region::Statement)
    }

    /// Whether the text of a loop trains in any calling context.
    fn ever_trains(&self, known: &Loop) -> bool {
        self.record.loops.iter().any(|other| other.span == known.span && other.trains_within)
    }
}
