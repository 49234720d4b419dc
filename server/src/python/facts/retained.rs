//! Backwards that retain a graph which nothing of the same iteration needs any more.

use rustc_hash::FxHashSet;

use crate::python::facts::Facts;
use crate::python::graph::{LoopId, NodeId, NodeKind};
use crate::python::record::Backward;
use crate::python::script::RetainedGraph;

impl Facts<'_> {
    /// The backwards in loops that retain their graph for no later one of the same iteration.
    pub(super) fn retained(&self) -> Vec<RetainedGraph> {
        if self.is_exhausted() {
            return Vec::new();
        }
        let is_own = |one: &&Backward| self.module.is_own_span(one.span);
        let retaining = self.record.backwards.values().filter(is_own);
        let retaining = retaining.filter(|one| one.retains && !one.creates_graph);
        let mut needed = FxHashSet::default();
        let mut retained = Vec::new();
        for backward in retaining {
            match self.retained_by(backward) {
                Some(found) => retained.push(found),
                // What one way of reaching it needs, all must keep.
                None => {
                    needed.insert(backward.span);
                }
            }
        }
        retained.retain(|found| !needed.contains(&found.span));
        retained.sort_by_key(|found| found.span);
        retained.dedup_by_key(|found| found.span);
        retained
    }

    /// What a backward retains in vain; `None` when a later one needs it, or may.
    fn retained_by(&self, backward: &Backward) -> Option<RetainedGraph> {
        let innermost = backward.moment.iter().rev().map(|(open, _)| *open).next()?;
        let visited: Vec<NodeId> = self
            .reach(&backward.roots, None)
            .into_iter()
            .filter(|id| !self.graph.node(*id).kind.is_leaf())
            .collect();
        if visited.is_empty() || !visited.iter().any(|id| self.carrying.contains(id)) {
            return None;
        }
        if !visited.iter().any(|id| self.record.holders.contains_key(id)) {
            // Nothing has a name that would keep it: it goes with the statement.
            return None;
        }
        let others = self.record.backwards.values().filter(|other| other.span != backward.span);
        let mut later = others.filter(|other| may_follow(backward, other));
        let is_needed = self.is_made_outside(&visited, innermost)
            || later.any(|other| {
                visited.iter().any(|id| self.visits.backwards_over(*id).any(|over| over.span == other.span))
            });
        if is_needed {
            return None;
        }
        let is_elsewhere = |id: &NodeId| {
            let is_call = |result: &NodeId| {
                self.graph.node(*result).kind == NodeKind::Call && !self.visits.any(*result)
            };
            let mut results =
                self.results.get(id).into_iter().flatten().filter(|result| !visited.contains(result));
            self.graph.node(*id).returned || results.any(is_call)
        };
        let mut inner = visited.iter().filter(|id| !backward.roots.contains(**id));
        let is_result = backward.roots.iter().any(|root| self.returned.contains(&root));
        let leaves = is_result || inner.any(is_elsewhere);
        Some(RetainedGraph {
            span: backward.span,
            call: backward.call?,
            in_loop: self.loop_facts(innermost)?,
            leaves,
        })
    }

    /// Whether some of what a backward visits was made outside of a loop: every iteration's backward then needs it.
    fn is_made_outside(&self, visited: &[NodeId], innermost: LoopId) -> bool {
        let carrying = visited.iter().filter(|id| self.carrying.contains(id));
        carrying.map(|id| self.graph.node(*id)).any(|node| {
            let builds = matches!(node.kind, NodeKind::Forward | NodeKind::Call | NodeKind::Operation);
            builds && !node.moment.iter().any(|(open, _)| *open == innermost)
        })
    }
}

/// Whether another backward may run behind one in the same iteration, as far as the order of the text tells.
fn may_follow(one: &Backward, other: &Backward) -> bool {
    let shares_loop =
        one.moment.iter().any(|(open, _)| other.moment.iter().any(|(theirs, _)| open == theirs));
    shares_loop && (other.function != one.function || other.span > one.span)
}
