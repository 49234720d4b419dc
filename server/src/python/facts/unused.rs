//! Forward passes whose graph no backward visits.

use rustc_hash::FxHashSet;

use crate::python::facts::Facts;
use crate::python::graph::{LoopId, NodeId};
use crate::python::record::Forward;
use crate::python::script::{Region, UnusedForward};
use crate::python::syntax::{ExprKind, FunctionBody};

impl Facts<'_> {
    pub(super) fn unused_forwards(&self) -> Vec<UnusedForward> {
        let mut visited = FxHashSet::default();
        for backward in self.record.backwards.values() {
            visited.extend(self.graph.reach(&backward.roots, None));
        }
        let mut forwards: Vec<(&NodeId, &Forward)> = self.record.forwards.iter().collect();
        forwards.sort_by_key(|(id, _)| **id);
        forwards
            .into_iter()
            .filter(|(id, _)| !visited.contains(id))
            .filter_map(|(id, forward)| self.unused_forward(*id, forward))
            .collect()
    }

    pub(super) fn unused_forward(&self, id: NodeId, forward: &Forward) -> Option<UnusedForward> {
        let is_long = |open: &LoopId| self.record.loop_of(*open).is_some_and(|known| !known.is_short);
        let innermost = forward.moment.iter().rev().map(|(open, _)| *open).find(is_long)?;
        let in_loop = self.loop_facts(innermost)?;
        let ExprKind::Call { callee, .. } = &self.module.expr(forward.call).kind else { return None };
        Some(UnusedForward {
            span: self.module.expr(forward.call).span,
            callee: self.module.expr(*callee).span,
            in_loop,
            inside_training: self.inside_training(&forward.moment, innermost),
            feeds_back: !self.graph.cycles(id, |_| true).is_empty(),
            from_noise: self.record.noise.contains(&id),
            consumed: self.comes_to(id, |node| node.consumed),
            leaves: self.leaves(id),
            evaluating: forward.evaluating,
            inside_forward: forward.inside_forward,
            region: self.region(forward),
        })
    }

    /// The code around a forward pass that trains nothing: its function, or the outermost loop of it that does not.
    pub(super) fn region(&self, forward: &Forward) -> Region {
        let function = forward.functions.last().copied();
        if let Some(function) = function
            && !self.record.training.contains(&function)
            && matches!(self.module.function(function).body, FunctionBody::Block(_))
        {
            return Region::Function(function);
        }
        let mut loops = forward.moment.iter().filter_map(|(open, _)| self.record.loop_of(*open));
        loops
            .find(|open| open.function == function && !open.trains_within)
            .and_then(|open| open.stmt)
            .map_or(Region::Nothing, Region::Statement)
    }
}
