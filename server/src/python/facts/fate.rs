//! What backwards do to a graph that is kept.

use rustc_hash::FxHashSet;

use crate::python::facts::Facts;
use crate::python::facts::origins::Carrier;
use crate::python::graph::{Moment, NodeId, NodeKind, NodeSet};
use crate::python::record::Backward;
use crate::python::script::Fate;

impl Facts<'_> {
    /// What backwards do to some nodes that are kept over the iterations of a loop. `total` is the node through which
    /// a backward reaches them only as part of the total.
    pub(super) fn fate(&self, nodes: &NodeSet, total: Option<NodeId>, carrier: Carrier) -> Fate {
        let mut fates: Vec<Fate> = nodes.iter().map(|node| self.fate_of(node, total, carrier)).collect();
        fates.sort_by_key(|fate| std::cmp::Reverse(rank(*fate)));
        fates.into_iter().next().unwrap_or(Fate::Never)
    }

    fn fate_of(&self, node: NodeId, total: Option<NodeId>, carrier: Carrier) -> Fate {
        let mut fate = Fate::Never;
        let mut backwards: Vec<_> = self.record.backwards.values().collect();
        backwards.sort_by_key(|backward| backward.span);
        for backward in backwards {
            // Made and sent through backward by the same iteration, if not of this loop, then of a generator's.
            let made = &self.graph.node(node).moment;
            let together = carrier.is_drained(made) && same_loops(made, &backward.moment);
            let inside = together || backward.moment.iter().any(|(open, _)| *open == carrier.id);
            let directly = self.graph.reach(&backward.roots, total).contains(&node)
                || self.passed_on(node, backward, total);
            let found = if directly && inside {
                if backward.retains { Fate::Retained(backward.span) } else { Fate::Freed(backward.span) }
            } else if self.graph.reach(&backward.roots, None).contains(&node) {
                Fate::SentThrough(backward.span)
            } else {
                continue;
            };
            if fate == Fate::Never || rank(found) < rank(fate) {
                fate = found;
            }
        }
        fate
    }

    /// Whether a node only passes on what a backward visits, and saves nothing itself: `loss * n` after
    /// `loss.backward()`, a copy in host memory.
    fn passed_on(&self, node: NodeId, backward: &Backward, total: Option<NodeId>) -> bool {
        let reached = self.graph.reach(&backward.roots, total);
        let mut pending = vec![node];
        let mut seen = FxHashSet::default();
        let mut passes = false;
        while let Some(id) = pending.pop() {
            if reached.contains(&id) || !seen.insert(id) {
                passes |= reached.contains(&id);
                continue;
            }
            let current = self.graph.node(id);
            let operands: Vec<NodeId> =
                current.parents.iter().filter(|operand| self.carrying.contains(operand)).collect();
            let numbers = operands.iter().all(|operand| self.graph.node(*operand).scalar);
            let adds = matches!(current.kind, NodeKind::Arithmetic | NodeKind::Scaling | NodeKind::Reduction);
            if operands.is_empty() || !(adds && numbers || current.passes) {
                return false;
            }
            pending.extend(operands);
        }
        passes
    }
}

fn same_loops(one: &Moment, other: &Moment) -> bool {
    one.iter().map(|(open, _)| open).eq(other.iter().map(|(open, _)| open))
}

/// Fates from the one that keeps least to the one that keeps most.
pub(super) fn rank(fate: Fate) -> u8 {
    match fate {
        Fate::SentThrough(_) => 1,
        Fate::Freed(_) => 0,
        Fate::Retained(_) => 2,
        Fate::Never => 3,
    }
}
