//! From what happened to graphs to the facts that rules read.

mod cycles;
mod fate;
mod hooks;
mod kept;
mod lasting;
mod library_calls;
mod logits;
mod origins;
mod retained;
mod stashed;
mod states;
mod text;
mod unused;
mod whole_data;

use std::cell::Cell;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use vramlens_grammars::Span;

use crate::knowledge::Role;
use crate::python::facts::cycles::Cycles;
use crate::python::facts::fate::Visits;
use crate::python::graph::{Graph, Node, NodeId, NodeKind, NodeSet};
use crate::python::happenings::{Happenings, Noted};
use crate::python::holding::{Beside, Life, LoopBeside};
use crate::python::interpret::Outcome;
use crate::python::library_call::{CallPlace, Known, LibraryCall, ProcessEvent, Shape};
use crate::python::record::{Forward, Loop, Record};
use crate::python::scopes::Scopes;
use crate::python::script::{
    CarriedState, Fate, HeldLogits, HookStore, Kept, LastingGraph, ResidentData, RetainedGraph, ShownValue,
    StashedTensors, UnusedForward, WholeDataRun,
};
use crate::python::syntax::{ExprId, Module, StmtId};
use crate::python::usage::{self, Usages};
use crate::python::value::ObjectId;

/// Nodes looked at before the rest of the facts is left out. Real programs need a hundredth of it.
const MOST_VISITS: usize = 5_000_000;

/// What each statement of a total adds to it, by the first node of the total.
type Fresh = FxHashMap<(NodeId, StmtId), NodeSet>;
/// What is made from each node.
type Results = FxHashMap<NodeId, SmallVec<[NodeId; 2]>>;

/// The facts of a program.
pub(super) struct Gathered {
    /// Graphs that outlive the iteration that built them, in the order of the text.
    pub kept: Vec<Kept>,
    /// Forward passes whose graph no backward ever visits, in the order of the text.
    pub unused: Vec<UnusedForward>,
    /// States that carry the graph of one training step into the next, in the order of the text.
    pub states: Vec<CarriedState>,
    /// Graphs of one step that last until the next, in the order of the text.
    pub lasting: Vec<LastingGraph>,
    /// Backwards in loops that retain a graph for no later one, in the order of the text.
    pub retained: Vec<RetainedGraph>,
    /// What hooks keep of every forward pass, in the order of the text.
    pub hook_stores: Vec<HookStore>,
    /// Tensors without a graph that stay on a GPU, in the order of the text.
    pub stashed: Vec<StashedTensors>,
    /// Data sets that are put on a GPU as a whole, in the order of the text.
    pub residents: Vec<ResidentData>,
    /// Forward passes that are given a whole data set, in the order of the text.
    pub whole_data_runs: Vec<WholeDataRun>,
    /// Logits over a vocabulary that outlive their iteration, in the order of the text.
    pub held_logits: Vec<HeldLogits>,
    /// Calls of libraries that matter to memory.
    pub calls: Vec<LibraryCall>,
    /// What happens to the process.
    pub process: Vec<ProcessEvent>,
    /// The exception types that `except` clauses catch, by the expression that names them.
    pub caught: FxHashMap<ExprId, Known>,
    /// Calls of libraries in `try` statements.
    pub guarded_library_calls: FxHashSet<ExprId>,
    /// The values that a notebook may show, in the order of the text.
    pub shown: Vec<ShownValue>,
    /// Whether some of it is left out, because the program is too tangled.
    pub shapes: Vec<(Span, Shape)>,
    pub meant_to_fail: Vec<Span>,
    pub exhausted: bool,
}

