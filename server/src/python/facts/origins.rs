//! Where a graph comes from and where it goes.

use vramlens_grammars::Span;

use crate::python::facts::Facts;
use crate::python::graph::{LoopId, Moment, Node, NodeId, NodeKind, NodeSet};
use crate::python::record::{Forward, Loop};
use crate::python::script::{LoopFacts, Region};
use crate::python::syntax::ExprId;

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
    /// The forward passes inside a loop, of those that something comes from.
    pub(super) fn built_by(&self, forwards: &[&Forward], carrier: Carrier) -> Vec<Span> {
        let inside = forwards.iter().filter(|forward| carrier.renews(&forward.moment));
        let mut spans: Vec<Span> =
            inside.filter_map(|forward| Some(self.module.expr(self.told_call(forward)?.0).span)).collect();
        spans.sort_unstable();
        spans.dedup();
        spans
    }

    /// Whether every iteration of a loop starts the graph of some nodes anew.
    pub(super) fn starts_inside(&self, nodes: &NodeSet, carrier: Carrier) -> bool {
        let starts = |node: &Node| match node.kind {
            NodeKind::Forward => true,
            NodeKind::Call => node.parents.is_empty(),
            _ => false,
        };
        self.reach(nodes, None)
            .into_iter()
            .map(|id| self.graph.node(id))
            .any(|node| starts(node) && carrier.renews(&node.moment))
    }

    /// Where gradients can be switched off around the forward pass inside a loop, of those that something comes from.
    pub(super) fn region_of(&self, forwards: &[&Forward], carrier: Carrier) -> Region {
        forwards
            .iter()
            .find(|forward| !forward.inside_forward && carrier.renews(&forward.moment))
            .and_then(|forward| Some(self.region(forward, self.told_call(forward)?.1)))
            .unwrap_or(Region::Nothing)
    }

    /// The call that stands for a forward pass in the document's own code, and how many functions are under way there:
    /// itself, or the call of another file's code that runs it.
    pub(super) fn told_call(&self, forward: &Forward) -> Option<(ExprId, usize)> {
        if self.module.is_own_expr(forward.call) {
            return Some((forward.call, forward.functions.len()));
        }
        let entered = forward.functions.len().saturating_sub(forward.calls.len());
        let index = forward.calls.iter().rposition(|(call, _)| self.module.is_own_expr(*call))?;
        let (call, _) = forward.calls.get(index)?;
        Some((*call, entered + index))
    }

    /// The forward passes that some nodes come from.
    pub(super) fn forwards_of(&self, nodes: &NodeSet) -> Vec<&Forward> {
        let mut reached: Vec<NodeId> = self.reach(nodes, None).into_iter().collect();
        reached.sort_unstable();
        reached.into_iter().filter_map(|id| self.record.forwards.get(&id)).collect()
    }

    /// What is known of a loop of the document's own code.
    pub(super) fn loop_facts(&self, id: LoopId) -> Option<LoopFacts> {
        let known = self.record.loop_of(id).filter(|known| self.module.is_own_span(known.span))?;
        Some(facts_of(known))
    }

    /// Whether some loop open at a moment, around a given one, trains.
    pub(super) fn inside_training(&self, moment: &Moment, inner: LoopId) -> bool {
        let around = moment.iter().take_while(|(open, _)| *open != inner);
        around.filter_map(|(open, _)| self.record.loop_of(*open)).any(|around| around.trains)
    }
}

/// What is known of a loop, wherever it stands.
pub(super) fn facts_of(known: &Loop) -> LoopFacts {
    LoopFacts {
        span: known.span,
        trains: known.trains,
        trains_within: known.trains_within,
        over_data: known.over_data,
        in_module: known.in_module,
        over: known.over,
        iterated: known.iterated,
        loads: known.loads,
    }
}
