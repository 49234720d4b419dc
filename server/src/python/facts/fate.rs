//! What backwards do to a graph that is kept.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::python::facts::Facts;
use crate::python::facts::origins::Carrier;
use crate::python::graph::{Moment, NodeId, NodeKind, NodeSet};
use crate::python::record::Backward;
use crate::python::script::Fate;

/// The backwards of a program, in the order of their text, and what each visits.
#[derive(Default)]
pub(super) struct Visits {
    backwards: Vec<Backward>,
    /// The numbers of the backwards that visit a node, in order.
    of: FxHashMap<NodeId, SmallVec<[usize; 1]>>,
}

impl Visits {
    /// Whether some backward visits a node.
    pub(super) fn any(&self, node: NodeId) -> bool {
        self.of.contains_key(&node)
    }

    /// The backwards that visit a node.
    pub(super) fn backwards_over(&self, node: NodeId) -> impl Iterator<Item = &Backward> {
        self.of(node).iter().filter_map(|number| self.backwards.get(*number))
    }

    fn of(&self, node: NodeId) -> &[usize] {
        self.of.get(&node).map_or(&[], SmallVec::as_slice)
    }

    fn visits(&self, backward: usize, node: NodeId) -> bool {
        self.of(node).binary_search(&backward).is_ok()
    }
}

/// What the backwards visit without passing through one node.
struct Around {
    total: Option<NodeId>,
    /// For the backwards that do pass through it.
    reached: FxHashMap<usize, FxHashSet<NodeId>>,
}

impl Facts<'_> {
    /// Follows every backward.
    pub(super) fn visits(&self) -> Visits {
        let mut backwards: Vec<Backward> = self.record.backwards.values().cloned().collect();
        backwards.sort_by_key(|backward| backward.span);
        let mut visits = Visits::default();
        for (number, backward) in backwards.iter().enumerate() {
            for node in self.reach(&backward.roots, None) {
                visits.of.entry(node).or_default().push(number);
            }
        }
        Visits { backwards, ..visits }
    }

    /// What backwards do to some nodes that are kept over the iterations of a loop. `total` is the node through which
    /// a backward reaches them only as part of the total.
    pub(super) fn fate(&self, nodes: &NodeSet, total: Option<NodeId>, carrier: Carrier) -> Fate {
        let mut around = Around { total, reached: FxHashMap::default() };
        let fates = nodes.iter().map(|node| self.fate_of(node, &mut around, carrier));
        // Of fates that keep as much, the first.
        fates.reduce(|one, other| if rank(other) > rank(one) { other } else { one }).unwrap_or(Fate::Never)
    }

    fn fate_of(&self, node: NodeId, around: &mut Around, carrier: Carrier) -> Fate {
        let mut fate = Fate::Never;
        // Made and sent through backward by the same iteration, if not of this loop, then of a generator's.
        let made = &self.graph.node(node).moment;
        let finished = carrier.is_drained(made);
        for number in self.backwards_near(node) {
            let Some(backward) = self.visits.backwards.get(number) else { continue };
            let together = finished && same_loops(made, &backward.moment);
            let inside = together || backward.moment.iter().any(|(open, _)| *open == carrier.id);
            let directly = inside && self.is_visited(node, number, around);
            let found = if directly && !backward.is_partial {
                if backward.retains { Fate::Retained(backward.told) } else { Fate::Freed(backward.told) }
            } else if self.visits.visits(number, node) {
                Fate::SentThrough(backward.told)
            } else {
                continue;
            };
            if fate == Fate::Never || rank(found) < rank(fate) {
                fate = found;
            }
        }
        fate
    }

    /// The backwards that visit a node or something that it passes on.
    fn backwards_near(&self, node: NodeId) -> Vec<usize> {
        let mut near = Vec::new();
        let mut seen = FxHashSet::default();
        let mut pending = vec![node];
        while let Some(id) = pending.pop() {
            if seen.insert(id) {
                self.spend(1);
                near.extend_from_slice(self.visits.of(id));
                pending.extend(self.passed_on_by(id).into_iter().flatten());
            }
        }
        near.sort_unstable();
        near.dedup();
        near
    }

    /// Whether a backward visits a node other than as part of the total, or all that it passes on.
    fn is_visited(&self, node: NodeId, number: usize, around: &mut Around) -> bool {
        let passes = around.total.is_some_and(|total| self.visits.visits(number, total));
        if !passes {
            return self.all_visited(node, |id| self.visits.visits(number, id));
        }
        let Some(backward) = self.visits.backwards.get(number) else { return false };
        let total = around.total;
        let reached = around.reached.entry(number).or_insert_with(|| self.reach(&backward.roots, total));
        self.all_visited(node, |id| reached.contains(&id))
    }

    /// Whether a node is visited, or only passes on what is, and saves nothing itself: `loss * n` after
    /// `loss.backward()`, a copy in host memory.
    fn all_visited(&self, node: NodeId, is_visited: impl Fn(NodeId) -> bool) -> bool {
        let mut pending = vec![node];
        let mut seen = FxHashSet::default();
        let mut some = false;
        while let Some(id) = pending.pop() {
            if is_visited(id) {
                some = true;
                continue;
            }
            if !seen.insert(id) {
                continue;
            }
            self.spend(1);
            match self.passed_on_by(id) {
                Some(operands) => pending.extend(operands),
                None => return false,
            }
        }
        some
    }

    /// The operands that a node passes on, if it saves nothing itself.
    fn passed_on_by(&self, id: NodeId) -> Option<SmallVec<[NodeId; 4]>> {
        let node = self.graph.node(id);
        let operands: SmallVec<[NodeId; 4]> =
            node.parents.iter().filter(|operand| self.carrying.contains(operand)).collect();
        let numbers = operands.iter().all(|operand| self.graph.node(*operand).scalar);
        let adds = !node.kind.is_leaf() && !matches!(node.kind, NodeKind::Forward | NodeKind::Call);
        (!operands.is_empty() && (adds && numbers || node.passes)).then_some(operands)
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
