//! The cycles of a graph: its strongly connected parts.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::python::facts::Results;
use crate::python::graph::{Graph, LoopId, Node, NodeId};

/// The strongly connected parts of a graph, over the nodes that are admitted.
#[derive(Default)]
pub(super) struct Cycles {
    parts: Vec<Part>,
    part_of: FxHashMap<NodeId, usize>,
}

/// Nodes that all reach each other.
#[derive(Default)]
struct Part {
    /// In order.
    members: Vec<NodeId>,
    /// The loops that carry a cycle over the members, in order.
    carriers: SmallVec<[LoopId; 1]>,
}

impl Cycles {
    /// The cycles of `graph` over nodes that `through` admits.
    pub(super) fn of(graph: &Graph, results: &Results, through: impl Fn(&Node) -> bool) -> Self {
        let mut cycles = Cycles::default();
        for root in parents_first(graph, &through).into_iter().rev() {
            if !cycles.part_of.contains_key(&root) {
                cycles.gather(graph, results, root, &through);
            }
        }
        cycles
    }

    /// The nodes on cycles through `id`, itself among them, in order.
    pub(super) fn members(&self, id: NodeId) -> &[NodeId] {
        self.part(id).map_or(&[], |part| &part.members)
    }

    /// The loops that carry a cycle through `id`.
    pub(super) fn carriers(&self, id: NodeId) -> &[LoopId] {
        self.part(id).map_or(&[], |part| &part.carriers)
    }

    /// The members of every part that some loop carries a cycle over.
    pub(super) fn carried(&self) -> impl Iterator<Item = &[NodeId]> {
        self.parts.iter().filter(|part| !part.carriers.is_empty()).map(|part| part.members.as_slice())
    }

    /// Whether some cycle goes through both nodes.
    pub(super) fn join(&self, one: NodeId, other: NodeId) -> bool {
        self.part_of.get(&one).is_some_and(|part| self.part_of.get(&other) == Some(part))
    }

    fn part(&self, id: NodeId) -> Option<&Part> {
        self.parts.get(*self.part_of.get(&id)?)
    }

    /// Gathers the part of `root`: whatever is made from it and is in no part yet.
    fn gather(&mut self, graph: &Graph, results: &Results, root: NodeId, through: &impl Fn(&Node) -> bool) {
        let number = self.parts.len();
        let mut part = Part::default();
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            if !through(graph.node(id)) || self.part_of.contains_key(&id) {
                continue;
            }
            self.part_of.insert(id, number);
            part.members.push(id);
            pending.extend(results.get(&id).into_iter().flatten());
        }
        part.members.sort_unstable();
        for (parent, carrier) in part.members.iter().flat_map(|member| &graph.node(*member).carried) {
            if self.part_of.get(parent) == Some(&number) {
                part.carriers.push(*carrier);
            }
        }
        part.carriers.sort_unstable();
        part.carriers.dedup();
        self.parts.push(part);
    }
}

/// The nodes that `through` admits, each behind those of its ancestors that do not come from it.
fn parents_first(graph: &Graph, through: impl Fn(&Node) -> bool) -> Vec<NodeId> {
    let mut order = Vec::new();
    let mut seen = FxHashSet::default();
    let mut pending: Vec<(NodeId, bool)> = graph.ids().map(|id| (id, false)).collect();
    while let Some((id, entered)) = pending.pop() {
        if entered {
            order.push(id);
        } else if through(graph.node(id)) && seen.insert(id) {
            pending.push((id, true));
            pending.extend(graph.node(id).parents.iter().map(|parent| (parent, false)));
        }
    }
    order
}