/// Gathers the facts of a program.
pub(super) fn gather(module: &Module, outcome: Outcome) -> Gathered {
    let Outcome { graph, record, happenings, scopes, usages, exhausted, outgoing: _ } = outcome;
    let facts = Facts::new(module, graph, record, scopes, usages);
    let (kept, unused, cut_short) = facts.about_graphs();
    let stashed = facts.stashed();
    let residents = facts.residents();
    let whole_data_runs = facts.whole_data_runs(&happenings);
    let (held_logits, lasting) = (facts.held_logits(), facts.lasting());
    let (states, retained, hook_stores) = (facts.states(), facts.retained(), facts.hook_stores());
    let is_trained = |noted: &Noted| match noted.object {
        Some(object) => facts.is_trained(object),
        None => noted.role == Role::ModelRun && facts.trains_on(noted.call),
    };
    let reached = |number: usize, noted: &Noted| {
        (facts.place_of_call(&happenings, noted), facts.life_of(&happenings, number, noted))
    };
    let calls = library_calls::calls(module, &happenings, reached, is_trained);
    let process = library_calls::process(module, &happenings);
    let Happenings { caught, guarded_library_calls, shapes, .. } = happenings;
    let own = shapes.into_iter().filter(|(call, _)| module.is_own_expr(*call));
    let mut shapes: Vec<(Span, Shape)> = own.map(|(call, shape)| (module.expr(call).span, shape)).collect();
    shapes.sort();
    let shown = facts.shown_values();
    let exhausted = exhausted || cut_short;
    let meant_to_fail = facts.record.meant_to_fail.iter().copied().collect();
    Gathered {
        kept,
        unused,
        states,
        lasting,
        retained,
        hook_stores,
        stashed,
        residents,
        whole_data_runs,
        held_logits,
        calls,
        process,
        caught,
        guarded_library_calls,
        shown,
        shapes,
        meant_to_fail,
        exhausted,
    }
}

struct Facts<'a> {
    module: &'a Module,
    graph: Graph,
    record: Record,
    scopes: Scopes,
    usages: Usages,
    /// Nodes that certainly carry a graph.
    carrying: FxHashSet<NodeId>,
    /// What the backwards visit.
    visits: Visits,
    /// The forward passes that some backward visits, in any calling context.
    trained: FxHashSet<ExprId>,
    /// The text of the loops that train in any calling context.
    training: FxHashSet<(u32, u32)>,
    /// Nodes from which something is made that code we do not see is given.
    leaving: FxHashSet<NodeId>,
    /// Nodes from which something is made that code we do not see goes on with.
    returned: FxHashSet<NodeId>,
    /// Nodes from which something is made that a result without history is taken from.
    consumed: FxHashSet<NodeId>,
    /// Nodes from which something is made that is only shown.
    shown: FxHashSet<NodeId>,
    /// The cycles over operations that add, scale or put side by side: each is a total.
    totals: Cycles,
    /// All cycles.
    cycles: Cycles,
    /// What each iteration adds to a total, by the total's first node.
    fresh: Fresh,
    results: Results,
    /// How many nodes were looked at.
    visited: Cell<usize>,
}

impl<'a> Facts<'a> {
    /// Whether the file trains a module: a backward runs over what it returns, or an optimizer gets its parameters and
    /// some backward runs.
    fn is_trained(&self, object: ObjectId) -> bool {
        let visited = |forward: &Forward| forward.object == object && self.trained.contains(&forward.call);
        let optimized = self.record.optimized.contains(&object) && !self.record.backwards.is_empty();
        optimized || self.record.forwards.values().any(visited)
    }

    /// Whether a backward runs over what a call returns.
    fn trains_on(&self, call: ExprId) -> bool {
        self.record.exprs.iter().any(|(node, expr)| *expr == call && self.visits.any(*node))
    }

    /// Where a noted call is reached.
    fn place_of_call(&self, happenings: &Happenings, noted: &Noted) -> CallPlace {
        CallPlace {
            stmt: self.scopes.statement_of(noted.call),
            functions: of_module(&noted.functions, |function| self.module.is_own_function(function)),
            calls: of_module(&noted.calls, |call| self.module.is_own_expr(call)),
            loops: noted.moment.iter().filter_map(|(open, _)| self.loop_facts(*open)).collect(),
            grad: noted.grad,
            way: noted.way,
            served: noted.functions.iter().any(|function| happenings.serving.contains(function)),
            cached: noted.functions.iter().any(|function| happenings.caching.contains(function)),
        }
    }

    /// How long the object of a noted call lives.
    fn life_of(&self, happenings: &Happenings, number: usize, noted: &Noted) -> Life {
        let beside =
            noted.beside.iter().map(|(call, held_by)| Beside { call: *call, held_by: held_by.clone() });
        let mut loops: Vec<LoopBeside> = happenings
            .alive
            .iter()
            .filter(|((alive, _), _)| *alive == number)
            .filter_map(|((_, id), held_by)| {
                Some(LoopBeside { entered: self.loop_facts(*id)?, held_by: held_by.clone() })
            })
            .collect();
        loops.sort_by_key(|beside| beside.entered.span.start);
        Life {
            reached: noted.reached,
            last_use: noted
                .object
                .and_then(|object| happenings.reads.get(&object))
                .copied()
                .unwrap_or_default(),
            beside: beside.collect(),
            next_iteration: noted.next_iteration.clone(),
            loops,
            at_end: noted.at_end.clone(),
        }
    }

