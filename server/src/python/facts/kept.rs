//! Graphs that outlive the iteration that built them.

use rustc_hash::FxHashSet;
use vramlens_grammars::Span;

use crate::python::facts::fate::rank;
use crate::python::facts::origins::Carrier;
use crate::python::facts::{Facts, is_light};
use crate::python::graph::{LoopId, Moment, NodeId, NodeKind, NodeSet};
use crate::python::record::{Bound, Collect, Forward};
use crate::python::script::{Fate, Keeping, Kept, KeptValue};
use crate::python::syntax::{ExprId, StmtId};

impl Facts<'_> {
    pub(super) fn sums(&self) -> Vec<Kept> {
        let mut seen = FxHashSet::default();
        let mut sums = Vec::new();
        for id in self.graph.ids().take_while(|_| !self.is_exhausted()) {
            let node = self.graph.node(id);
            if !is_light(node) || node.carried.is_empty() {
                continue;
            }
            let Some(stmt) = self.record.statements.get(&id).copied() else { continue };
            let loops = self.totals.carriers(id);
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
        let members = self.totals.members(id);
        self.spend(members.len());
        let fresh = self.fresh.get(&(*members.first()?, stmt))?;
        let carrying: NodeSet = fresh.iter().filter(|operand| self.has_history(*operand)).collect();
        if carrying.is_empty() {
            return None;
        }
        let fate = self.fate(&carrying, Some(id), carrier);
        let forwards = self.forwards_of(&carrying);
        if fate == Fate::Never && self.is_trained_elsewhere(&forwards, carrier) {
            return None;
        }
        let concatenated =
            members.iter().any(|member| self.graph.node(*member).kind == NodeKind::Concatenation);
        let dropped = members.iter().any(|member| {
            let holders = self.record.holders.get(member).into_iter().flatten();
            holders.into_iter().any(|place| self.record.resets.contains(&(place.clone(), carrier.id)))
        });
        let is_own = self.module.is_own_stmt(stmt);
        let handed_over = self.record.handed_over.get(&id).copied();
        let handed_over = handed_over.filter(|call| self.module.is_own_expr(*call));
        let told_at = handed_over.or_else(|| self.record.told_at.get(&id).copied());
        if !is_own && told_at.is_none() {
            return None;
        }
        let span = told_at.map_or(self.module.stmt(stmt).span, |call| self.module.expr(call).span);
        let target = self.target_of(stmt);
        Some(Kept {
            keeping: if concatenated { Keeping::Concatenation } else { Keeping::Sum },
            span,
            target: match (told_at, target) {
                (Some(call), _) => self.callee_of(call),
                (None, Some(target)) => self.module.expr(target).span,
                (None, None) => span,
            },
            values: match handed_over {
                Some(call) => self.handed_over(call),
                None if !is_own => Vec::new(),
                None => match self.addend_of(stmt) {
                    Some(addend) => vec![self.kept_value(addend)],
                    None => self.operands_in(stmt, &carrying),
                },
            },
            stored_at: told_at.filter(|_| is_own).map(|_| self.module.stmt(stmt).span),
            fate,
            scalar: carrying.iter().all(|operand| self.graph.node(operand).scalar),
            host: carrying.iter().all(|operand| self.graph.node(operand).host),
            with_tensors: false,
            built_by: self.built_by(&forwards, carrier),
            asking: self.asking(&carrying, carrier),
            starts_inside: self.starts_inside(&carrying, carrier),
            in_loop: self.loop_facts(carrier.id)?,
            inside_training: self.inside_training(carrier.now, carrier.id),
            dropped,
            capacity: None,
            leaves: members.iter().any(|member| self.leaving.contains(member)),
            returned: members.iter().any(|member| self.returned.contains(member)),
            evaluating: forwards.iter().find_map(|forward| self.evaluating(forward)),
            region: self.region_of(&forwards, carrier),
            from_number: members.iter().any(|member| self.record.from_number.contains(member)),
            target_has_methods: is_own && target.is_some_and(|target| self.has_methods(target, stmt)),
        })
    }

    /// Whether what a loop keeps comes from forward passes that must lead to a backward somewhere.
    fn is_trained_elsewhere(&self, forwards: &[&Forward], carrier: Carrier) -> bool {
        let trains = self.record.loop_of(carrier.id).is_some_and(|known| known.trains);
        !trains && !forwards.is_empty() && forwards.iter().all(|forward| self.must_train(forward))
    }

    /// Whether a node certainly carries a graph that something made: a leaf has no history.
    pub(super) fn has_history(&self, node: NodeId) -> bool {
        self.carrying.contains(&node) && !self.graph.node(node).kind.is_leaf()
    }

    /// Where each iteration of a loop makes a tensor ask for gradients that some nodes are built from.
    fn asking(&self, nodes: &NodeSet, carrier: Carrier) -> Option<Span> {
        let is_leaf = |id: &NodeId| {
            let node = self.graph.node(*id);
            node.kind == NodeKind::Leaf && !node.scalar && carrier.renews(&node.moment)
        };
        let leaf = self.reach(nodes, None).into_iter().filter(is_leaf).min()?;
        self.record.exprs.get(&leaf).map(|expr| self.module.expr(*expr).span)
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
    pub(super) fn piles_up(&self, id: LoopId) -> bool {
        self.record
            .loop_of(id)
            .is_some_and(|known| !known.inside_forward && !known.is_short && !known.is_calls)
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
        let forwards = if carriers.is_empty() { Vec::new() } else { self.forwards_of(nodes) };
        let builds = |carrier: &&Carrier| forwards.iter().any(|forward| carrier.renews(&forward.moment));
        let makes =
            |carrier: &&Carrier| nodes.iter().any(|node| carrier.renews(&self.graph.node(node).moment));
        carriers.iter().find(builds).or_else(|| carriers.iter().find(makes)).copied()
    }

    pub(super) fn collections(&self) -> Vec<Kept> {
        let mut collects: Vec<&Collect> = self.record.collects.values().collect();
        collects.sort_by_key(|collect| collect.span);
        let collects = collects.into_iter().take_while(|_| !self.is_exhausted());
        collects.filter_map(|collect| self.collection(collect)).collect()
    }

    fn collection(&self, collect: &Collect) -> Option<Kept> {
        let carrying: NodeSet = collect.graph.iter().filter(|node| self.has_history(*node)).collect();
        let alive = collect.loops.iter().rev().copied().filter(|open| collect.alive_after.contains(open));
        let carrier = self.innermost_that_builds(alive, &carrying, &collect.moment)?;
        if carrying.is_empty() {
            return None;
        }
        let fate = self.fate(&carrying, None, carrier);
        let forwards = self.forwards_of(&carrying);
        if fate == Fate::Never && self.is_trained_elsewhere(&forwards, carrier) {
            return None;
        }
        let holders = self.record.collection_holders.get(&collect.object).into_iter().flatten();
        let reset =
            holders.into_iter().any(|place| self.record.resets.contains(&(place.clone(), carrier.id)));
        let is_own = self.module.is_own_span(collect.span);
        let blamed = collect.blamed.filter(|call| self.module.is_own_expr(*call));
        let told_at = blamed.or(collect.told_at);
        if !is_own && told_at.is_none() {
            return None;
        }
        let span = told_at.map_or(collect.span, |call| self.module.expr(call).span);
        Some(Kept {
            keeping: Keeping::Collection,
            span,
            target: told_at.map_or(collect.target, |call| self.callee_of(call)),
            values: match blamed {
                Some(call) => self.handed_over(call),
                None if !is_own => Vec::new(),
                None => collect.values.iter().map(|value| self.kept_value(*value)).collect(),
            },
            stored_at: told_at.filter(|_| is_own).map(|_| collect.span),
            fate,
            scalar: carrying.iter().all(|node| self.graph.node(node).scalar),
            host: carrying.iter().all(|node| self.graph.node(node).host),
            with_tensors: collect.with_tensors,
            built_by: self.built_by(&forwards, carrier),
            asking: self.asking(&carrying, carrier),
            starts_inside: self.starts_inside(&carrying, carrier),
            in_loop: self.loop_facts(carrier.id)?,
            inside_training: self.inside_training(carrier.now, carrier.id),
            dropped: reset || self.record.drops.contains(&(collect.object, carrier.id)),
            capacity: match collect.bound {
                Bound::None => None,
                Bound::Capacity(capacity) => Some(capacity),
            },
            leaves: carrying.iter().any(|node| self.leaving.contains(&node)),
            returned: carrying.iter().any(|node| self.returned.contains(&node)),
            evaluating: forwards.iter().find_map(|forward| self.evaluating(forward)),
            region: self.region_of(&forwards, carrier),
            from_number: false,
            target_has_methods: true,
        })
    }
}
