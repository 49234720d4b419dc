//! Noting what happens to graphs.

use smallvec::SmallVec;
use vramlens_grammars::Span;

use crate::python::graph::{LoopId, NodeId, NodeKind, NodeSet, Recorded, outlived};
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::{Interpreter, Site};
use crate::python::record::{Backward, Bound, Collect};
use crate::python::state::GradMode;
use crate::python::syntax::{ExprId, ExprKind, StmtId};
use crate::python::value::{Flag, ObjectId, ObjectKind, Place, Value, What};

impl Interpreter<'_> {
    /// Records an operation, unless gradients are off.
    pub(super) fn record_operation(&mut self, site: Site, recorded: Recorded, from_number: bool) -> NodeSet {
        if self.state.grad == GradMode::Off {
            return NodeSet::default();
        }
        let certain = recorded.certain && self.state.grad == GradMode::On;
        let kind = if self.state.grad == GradMode::Unknown { NodeKind::Call } else { recorded.kind };
        let parents = recorded.parents.clone();
        let recorded = Recorded { kind, certain, ..recorded };
        let node = self.graph.record((site.number(), self.context().0), recorded, &self.moment, self.steps);
        let stmt = match site {
            Site::Expr(expr) => self.scopes.statement_of(expr),
            Site::Stmt(stmt) => Some(stmt),
        };
        self.record.statements.extend(stmt.map(|stmt| (node, stmt)));
        if let Site::Expr(expr) = site {
            self.record.exprs.insert(node, expr);
        }
        if from_number {
            self.record.from_number.insert(node);
        }
        if self.is_elsewhere() {
            self.record.told_at.extend(self.own_call().map(|call| (node, call)));
        }
        if let Some(call) = self.handed_over_by(&parents) {
            self.record.handed_over.insert(node, call);
        }
        NodeSet::one(node)
    }

    /// Records the one number that is part of the result of a node.
    pub(super) fn record_scalar_part(&mut self, whole: NodeId) -> NodeId {
        self.record_part(whole, u32::MAX, NodeKind::Operation, true)
    }

    /// A part of a value that something unknown made: what is learnt of one part says nothing of the others.
    pub(super) fn part_of(&mut self, whole: &Value, key: u32) -> Value {
        let nodes: Vec<NodeId> = whole.graph.iter().collect();
        let parts = nodes.into_iter().map(|node| match self.graph.node(node).kind {
            NodeKind::Call => self.record_part(node, key, NodeKind::Call, false),
            NodeKind::Forward if whole.what == What::Output => {
                self.record_part(node, key, NodeKind::Operation, false)
            }
            _ => node,
        });
        let graph = parts.collect();
        let what = if whole.what.is_tensor() { whole.what.clone() } else { What::Unknown };
        Value { what, graph, stored: whole.stored.part() }
    }

    fn record_part(&mut self, whole: NodeId, part: u32, kind: NodeKind, scalar: bool) -> NodeId {
        let scalar = scalar || self.graph.node(whole).scalar;
        let recorded = Recorded { kind, certain: false, parents: NodeSet::one(whole), scalar };
        let moment = self.graph.node(whole).moment.clone();
        let clock = self.graph.node(whole).clock;
        let node = self.graph.record(whole.part_site(part), recorded, &moment, clock);
        self.graph.node_mut(node).passes = true;
        node
    }

    /// The outermost call, still inside the innermost loop of its own code, that hands the graph to the code
    /// that runs now: all of it was made before the call.
    fn handed_over_by(&self, graph: &NodeSet) -> Option<ExprId> {
        let mut blamed = None;
        for activation in self.calls.iter().rev() {
            let inside_a_loop = activation.loops > 0 && self.loops.len() >= activation.loops;
            if !inside_a_loop || !self.made_before(graph, activation.clock) {
                break;
            }
            blamed = activation.call.or(blamed);
        }
        blamed
    }

    /// Whether everything fresh in a graph was made before a moment: what arithmetic made since then only passes
    /// it on.
    fn made_before(&self, graph: &NodeSet, clock: u32) -> bool {
        let mut pending: Vec<NodeId> = graph.iter().collect();
        let mut seen: SmallVec<[NodeId; 8]> = SmallVec::new();
        let mut fresh = false;
        while let Some(id) = pending.pop() {
            if seen.contains(&id) {
                continue;
            }
            seen.push(id);
            let node = self.graph.node(id);
            if node.clock < clock {
                // What an earlier iteration left behind was handed over by nobody.
                fresh |= node.moment == self.moment || node.moment.len() <= self.moment.len();
                continue;
            }
            if !matches!(node.kind, NodeKind::Arithmetic | NodeKind::Scaling | NodeKind::Reduction)
                || node.parents.is_empty()
            {
                return false;
            }
            pending.extend(node.parents.iter());
        }
        fresh
    }

    /// Notes what a fix may put `.detach()` behind.
    pub(super) fn note_tensor(&mut self, expr: ExprId, value: &Value) {
        self.note_storage(expr, value);
        if !value.graph.is_empty() && value.objects().is_empty() {
            let sure = value.what == What::Tensor || self.is_scalar(value);
            self.record.tensors.insert(expr, sure);
        }
    }

    /// Something is kept in a collection.
    pub(super) fn collect(
        &mut self,
        site: Site,
        target: Span,
        value: Option<ExprId>,
        object: ObjectId,
        kept: &Value,
    ) {
        self.stash(site, target, value, object, kept);
        let graph = self.graph_of(kept);
        let Some(holder) = self.object(object) else { return };
        if graph.is_empty() {
            return;
        }
        let loops = outlived(&holder.moment, &self.moment);
        if loops.is_empty() {
            return;
        }
        let bound = match holder.kind {
            ObjectKind::Bounded(capacity) => Bound::Capacity(capacity),
            _ => Bound::None,
        };
        let span = match site {
            Site::Expr(expr) => self.module.expr(expr).span,
            Site::Stmt(stmt) => self.module.stmt(stmt).span,
        };
        let mut with_tensors = false;
        self.each_held(kept, &mut |held| {
            with_tensors |= held.graph.is_empty() && (held.what.is_tensor() || held.what == What::Unknown);
        });
        let blamed = self.handed_over_by(&graph);
        let key = (site.number(), self.context().0, object);
        let alive_after =
            self.record.collects.get(&key).map(|known| known.alive_after.clone()).unwrap_or_default();
        if let Some(expr) = value {
            self.note_tensor(expr, kept);
        }
        let values = value.map(|value| self.tensors_written_in(value)).unwrap_or_default();
        let collect = Collect {
            span,
            blamed,
            told_at: if self.is_elsewhere() { self.own_call() } else { None },
            target,
            values,
            object,
            graph,
            with_tensors,
            moment: self.moment.clone(),
            loops,
            alive_after,
            bound,
        };
        self.record.collects.insert(key, collect);
    }

    /// The expressions whose tensors a display holds; of anything else, the expression itself.
    fn tensors_written_in(&self, expr: ExprId) -> Vec<ExprId> {
        let mut tensors = Vec::new();
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            match &self.module.expr(expr).kind {
                ExprKind::Tuple(items) | ExprKind::List(items) | ExprKind::Set(items) => {
                    pending.extend(items);
                }
                ExprKind::Dict(entries) => pending.extend(entries.iter().map(|(_, value)| *value)),
                _ if self.record.tensors.contains_key(&expr) => tensors.push(expr),
                _ => {}
            }
        }
        tensors
    }

    /// At the end of an iteration: what earlier statements of it put into collections may still be there.
    pub(super) fn note_alive(&mut self, id: LoopId) {
        self.note_stashes_alive(id);
        self.note_lasting_alive(id);
        let mut alive = Vec::new();
        for (key, collect) in &self.record.collects {
            if collect.loops.contains(&id) && !collect.alive_after.contains(&id) {
                let mut held = NodeSet::default();
                let holder = Value::object(collect.object);
                held.extend(&self.graph_of(&holder));
                if collect.graph.iter().any(|node| held.contains(node)) {
                    alive.push(*key);
                }
            }
        }
        for key in alive {
            if let Some(collect) = self.record.collects.get_mut(&key) {
                collect.alive_after.insert(id);
            }
        }
    }

    /// Items are taken out of a collection.
    pub(super) fn note_drop(&mut self, object: ObjectId) {
        if let Some(function) = self.calls.last().and_then(|call| call.function) {
            self.record.emptied.entry(object).or_default().insert(function);
        }
        let open: Vec<LoopId> = self.loops.iter().map(|open| open.id).collect();
        self.record.drops.extend(open.into_iter().map(|id| (object, id)));
    }

    /// A backward runs.
    pub(super) fn backward(&mut self, expr: ExprId, receiver: &Value, arguments: &Arguments) {
        // `engine.backward(loss)` starts from what it is given, `loss.backward(gradient)` from the tensor itself.
        let mut roots = NodeSet::default();
        arguments.positional.iter().for_each(|value| roots.extend(&self.graph_of(value)));
        if roots.is_empty() {
            roots = self.graph_of(receiver);
        }
        let may = |name: &str| {
            receiver.graph.is_empty()
                && self.keyword(arguments, name).is_some_and(|value| value.truth() != Some(false))
        };
        let is = |name: &str| self.keyword(arguments, name).and_then(|value| value.truth()) == Some(true);
        let backward = Backward {
            span: self.module.expr(expr).span,
            told: self.told_span(expr),
            call: Some(expr),
            function: self.calls.last().and_then(|call| call.function),
            creates_graph: may("create_graph") || is("create_graph"),
            retains: is("retain_graph") || is("create_graph"),
            is_partial: may("retain_graph") || may("create_graph"),
            roots: roots.clone(),
            moment: self.moment.clone(),
        };
        let from_given = roots != self.graph_of(receiver);
        let scalar = arguments.len() == 0 || is("retain_graph") || from_given;
        if scalar {
            self.mark_scalar(&roots);
        }
        self.record.backwards.insert((expr.0, self.context().0), backward);
        self.note_training();
    }

    /// A framework sends the result of a hook through backward.
    pub(super) fn backward_of_hook(&mut self, stmt: StmtId, result: &Value) {
        let roots = self.graph_of(result);
        let span = self.module.stmt(stmt).span;
        let backward = Backward {
            span,
            told: span,
            call: None,
            function: None,
            creates_graph: false,
            roots: roots.clone(),
            retains: false,
            is_partial: false,
            moment: self.moment.clone(),
        };
        self.mark_scalar(&roots);
        self.record.backwards.insert((Site::Stmt(stmt).number(), u32::MAX), backward);
        self.note_training();
    }

    /// A backward without a gradient starts from one number, and so are the terms it is added up from.
    fn mark_scalar(&mut self, roots: &NodeSet) {
        let mut pending: Vec<NodeId> = roots.iter().collect();
        while let Some(id) = pending.pop() {
            let node = self.graph.node_mut(id);
            if !std::mem::replace(&mut node.scalar, true) || roots.contains(id) {
                let is_sum = matches!(node.kind, NodeKind::Arithmetic | NodeKind::Scaling);
                let terms = if is_sum { node.parents.clone() } else { NodeSet::default() };
                pending.extend(terms.iter().filter(|term| !self.graph.node(*term).scalar));
            }
        }
    }

    /// Whatever happens now trains something.
    pub(super) fn note_training(&mut self) {
        self.record.training.extend(self.calls.iter().filter_map(|call| call.function));
        let innermost = self.loops.last().map(|open| open.id);
        for open in &self.loops {
            if let Some(known) = self.record.loops.get_mut(open.id.0 as usize) {
                known.trains |= Some(open.id) == innermost;
                known.trains_within = true;
            }
        }
    }

    /// Code that we do not see gets a value.
    pub(super) fn escape(&mut self, value: &Value) {
        self.note_leaving(value);
        for node in self.graph_of(value).iter() {
            self.graph.node_mut(node).escapes = true;
        }
    }

    /// Code that we do not see gets a value as a result.
    pub(super) fn hand_back(&mut self, value: &Value) {
        self.escape(value);
        for node in self.graph_of(value).iter() {
            self.graph.node_mut(node).returned = true;
        }
    }

    /// Something without history is taken from a value.
    pub(super) fn consume(&mut self, value: &Value) {
        let graph = self.graph_of(value);
        self.consume_graph(&graph);
    }

    /// A value is printed, logged or formatted.
    pub(super) fn show(&mut self, value: &Value) {
        for node in self.graph_of(value).iter() {
            self.graph.node_mut(node).shown = true;
        }
    }

    pub(super) fn consume_graph(&mut self, graph: &NodeSet) {
        for node in graph.iter() {
            self.graph.node_mut(node).consumed = true;
        }
    }

    /// Notes that instances reachable from code elsewhere may be used by it.
    pub(super) fn share(&mut self, object: ObjectId) {
        self.shared.insert(object);
        self.state.remove(&Place::Flag(object, Flag::Default));
    }
}
