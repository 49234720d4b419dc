//! From what happened to graphs to the facts that rules read.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use vramlens_grammars::Span;

use crate::python::graph::{Graph, LoopId, Moment, Node, NodeId, NodeKind, NodeSet};
use crate::python::interpret::Outcome;
use crate::python::record::{Bound, Collect, Forward, Record};
use crate::python::scopes::{Scope, Scopes};
use crate::python::script::{Fate, Keeping, Kept, KeptValue, LoopFacts, Region, UnusedForward};
use crate::python::syntax::{ExprId, ExprKind, Module, StmtId, StmtKind};
use crate::python::usage::{self, Usages};

/// The facts of a program, in the order of its text.
pub(super) fn gather(module: &Module, outcome: Outcome) -> (Vec<Kept>, Vec<UnusedForward>) {
    let Outcome { graph, record, scopes, usages, .. } = outcome;
    let facts = Facts::new(module, graph, record, scopes, usages);
    let mut kept = facts.sums();
    kept.extend(facts.collections());
    kept.sort_by_key(|kept| kept.span);
    let mut unused = facts.unused_forwards();
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
        let mut facts =
            Self { module, graph, record, scopes, usages, carrying: FxHashSet::default(), results };
        facts.carrying = facts.carrying_nodes();
        facts
    }

    /// What is recorded for certain, what a backward proves, and what is computed from either.
    fn carrying_nodes(&self) -> FxHashSet<NodeId> {
        let mut pending: Vec<NodeId> = self.graph.ids().filter(|id| self.graph.node(*id).certain).collect();
        pending.extend(self.proven());
        let losses = self.proven_callees(&pending);
        let mut carrying = FxHashSet::default();
        while let Some(id) = pending.pop() {
            if carrying.insert(id) {
                let results = self.results.get(&id).into_iter().flatten().copied();
                pending.extend(results.filter(|result| {
                    let is_loss = self.record.called.get(result).is_some_and(|path| losses.contains(path));
                    self.graph.node(*result).kind != NodeKind::Call || is_loss
                }));
            }
        }
        carrying
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
            }
        }
        proven
    }

    fn sums(&self) -> Vec<Kept> {
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
            let innermost = self.innermost_that_builds(open, &NodeSet::one(id));
            let Some(kept) = innermost.and_then(|innermost| self.sum(id, stmt, innermost)) else {
                continue;
            };
            if seen.insert((kept.span, kept.fate_rank())) {
                sums.push(kept);
            }
        }
        sums
    }

    /// The running total that `id` is a step of, in the loop that carries it.
    fn sum(&self, id: NodeId, stmt: StmtId, carrier: LoopId) -> Option<Kept> {
        let node = self.graph.node(id);
        let members = self.cycle_of(id);
        let fresh = self.fresh_operands(id, &members);
        let carrying: NodeSet = fresh.iter().filter(|operand| self.carrying.contains(operand)).collect();
        if carrying.is_empty() {
            return None;
        }
        let fate = self.fate(&carrying, Some(id), carrier);
        let concatenated =
            members.iter().any(|member| self.graph.node(*member).kind == NodeKind::Concatenation);
        let dropped = members.iter().any(|member| {
            let holders = self.record.holders.get(member).into_iter().flatten();
            holders.into_iter().any(|place| self.record.resets.contains(&(place.clone(), carrier)))
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
                None => self.addend_of(stmt).map(|addend| self.kept_value(addend)).into_iter().collect(),
            },
            stored_at: handed_over.map(|_| self.module.stmt(stmt).span),
            fate,
            scalar: carrying.iter().all(|operand| self.graph.node(operand).scalar),
            host: carrying.iter().all(|operand| self.graph.node(operand).host),
            with_tensors: false,
            built_by: self.built_by(&carrying, carrier),
            in_loop: self.loop_facts(carrier)?,
            inside_training: self.inside_training(&node.moment, carrier),
            dropped,
            capacity: None,
            leaves: members.iter().any(|member| self.leaves(*member)),
            evaluating: self.evaluating(&carrying),
            from_number: members.iter().any(|member| self.record.from_number.contains(member)),
            target_has_methods: target.is_some_and(|target| self.has_methods(target, stmt)),
        })
    }

    /// Whether what a loop's iterations keep can pile up: inside a forward pass it is that pass's own activations.
    fn piles_up(&self, id: LoopId) -> bool {
        self.record.loop_of(id).is_some_and(|known| !known.inside_forward)
    }

    /// Of loops from the innermost outwards, the first in which a forward pass builds some nodes; if there is none, the
    /// first.
    fn innermost_that_builds(&self, loops: impl Iterator<Item = LoopId>, nodes: &NodeSet) -> Option<LoopId> {
        let loops: Vec<LoopId> = loops.filter(|open| self.piles_up(*open)).collect();
        let builds = |open: &&LoopId| !self.built_by(nodes, **open).is_empty();
        loops.iter().find(builds).or(loops.first()).copied()
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

    /// What each iteration adds: operands that do not depend on the total themselves.
    fn fresh_operands(&self, id: NodeId, members: &[NodeId]) -> NodeSet {
        let operands = members.iter().flat_map(|member| self.graph.node(*member).parents.iter());
        operands
            .filter(|operand| !members.contains(operand))
            .filter(|operand| !self.graph.reach(&NodeSet::one(*operand), None).contains(&id))
            .collect()
    }

    /// What backwards do to some nodes that are kept over the iterations of a loop. `total` is the node through which
    /// a backward reaches them only as part of the total.
    fn fate(&self, nodes: &NodeSet, total: Option<NodeId>, carrier: LoopId) -> Fate {
        let mut fates: Vec<Fate> = nodes.iter().map(|node| self.fate_of(node, total, carrier)).collect();
        fates.sort_by_key(|fate| std::cmp::Reverse(rank(*fate)));
        fates.into_iter().next().unwrap_or(Fate::Never)
    }

    fn fate_of(&self, node: NodeId, total: Option<NodeId>, carrier: LoopId) -> Fate {
        let mut fate = Fate::Never;
        let mut backwards: Vec<_> = self.record.backwards.values().collect();
        backwards.sort_by_key(|backward| backward.span);
        for backward in backwards {
            // Made and sent through backward by the same iteration, if not of this loop, then of one inside it.
            let made = &self.graph.node(node).moment;
            let together = !made.is_empty() && same_loops(made, &backward.moment);
            let inside = together || backward.moment.iter().any(|(open, _)| *open == carrier);
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
    fn passed_on(
        &self,
        node: NodeId,
        backward: &crate::python::record::Backward,
        total: Option<NodeId>,
    ) -> bool {
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
            if operands.is_empty() || !(adds && numbers || current.host) {
                return false;
            }
            pending.extend(operands);
        }
        passes
    }

    fn collections(&self) -> Vec<Kept> {
        let mut collects: Vec<&Collect> = self.record.collects.values().collect();
        collects.sort_by_key(|collect| collect.span);
        collects.into_iter().filter_map(|collect| self.collection(collect)).collect()
    }

    fn collection(&self, collect: &Collect) -> Option<Kept> {
        let carrying: NodeSet = collect.graph.iter().filter(|node| self.carrying.contains(node)).collect();
        let alive = collect.loops.iter().rev().copied().filter(|open| collect.alive_after.contains(open));
        let carrier = self.innermost_that_builds(alive, &carrying)?;
        if carrying.is_empty() {
            return None;
        }
        let holders = self.record.collection_holders.get(&collect.object).into_iter().flatten();
        let reset = holders.into_iter().any(|place| self.record.resets.contains(&(place.clone(), carrier)));
        let span = collect.blamed.map_or(collect.span, |call| self.module.expr(call).span);
        Some(Kept {
            keeping: Keeping::Collection,
            span,
            target: collect.target,
            values: match collect.blamed {
                Some(call) => self.handed_over(call),
                None => collect.value.map(|value| self.kept_value(value)).into_iter().collect(),
            },
            stored_at: collect.blamed.map(|_| collect.span),
            fate: self.fate(&carrying, None, carrier),
            scalar: carrying.iter().all(|node| self.graph.node(node).scalar),
            host: carrying.iter().all(|node| self.graph.node(node).host),
            with_tensors: collect.with_tensors,
            built_by: self.built_by(&carrying, carrier),
            in_loop: self.loop_facts(carrier)?,
            inside_training: self.inside_training(&collect.moment, carrier),
            dropped: reset || self.record.drops.contains(&(collect.object, carrier)),
            capacity: match collect.bound {
                Bound::None => None,
                Bound::Capacity(capacity) => Some(capacity),
            },
            leaves: carrying.iter().any(|node| self.leaves(node)),
            evaluating: self.evaluating(&carrying),
            from_number: false,
            target_has_methods: true,
        })
    }

    fn unused_forwards(&self) -> Vec<UnusedForward> {
        let mut visited = FxHashSet::default();
        for backward in self.record.backwards.values() {
            visited.extend(self.graph.reach(&backward.roots, None));
        }
        let mut forwards: Vec<(&NodeId, &Forward)> = self.record.forwards.iter().collect();
        forwards.sort_by_key(|(id, _)| **id);
        forwards
            .into_iter()
            .filter(|(id, _)| !visited.contains(id))
            .filter_map(|(id, forward)| self.unused_forward(*id, forward))
            .collect()
    }

    fn unused_forward(&self, id: NodeId, forward: &Forward) -> Option<UnusedForward> {
        let is_long = |open: &LoopId| self.record.loop_of(*open).is_some_and(|known| !known.is_short);
        let innermost = forward.moment.iter().rev().map(|(open, _)| *open).find(is_long)?;
        let in_loop = self.loop_facts(innermost)?;
        let ExprKind::Call { callee, .. } = &self.module.expr(forward.call).kind else { return None };
        Some(UnusedForward {
            span: self.module.expr(forward.call).span,
            callee: self.module.expr(*callee).span,
            in_loop,
            inside_training: self.inside_training(&forward.moment, innermost),
            feeds_back: !self.graph.cycles(id, |_| true).is_empty(),
            from_noise: self.record.noise.contains(&id),
            consumed: self.comes_to(id, |node| node.consumed),
            leaves: self.leaves(id),
            evaluating: forward.evaluating,
            inside_forward: forward.inside_forward,
            region: self.region(forward),
        })
    }

    /// The code around a forward pass that trains nothing: its function, or the outermost loop of it that does not.
    fn region(&self, forward: &Forward) -> Region {
        let function = forward.functions.last().copied();
        if let Some(function) = function
            && !self.record.training.contains(&function)
            && matches!(self.module.function(function).body, crate::python::syntax::FunctionBody::Block(_))
        {
            return Region::Function(function);
        }
        let mut loops = forward.moment.iter().filter_map(|(open, _)| self.record.loop_of(*open));
        loops
            .find(|open| open.function == function && !open.trains_within)
            .and_then(|open| open.stmt)
            .map_or(Region::Nothing, Region::Statement)
    }

    /// Whether some loop open at a moment, around a given one, trains.
    fn inside_training(&self, moment: &Moment, inner: LoopId) -> bool {
        let around = moment.iter().take_while(|(open, _)| *open != inner);
        around.filter_map(|(open, _)| self.record.loop_of(*open)).any(|around| around.trains)
    }

    /// Whether something is made from a node that `holds` for.
    fn comes_to(&self, id: NodeId, holds: impl Fn(&Node) -> bool) -> bool {
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

    fn leaves(&self, id: NodeId) -> bool {
        self.comes_to(id, |node| node.escapes)
    }

    /// The forward passes inside a loop that some nodes come from.
    fn built_by(&self, nodes: &NodeSet, carrier: LoopId) -> Vec<Span> {
        let inside =
            self.forwards_of(nodes).filter(|forward| forward.moment.iter().any(|(open, _)| *open == carrier));
        let mut spans: Vec<Span> = inside.map(|forward| self.module.expr(forward.call).span).collect();
        spans.sort_unstable();
        spans.dedup();
        spans
    }

    fn evaluating(&self, nodes: &NodeSet) -> Option<Span> {
        self.forwards_of(nodes).find_map(|forward| forward.evaluating)
    }

    fn forwards_of(&self, nodes: &NodeSet) -> impl Iterator<Item = &Forward> {
        let mut reached: Vec<NodeId> = self.graph.reach(nodes, None).into_iter().collect();
        reached.sort_unstable();
        reached.into_iter().filter_map(|id| self.record.forwards.get(&id))
    }

    fn loop_facts(&self, id: LoopId) -> Option<LoopFacts> {
        let known = self.record.loop_of(id)?;
        Some(LoopFacts { span: known.span, trains: known.trains, trains_within: known.trains_within })
    }

    /// What an assignment writes to.
    fn target_of(&self, stmt: StmtId) -> Option<ExprId> {
        match &self.module.stmt(stmt).kind {
            StmtKind::Assign { targets, .. } => targets.first().copied(),
            StmtKind::AugmentedAssign { target, .. } => Some(*target),
            StmtKind::Expr(call) => match &self.module.expr(*call).kind {
                ExprKind::Call { callee, .. } => match &self.module.expr(*callee).kind {
                    ExprKind::Attribute { object, .. } => Some(*object),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// What a statement adds to its target, where a detached copy can stand in its place.
    fn addend_of(&self, stmt: StmtId) -> Option<ExprId> {
        match &self.module.stmt(stmt).kind {
            StmtKind::AugmentedAssign { value, .. } => Some(*value),
            StmtKind::Assign { targets, value } => {
                let target = self.module.expr(*targets.first()?).span;
                let ExprKind::Binary { left, right, .. } = &self.module.expr(*value).kind else {
                    return None;
                };
                // `total = total + loss`: the operand that is not the target.
                let same = |expr: ExprId| self.same_text(self.module.expr(expr).span, target);
                match (same(*left), same(*right)) {
                    (true, false) => Some(*right),
                    (false, true) => Some(*left),
                    _ => None,
                }
            }
            StmtKind::Expr(call) => match &self.module.expr(*call).kind {
                ExprKind::Call { arguments, .. } => arguments.first().map(|argument| argument.value),
                _ => None,
            },
            _ => None,
        }
    }

    fn same_text(&self, one: Span, other: Span) -> bool {
        one.end - one.start == other.end - other.start && self.spelled(one) == self.spelled(other)
    }

    /// The name or attribute path at a span, as symbols.
    fn spelled(&self, span: Span) -> Option<usage::Path> {
        let (expr, _) = self.module.exprs().find(|(_, expr)| expr.span == span)?;
        usage::path(self.module, &self.scopes, Scope::Module, expr)
    }

    /// The arguments of a call that are tensors with a graph.
    fn handed_over(&self, call: ExprId) -> Vec<KeptValue> {
        let ExprKind::Call { arguments, .. } = &self.module.expr(call).kind else { return Vec::new() };
        let values = arguments.iter().map(|argument| argument.value);
        values
            .filter(|value| self.record.tensor_arguments.contains(value))
            .map(|value| self.kept_value(value))
            .collect()
    }

    fn kept_value(&self, expr: ExprId) -> KeptValue {
        let node = self.module.expr(expr);
        let is_primary = matches!(
            node.kind,
            ExprKind::Name(_)
                | ExprKind::Attribute { .. }
                | ExprKind::Subscript { .. }
                | ExprKind::Call { .. }
        );
        KeptValue { span: node.span, is_primary }
    }

    fn has_methods(&self, target: ExprId, stmt: StmtId) -> bool {
        let scope = self.scope_of(stmt);
        let path = usage::path(self.module, &self.scopes, scope, target);
        path.and_then(|path| self.usages.of(&path)).is_some_and(|usage| !usage.attributes.is_empty())
    }

    /// The innermost function that a statement stands in.
    fn scope_of(&self, stmt: StmtId) -> Scope {
        let span = self.module.stmt(stmt).span;
        let around = self.module.functions().filter(|(_, function)| function.span.contains(span));
        around
            .min_by_key(|(_, function)| function.span.end - function.span.start)
            .map_or(Scope::Module, |(id, _)| Scope::Function(id))
    }
}

impl Kept {
    fn fate_rank(&self) -> u8 {
        rank(self.fate)
    }
}

fn same_loops(one: &Moment, other: &Moment) -> bool {
    one.iter().map(|(open, _)| open).eq(other.iter().map(|(open, _)| open))
}

/// Fates from the one that keeps least to the one that keeps most.
fn rank(fate: Fate) -> u8 {
    match fate {
        Fate::SentThrough(_) => 1,
        Fate::Freed(_) => 0,
        Fate::Retained(_) => 2,
        Fate::Never => 3,
    }
}

/// Operations that add, scale or put side by side: a cycle of them is a total.
fn is_light(node: &Node) -> bool {
    matches!(
        node.kind,
        NodeKind::Arithmetic | NodeKind::Scaling | NodeKind::Reduction | NodeKind::Concatenation
    )
}
