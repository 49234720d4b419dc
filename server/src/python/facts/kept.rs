//! Graphs that outlive the iteration that built them.

use rustc_hash::FxHashSet;

use crate::python::facts::fate::rank;
use crate::python::facts::origins::Carrier;
use crate::python::facts::{Facts, is_light};
use crate::python::graph::{LoopId, Moment, NodeId, NodeKind, NodeSet};
use crate::python::record::{Bound, Collect};
use crate::python::script::{Keeping, Kept, KeptValue};
use crate::python::syntax::{ExprId, StmtId};

impl Facts<'_> {
    pub(super) fn sums(&self) -> Vec<Kept> {
        let mut seen = FxHashSet::default();
        let mut sums = Vec::new();
        for id in self.graph.ids() {
            let node = self.graph.node(id);
            if !is_light(node) || node.carried.is_empty() {
                continue;
            }
            let Some(stmt) = self.record.statements.get(&id).copied() else { continue };
            let loops = self.graph.cycles(id, is_light);
            let open = node.moment.iter().rev().map(|(open, _)| *open).filter(|open| loops.contains(open));
            let innermost = self.innermost_that_builds(open, &NodeSet::one(id), &node.moment);
            let Some(kept) = innermost.and_then(|carrier| self.sum(id, stmt, carrier)) else { continue };
            if seen.insert((kept.span, rank(kept.fate))) {
                sums.push(kept);
            }
        }
        sums
    }

    /// The running total that `id` is a step of, in the loop that carries it.
    fn sum(&self, id: NodeId, stmt: StmtId, carrier: Carrier) -> Option<Kept> {
        let members = self.cycle_of(id);
        let here: Vec<NodeId> = members
            .iter()
            .copied()
            .filter(|member| self.record.statements.get(member) == Some(&stmt))
            .collect();
        let fresh = self.fresh_operands(id, &members, &here);
        let carrying: NodeSet = fresh.iter().filter(|operand| self.carrying.contains(operand)).collect();
        if carrying.is_empty() {
            return None;
        }
        let fate = self.fate(&carrying, Some(id), carrier);
        let concatenated =
            members.iter().any(|member| self.graph.node(*member).kind == NodeKind::Concatenation);
        let dropped = members.iter().any(|member| {
            let holders = self.record.holders.get(member).into_iter().flatten();
            holders.into_iter().any(|place| self.record.resets.contains(&(place.clone(), carrier.id)))
        });
        let handed_over = self.record.handed_over.get(&id).copied();
        let span = handed_over.map_or(self.module.stmt(stmt).span, |call| self.module.expr(call).span);
        let target = self.target_of(stmt);
        Some(Kept {
            keeping: if concatenated { Keeping::Concatenation } else { Keeping::Sum },
            span,
            target: target.map_or(span, |target| self.module.expr(target).span),
            values: match handed_over {
                Some(call) => self.handed_over(call),
                None => match self.addend_of(stmt) {
                    Some(addend) => vec![self.kept_value(addend)],
                    None => self.operands_in(stmt, &carrying),
                },
            },
            stored_at: handed_over.map(|_| self.module.stmt(stmt).span),
            fate,
            scalar: carrying.iter().all(|operand| self.graph.node(operand).scalar),
            host: carrying.iter().all(|operand| self.graph.node(operand).host),
            with_tensors: false,
            built_by: self.built_by(&carrying, carrier),
            in_loop: self.loop_facts(carrier.id)?,
            inside_training: self.inside_training(carrier.now, carrier.id),
            dropped,
            capacity: None,
            leaves: members.iter().any(|member| self.leaves(*member)),
            evaluating: self.evaluating(&carrying),
            region: self.region_of(&carrying, carrier),
            from_number: members.iter().any(|member| self.record.from_number.contains(member)),
            target_has_methods: target.is_some_and(|target| self.has_methods(target, stmt)),
        })
    }

    /// The expressions inside a statement that make some nodes, if all of them are made there.
    fn operands_in(&self, stmt: StmtId, nodes: &NodeSet) -> Vec<KeptValue> {
        let made = nodes.iter().map(|node| self.record.exprs.get(&node).copied());
        let inside = |expr: &ExprId| self.scopes.statement_of(*expr) == Some(stmt);
        let values: Option<Vec<KeptValue>> =
            made.map(|expr| expr.filter(inside).map(|expr| self.kept_value(expr))).collect();
        values.unwrap_or_default()
    }

    /// Whether what a loop's iterations keep can pile up: inside a forward pass it is that pass's own activations.
    fn piles_up(&self, id: LoopId) -> bool {
        self.record.loop_of(id).is_some_and(|known| !known.inside_forward && !known.is_short)
    }

    /// Of loops from the innermost outwards, the first in which a forward pass builds some nodes; if there is none,
    /// the first in which any of them is made. `now` is when they are kept.
    fn innermost_that_builds<'m>(
        &self,
        loops: impl Iterator<Item = LoopId>,
        nodes: &NodeSet,
        now: &'m Moment,
    ) -> Option<Carrier<'m>> {
        let loops = loops.filter(|open| self.piles_up(*open));
        let carriers: Vec<Carrier> = loops.map(|id| Carrier { id, now }).collect();
        let builds = |carrier: &&Carrier| !self.built_by(nodes, **carrier).is_empty();
        let makes =
            |carrier: &&Carrier| nodes.iter().any(|node| carrier.renews(&self.graph.node(node).moment));
        carriers.iter().find(builds).or_else(|| carriers.iter().find(makes)).copied()
    }

    /// The nodes on light cycles through `id`.
    fn cycle_of(&self, id: NodeId) -> Vec<NodeId> {
        let below = |start: NodeId| {
            let mut seen = FxHashSet::default();
            let mut pending = vec![start];
            while let Some(current) = pending.pop() {
                if is_light(self.graph.node(current)) && seen.insert(current) {
                    pending.extend(self.graph.node(current).parents.iter());
                }
            }
            seen
        };
        let mut members: Vec<NodeId> =
            below(id).into_iter().filter(|member| below(*member).contains(&id)).collect();
        members.sort_unstable();
        members
    }

    /// What some steps of a total, of all its `members`, add in each iteration: operands that do not depend on the total
    /// themselves.
    fn fresh_operands(&self, id: NodeId, members: &[NodeId], steps: &[NodeId]) -> NodeSet {
        let operands = steps.iter().flat_map(|step| self.graph.node(*step).parents.iter());
        operands
            .filter(|operand| !members.contains(operand))
            .filter(|operand| !self.graph.reach(&NodeSet::one(*operand), None).contains(&id))
            .collect()
    }

    pub(super) fn collections(&self) -> Vec<Kept> {
        let mut collects: Vec<&Collect> = self.record.collects.values().collect();
        collects.sort_by_key(|collect| collect.span);
        collects.into_iter().filter_map(|collect| self.collection(collect)).collect()
    }

    fn collection(&self, collect: &Collect) -> Option<Kept> {
        let carrying: NodeSet = collect.graph.iter().filter(|node| self.carrying.contains(node)).collect();
        let alive = collect.loops.iter().rev().copied().filter(|open| collect.alive_after.contains(open));
        let carrier = self.innermost_that_builds(alive, &carrying, &collect.moment)?;
        if carrying.is_empty() {
            return None;
        }
        let holders = self.record.collection_holders.get(&collect.object).into_iter().flatten();
        let reset =
            holders.into_iter().any(|place| self.record.resets.contains(&(place.clone(), carrier.id)));
        let span = collect.blamed.map_or(collect.span, |call| self.module.expr(call).span);
        Some(Kept {
            keeping: Keeping::Collection,
            span,
            target: collect.target,
            values: match collect.blamed {
                Some(call) => self.handed_over(call),
                None => collect.values.iter().map(|value| self.kept_value(*value)).collect(),
            },
            stored_at: collect.blamed.map(|_| collect.span),
            fate: self.fate(&carrying, None, carrier),
            scalar: carrying.iter().all(|node| self.graph.node(node).scalar),
            host: carrying.iter().all(|node| self.graph.node(node).host),
            with_tensors: collect.with_tensors,
            built_by: self.built_by(&carrying, carrier),
            in_loop: self.loop_facts(carrier.id)?,
            inside_training: self.inside_training(carrier.now, carrier.id),
            dropped: reset || self.record.drops.contains(&(collect.object, carrier.id)),
            capacity: match collect.bound {
                Bound::None => None,
                Bound::Capacity(capacity) => Some(capacity),
            },
            leaves: carrying.iter().any(|node| self.leaves(node)),
            evaluating: self.evaluating(&carrying),
            region: self.region_of(&carrying, carrier),
            from_number: false,
            target_has_methods: true,
        })
    }
}
