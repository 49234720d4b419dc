//! States that carry the graph of one training step into the next.

use crate::python::facts::Facts;
use crate::python::facts::cycles::Cycles;
use crate::python::graph::{LoopId, NodeId, NodeKind};
use crate::python::record::{Backward, Forward};
use crate::python::script::{CarriedState, StateName};
use crate::python::syntax::FunctionId;
use crate::python::value::Place;

impl Facts<'_> {
    /// The forward passes that are given, with its graph, what the last iteration of a loop that trains made.
    pub(super) fn states(&self) -> Vec<CarriedState> {
        if !self.record.loops.iter().any(|known| known.trains) || self.is_exhausted() {
            return Vec::new();
        }
        let cycles = Cycles::of(&self.graph, &self.results, |node| node.kind != NodeKind::Call);
        let mut forwards: Vec<(&NodeId, &Forward)> = self.record.forwards.iter().collect();
        forwards.sort_by_key(|(id, _)| **id);
        let mut found: Vec<(NodeId, CarriedState)> = Vec::new();
        for (id, forward) in forwards {
            let Some(state) = self.state(*id, forward, &cycles) else { continue };
            // A network and its layers carry one state on: it is told once, where the loop names it best.
            match found.iter_mut().find(|(other, _)| cycles.join(*other, *id)) {
                Some(known) if tells_more(&state, &known.1) => *known = (*id, state),
                Some(_) => {}
                None => found.push((*id, state)),
            }
        }
        let mut states: Vec<CarriedState> = found.into_iter().map(|(_, state)| state).collect();
        states.sort_by_key(|state| state.span);
        states.dedup_by_key(|state| state.span);
        states
    }

    fn state(&self, id: NodeId, forward: &Forward, cycles: &Cycles) -> Option<CarriedState> {
        if !self.module.is_own_expr(forward.call) {
            return None;
        }
        let carriers = cycles.carriers(id);
        let trains = |open: &LoopId| {
            let known = self.record.loop_of(*open);
            known.is_some_and(|known| {
                known.is_calls || known.trains && !known.inside_forward && !known.is_short
            })
        };
        let mut open = forward.moment.iter().rev().map(|(open, _)| *open);
        let carrier = open.find(|open| carriers.contains(open) && trains(open))?;
        let known = self.record.loop_of(carrier)?;
        let backward = if known.is_calls { self.retaining()? } else { self.backward_in(id, carrier)? };
        if self.record.by_usage.contains(&forward.object) && !backward.retains {
            // It would have failed at its second step: its class, in another file, must cut the graph itself.
            return None;
        }
        let is_cut = |place: &Place| self.record.cuts.contains(&(place.clone(), carrier));
        let members = cycles.members(id);
        self.spend(members.len());
        let mut held =
            members.iter().flat_map(|member| self.record.holders.get(member).into_iter().flatten());
        if known.is_calls && self.is_replaced_elsewhere(forward) {
            return None;
        }
        if held.any(is_cut) || forward.given.iter().any(|(_, place)| is_cut(place)) {
            return None;
        }
        let holds = |place: &Place| {
            let holds =
                |member: &NodeId| self.record.holders.get(member).is_some_and(|held| held.contains(place));
            members.iter().any(holds)
        };
        let named = forward.given.iter().filter(|(_, place)| holds(place));
        let names = named.map(|(expr, place)| StateName {
            span: self.module.expr(*expr).span,
            is_variable: matches!(place, Place::Variable(..)),
        });
        Some(CarriedState {
            span: self.module.expr(forward.call).span,
            callee: self.callee_of(forward.call),
            names: names.collect(),
            made_from: self.record.made_from.get(&forward.object).cloned(),
            in_loop: self.loop_facts(carrier)?,
            loop_stmt: known.stmt,
            in_loops_code: known.function == forward.functions.last().copied(),
            backward: backward.told,
            retained: backward.retains,
        })
    }

    /// A backward in a loop that retains the graph: the sign that code of this file meets one graph again and again.
    fn retaining(&self) -> Option<&Backward> {
        let retaining = self.record.backwards.values().filter(|one| one.retains && !one.moment.is_empty());
        retaining.min_by_key(|one| one.span)
    }

    /// Whether a method other than the one that carries a state on gives the state a value.
    fn is_replaced_elsewhere(&self, forward: &Forward) -> bool {
        let by_others = |place: &Place| {
            let replaced = self.record.replaced.get(place).into_iter().flatten();
            let name = |function: FunctionId| self.module.name(self.module.function(function).name);
            let mut others = replaced.filter(|function| !forward.functions.contains(function));
            others.any(|function| name(*function) != "__init__")
        };
        forward.given.iter().any(|(_, place)| by_others(place))
    }

    /// A backward in some iteration of a loop that visits a node; one that retains the graph, if there is one.
    fn backward_in(&self, id: NodeId, carrier: LoopId) -> Option<&Backward> {
        let inside = |backward: &&Backward| backward.moment.iter().any(|(open, _)| *open == carrier);
        self.visits.backwards_over(id).filter(inside).max_by_key(|backward| backward.retains)
    }
}

/// Whether one forward pass says better than another which state it is: by its name, and beside the loop.
fn tells_more(one: &CarriedState, other: &CarriedState) -> bool {
    let says = |state: &CarriedState| (!state.names.is_empty(), state.in_loops_code);
    (says(one), other.span.start) > (says(other), one.span.start)
}
