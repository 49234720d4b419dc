//! From what happened to graphs to the facts that rules read.

mod fate;
mod kept;
mod origins;
mod text;
mod unused;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::python::graph::{Graph, Node, NodeId, NodeKind};
use crate::python::interpret::Outcome;
use crate::python::record::Record;
use crate::python::scopes::Scopes;
use crate::python::script::{Fate, Kept, UnusedForward};
use crate::python::syntax::Module;
use crate::python::usage::{self, Usages};

/// The facts of a program, in the order of its text.
pub(super) fn gather(module: &Module, outcome: Outcome) -> (Vec<Kept>, Vec<UnusedForward>) {
    let Outcome { graph, record, scopes, usages, .. } = outcome;
    let facts = Facts::new(module, graph, record, scopes, usages);
    let mut kept = facts.sums();
    // A total that is stored under a key is a total.
    let stored = facts.collections();
    kept.extend(
        stored
            .into_iter()
            .filter(|stored| !kept.iter().any(|sum| sum.span == stored.span))
            .collect::<Vec<_>>(),
    );
    kept.sort_by_key(|kept| kept.span);
    let mut unused = facts.unused_forwards();
    for forward in &mut unused {
        forward.is_kept =
            kept.iter().any(|kept| kept.fate == Fate::Never && kept.built_by.contains(&forward.span));
    }
    unused.sort_by_key(|forward| forward.span);
    (kept, unused)
}

struct Facts<'a> {
    module: &'a Module,
    graph: Graph,
    record: Record,
    scopes: Scopes,
    usages: Usages,
    /// Nodes that certainly carry a graph.
    carrying: FxHashSet<NodeId>,
    /// Nodes that some backward visits.
    visited: FxHashSet<NodeId>,
    /// The results that each node goes into.
    results: FxHashMap<NodeId, SmallVec<[NodeId; 2]>>,
}

impl<'a> Facts<'a> {
    fn new(module: &'a Module, graph: Graph, record: Record, scopes: Scopes, usages: Usages) -> Self {
        let mut results: FxHashMap<NodeId, SmallVec<[NodeId; 2]>> = FxHashMap::default();
        for id in graph.ids() {
            for parent in graph.node(id).parents.iter() {
                results.entry(parent).or_default().push(id);
            }
        }
        let mut facts = Self {
            module,
            graph,
            record,
            scopes,
            usages,
            carrying: FxHashSet::default(),
            visited: FxHashSet::default(),
            results,
        };
        facts.carrying = facts.carrying_nodes();
        for backward in facts.record.backwards.values() {
            facts.visited.extend(facts.graph.reach(&backward.roots, None));
        }
        facts
    }

    /// What is recorded for certain, what a backward proves, and what is computed from either.
    fn carrying_nodes(&self) -> FxHashSet<NodeId> {
        let mut pending: Vec<NodeId> = self
            .graph
            .ids()
            .filter(|id| self.graph.node(*id).certain && !self.record.pipelines.contains(id))
            .collect();
        pending.extend(self.proven());
        let losses = self.proven_callees(&pending);
        let mut carrying = FxHashSet::default();
        while let Some(id) = pending.pop() {
            if carrying.insert(id) {
                let results = self.results.get(&id).into_iter().flatten().copied();
                pending.extend(results.filter(|result| {
                    let is_loss = self.record.called.get(result).is_some_and(|path| losses.contains(path));
                    self.graph.node(*result).kind != NodeKind::Call || is_loss || self.judges(*result, id)
                }));
            }
        }
        carrying
    }

    /// What a call judges whose result carries a graph: of several values it is given, the one that this iteration
    /// made, as a model's output beside a loader's target.
    fn judged_by(&self, id: NodeId) -> Option<NodeId> {
        let node = self.graph.node(id);
        let is_made_here = |operand: &NodeId| {
            let operand = self.graph.node(*operand);
            operand.kind == NodeKind::Call && operand.moment.last() == node.moment.last()
        };
        let mut made = node.parents.iter().filter(is_made_here);
        let judged = made.next().filter(|_| made.next().is_none());
        judged.filter(|_| self.record.given.get(&id).is_some_and(|given| *given >= 2))
    }

    /// Whether a call of something handed in judges what an evaluated module returned: such a thing is a loss.
    fn judges(&self, result: NodeId, operand: NodeId) -> bool {
        self.record.given_callees.contains(&result)
            && self.record.forwards.get(&operand).is_some_and(|forward| forward.evaluating.is_some())
    }

    /// What was called to make something that a backward proves to carry a graph: it passes graphs on elsewhere, too.
    fn proven_callees(&self, proven: &[NodeId]) -> FxHashSet<usage::Path> {
        let calls = proven.iter().filter(|id| self.graph.node(**id).kind == NodeKind::Call);
        calls.filter_map(|id| self.record.called.get(id).cloned()).collect()
    }

    /// What `backward` is called on carries a graph, and so do the terms of a sum it is called on.
    fn proven(&self) -> FxHashSet<NodeId> {
        let mut proven = FxHashSet::default();
        for backward in self.record.backwards.values() {
            let here = backward.moment.last();
            let mut pending: Vec<NodeId> = backward.roots.iter().collect();
            while let Some(id) = pending.pop() {
                let node = self.graph.node(id);
                if node.moment.last() != here
                    && !backward.roots.contains(id)
                    && node.moment.len() < backward.moment.len()
                {
                    continue;
                }
                if !proven.insert(id) {
                    continue;
                }
                let is_sum = match node.kind {
                    NodeKind::Arithmetic | NodeKind::Reduction | NodeKind::Concatenation => true,
                    NodeKind::Scaling => node.parents.iter().count() == 1,
                    _ => false,
                };
                if is_sum {
                    pending.extend(node.parents.iter());
                }
                if let Some(judged) = self.judged_by(id) {
                    proven.insert(judged);
                }
            }
        }
        proven
    }
}

/// Operations that add, scale or put side by side: a cycle of them is a total.
fn is_light(node: &Node) -> bool {
    matches!(
        node.kind,
        NodeKind::Arithmetic | NodeKind::Scaling | NodeKind::Reduction | NodeKind::Concatenation
    )
}