    /// Graphs that are kept, forward passes whose graph nothing uses, and whether some of that is left out.
    fn about_graphs(&self) -> (Vec<Kept>, Vec<UnusedForward>, bool) {
        if self.is_exhausted() {
            // What a backward visits is not known: nothing can be said.
            return (Vec::new(), Vec::new(), true);
        }
        let mut kept = self.sums();
        // A total that is stored under a key is a total.
        let sums: FxHashSet<Span> = kept.iter().map(|sum| sum.span).collect();
        kept.extend(self.collections().into_iter().filter(|stored| !sums.contains(&stored.span)));
        kept.sort_by_key(|kept| kept.span);
        let mut unused = self.unused_forwards();
        let never = kept.iter().filter(|kept| kept.fate == Fate::Never);
        let builders: FxHashSet<Span> = never.flat_map(|kept| kept.built_by.iter().copied()).collect();
        for forward in &mut unused {
            forward.is_kept = builders.contains(&forward.span);
        }
        unused.sort_by_key(|forward| forward.span);
        (kept, unused, self.is_exhausted())
    }

    fn new(module: &'a Module, graph: Graph, record: Record, scopes: Scopes, usages: Usages) -> Self {
        let mut results = Results::default();
        for id in graph.ids() {
            for parent in graph.node(id).parents.iter() {
                results.entry(parent).or_default().push(id);
            }
        }
        let behind = |holds: fn(&Node) -> bool| {
            graph.reach(&graph.ids().filter(|id| holds(graph.node(*id))).collect(), None)
        };
        let totals = Cycles::of(&graph, &results, is_light);
        let cycles = Cycles::of(&graph, &results, |_| true);
        let mut facts = Self {
            module,
            carrying: FxHashSet::default(),
            visits: Visits::default(),
            trained: FxHashSet::default(),
            training: record.loops.iter().filter(|known| known.trains_within).map(bytes).collect(),
            leaving: behind(|node| node.escapes),
            returned: behind(|node| node.returned),
            consumed: behind(|node| node.consumed),
            shown: behind(|node| node.shown),
            fresh: fresh_operands(&graph, &record, &totals, &cycles),
            totals,
            cycles,
            visited: Cell::new(0),
            graph,
            record,
            scopes,
            usages,
            results,
        };
        facts.carrying = facts.carrying_nodes();
        facts.visits = facts.visits();
        let visited = facts.record.forwards.iter().filter(|(id, _)| facts.visits.any(**id));
        facts.trained = visited.map(|(_, forward)| forward.call).collect();
        facts
    }

    /// Everything that a backward from `roots` visits without passing through `barrier`; nothing once too many nodes
    /// were looked at.
    fn reach(&self, roots: &NodeSet, barrier: Option<NodeId>) -> FxHashSet<NodeId> {
        if self.is_exhausted() {
            return FxHashSet::default();
        }
        let reached = self.graph.reach(roots, barrier);
        self.spend(reached.iter().map(|node| 1 + self.graph.node(*node).parents.len()).sum());
        reached
    }

    fn spend(&self, visits: usize) {
        self.visited.set(self.visited.get().saturating_add(visits));
    }

    /// Whether too many nodes were looked at to go on.
    fn is_exhausted(&self) -> bool {
        self.visited.get() > MOST_VISITS
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

/// Those of some nodes that are of the document's own code.
fn of_module<Id: Copy>(all: &[Id], is_own: impl Fn(Id) -> bool) -> Vec<Id> {
    all.iter().copied().filter(|id| is_own(*id)).collect()
}

fn bytes(known: &Loop) -> (u32, u32) {
    (known.span.start, known.span.end)
}

/// What each iteration adds to each total: operands that do not depend on the total themselves.
fn fresh_operands(graph: &Graph, record: &Record, totals: &Cycles, cycles: &Cycles) -> Fresh {
    let mut fresh = Fresh::default();
    for members in totals.carried() {
        let Some(first) = members.first().copied() else { continue };
        for step in members {
            let Some(stmt) = record.statements.get(step).copied() else { continue };
            let operands = graph.node(*step).parents.iter().filter(|operand| !cycles.join(*operand, first));
            let added: NodeSet = operands.collect();
            fresh.entry((first, stmt)).or_default().extend(&added);
        }
    }
    fresh
}

/// Operations that add, scale or put side by side: a cycle of them is a total.
fn is_light(node: &Node) -> bool {
    matches!(
        node.kind,
        NodeKind::Arithmetic | NodeKind::Scaling | NodeKind::Reduction | NodeKind::Concatenation
    )
}
