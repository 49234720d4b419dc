//! Where a graph comes from and where it goes.

use rustc_hash::FxHashSet;
use vramlens_grammars::Span;

use crate::python::facts::Facts;
use crate::python::graph::{LoopId, Moment, Node, NodeId, NodeSet};
use crate::python::record::Forward;
use crate::python::script::{LoopFacts, Region};

/// A loop over whose iterations something is kept, and the moment when it is.
#[derive(Clone, Copy)]
pub(super) struct Carrier<'m> {
    /// The loop.
    pub id: LoopId,
    /// The loops open when something is kept.
    pub now: &'m Moment,
}

impl Carrier<'_> {
    /// Whether something made at a moment is made anew by every iteration: inside the loop, or by a generator that the
    /// loop drains.
    pub(super) fn renews(self, made: &Moment) -> bool {
        made.iter().any(|(open, _)| *open == self.id) || self.is_drained(made)
    }

    /// Whether something was made in a loop that has ended: a generator's.
    pub(super) fn is_drained(self, made: &Moment) -> bool {
        made.last().is_some_and(|(last, _)| !self.now.iter().any(|(open, _)| open == last))
    }
}

impl Facts<'_> {
    /// Whether something is made from a node that `holds` for.
    pub(super) fn comes_to(&self, id: NodeId, holds: impl Fn(&Node) -> bool) -> bool {
        let mut seen = FxHashSet::default();
        let mut pending = vec![id];
        while let Some(current) = pending.pop() {
            if !seen.insert(current) {
                continue;
            }
            if holds(self.graph.node(current)) {
                return true;
            }
            pending.extend(self.results.get(&current).into_iter().flatten());
        }
        false
    }

    pub(super) fn leaves(&self, id: NodeId) -> bool {
        self.comes_to(id, |node| node.escapes)
    }

    /// The forward passes inside a loop that some nodes come from.
    pub(super) fn built_by(&self, nodes: &NodeSet, carrier: Carrier) -> Vec<Span> {
        let inside = self.forwards_of(nodes).filter(|forward| carrier.renews(&forward.moment));
        let mut spans: Vec<Span> = inside.map(|forward| self.module.expr(forward.call).span).collect();
        spans.sort_unstable();
        spans.dedup();
        spans
    }

    /// Where gradients can be switched off around the forward pass inside a loop that some nodes come from.
    pub(super) fn region_of(&self, nodes: &NodeSet, carrier: Carrier) -> Region {
        self.forwards_of(nodes)
            .filter(|forward| !forward.inside_forward)
            .find(|forward| carrier.renews(&forward.moment))
            .map_or(Region::Nothing, |forward| self.region(forward, forward.functions.len()))
    }

    pub(super) fn evaluating(&self, nodes: &NodeSet) -> Option<Span> {
        self.forwards_of(nodes).find_map(|forward| forward.evaluating)
    }

    pub(super) fn forwards_of(&self, nodes: &NodeSet) -> impl Iterator<Item = &Forward> {
        let mut reached: Vec<NodeId> = self.graph.reach(nodes, None).into_iter().collect();
        reached.sort_unstable();
        reached.into_iter().filter_map(|id| self.record.forwards.get(&id))
    }

    pub(super) fn loop_facts(&self, id: LoopId) -> Option<LoopFacts> {
        let known = self.record.loop_of(id)?;
        Some(LoopFacts { span: known.span, trains: known.trains, trains_within: known.trains_within })
    }

    /// Whether some loop open at a moment, around a given one, trains.
    pub(super) fn inside_training(&self, moment: &Moment, inner: LoopId) -> bool {
        let around = moment.iter().take_while(|(open, _)| *open != inner);
        around.filter_map(|(open, _)| self.record.loop_of(*open)).any(|around| around.trains)
    }
}
