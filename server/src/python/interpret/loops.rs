//! Running loops to a fixpoint.

use crate::knowledge::CallEffect;
use crate::python::graph::{LoopId, NodeKind};
use crate::python::interpret::{Context, Interpreter, MOST_PASSES, OpenLoop, Site};
use crate::python::record::{Iterated, Loop, Over};
use crate::python::state::join_ways;
use crate::python::storage::Storage;
use crate::python::syntax::{Argument, BinaryOp, Constant, ExprId, ExprKind, StmtId, StmtKind};
use crate::python::value::{Flag, ObjectId, ObjectKind, Place, Value, What};

/// A loop of so many iterations is no evaluation and no sampler.
const SHORT: i64 = 4;
/// Longer displays of constants are data, not phases.
const MOST_PHASES: usize = 3;

impl Interpreter<'_> {
    pub(super) fn run_for(&mut self, stmt: StmtId, target: ExprId, iterable: ExprId, body: &[StmtId]) {
        let iterated = self.eval(iterable);
        let kind = self.kind_of_iterated(&iterated);
        let phases = self.phases(iterable);
        self.run_loop(Site::Stmt(stmt), |it| {
            it.note_iterated(iterable);
            it.note_kind_of_iterated(kind);
            if kind == Iterated::Loader {
                it.note_batches();
            }
            if phases.is_empty() {
                let item = it.item_of(&iterated);
                let item = it.as_item(item);
                it.note_item(&item);
                it.assign(target, &item, stmt);
                it.run_block(body);
                return;
            }
            for phase in &phases {
                let outside = it.enter_context(*phase);
                let item = it.eval(*phase);
                it.assign(target, &item, stmt);
                it.run_block(body);
                it.leave_context(outside);
            }
        });
    }

    /// The items of a short display of texts or truth values, such as `["train", "val"]`: what runs for each of them
    /// is told apart.
    fn phases(&self, iterable: ExprId) -> Vec<ExprId> {
        let (ExprKind::List(items) | ExprKind::Tuple(items)) = &self.module.expr(iterable).kind else {
            return Vec::new();
        };
        let is_phase = |item: &ExprId| {
            matches!(self.module.expr(*item).kind, ExprKind::Constant(Constant::Text(_) | Constant::Bool(_)))
        };
        if items.len() <= MOST_PHASES && items.iter().all(is_phase) { items.clone() } else { Vec::new() }
    }

    /// Notes what the iterations of the innermost loop follow.
    pub(super) fn note_iterated(&mut self, iterable: ExprId) {
        let Some(id) = self.loops.last().filter(|open| open.pass == 0).map(|open| open.id) else { return };
        let over = self.iterated_over(iterable);
        if let Some(known) = self.record.loops.get_mut(id.0 as usize) {
            known.loads |= over == Over::Batches;
            known.over = over;
        }
    }

    /// The innermost loop goes over the batches of a loader.
    pub(super) fn note_batches(&mut self) {
        let innermost = self.loops.last().and_then(|open| self.record.loops.get_mut(open.id.0 as usize));
        if let Some(known) = innermost {
            known.over = Over::Batches;
            known.loads = true;
        }
    }

    /// What the loops under way are given is put on a device.
    pub(super) fn note_loading(&mut self, from_item: bool) {
        for open in &self.loops {
            if let Some(known) = self.record.loops.get_mut(open.id.0 as usize) {
                known.loads |= known.over == Over::Places || known.over == Over::Items && from_item;
            }
        }
    }

    /// A value as an item of a loop; of a tuple or list, its parts are.
    pub(super) fn as_item(&mut self, item: Value) -> Value {
        let marked = |value: Value| Value {
            stored: Storage { from_item: true, is_loader: false, ..value.stored },
            ..value
        };
        if item.objects().is_empty() {
            return marked(item);
        }
        let Some(id) = item.single_object() else { return item };
        if self.object(id).is_some_and(|object| object.kind == ObjectKind::Tuple) {
            let parts: Vec<(Place, Value)> = self
                .state
                .items(id)
                .filter_map(|(key, part)| Some((Place::Item(id, key?.clone()), part.clone())))
                .filter(|(_, part)| matches!(part.what, What::Unknown) || part.what.is_tensor())
                .collect();
            for (place, part) in parts {
                self.state.set(place, marked(part));
            }
        }
        item
    }

    fn iterated_over(&mut self, iterable: ExprId) -> Over {
        let ExprKind::Call { callee, arguments } = &self.module.expr(iterable).kind else {
            return Over::Items;
        };
        let What::Library(path) = self.eval(*callee).what else { return Over::Items };
        match self.called_path(&path).effect {
            Some(CallEffect::Enumerate | CallEffect::PassesItems | CallEffect::List) => {
                arguments.first().map_or(Over::Items, |inner| self.iterated_over(inner.value))
            }
            Some(CallEffect::Numbers) => {
                // Every so many places of a sequence, or all of them, are its batches or items.
                let measures = |argument: &Argument| {
                    matches!(self.module.expr(argument.value).kind, ExprKind::Call { .. })
                };
                let divides = |argument: &Argument| {
                    matches!(
                        self.module.expr(argument.value).kind,
                        ExprKind::Binary { op: BinaryOp::FloorDivide | BinaryOp::Divide, .. }
                    )
                };
                if arguments.iter().any(divides) {
                    // So many items, so many at a time; inside another loop, those of one of its batches.
                    let entered = self.calls.last().map_or(0, |call| call.loops);
                    return if self.loops.len() > entered + 1 { Over::Count } else { Over::Batches };
                }
                let one_by_one = arguments.get(2).is_some_and(|step| {
                    matches!(self.module.expr(step.value).kind, ExprKind::Constant(Constant::Int(1)))
                });
                let in_places = arguments.len() > 2 && !one_by_one || arguments.iter().any(measures);
                if in_places { Over::Places } else { Over::Count }
            }
            // A progress bar with a count of its own.
            Some(CallEffect::Inert) => Over::Count,
            _ => Over::Items,
        }
    }

    fn enter_context(&mut self, phase: ExprId) -> Context {
        let context = self.context_of(phase);
        let outside = self.context();
        if let Some(activation) = self.calls.last_mut() {
            activation.context = context;
        }
        outside
    }

    fn leave_context(&mut self, outside: Context) {
        if let Some(activation) = self.calls.last_mut() {
            activation.context = outside;
        }
    }

    pub(super) fn run_while(&mut self, site: Site, test: ExprId, body: &[StmtId], orelse: &[StmtId]) {
        if self.eval(test).truth() == Some(false) {
            self.run_block(orelse);
            return;
        }
        let endless = self.eval(test).truth() == Some(true);
        self.run_loop(site, |it| {
            it.eval(test);
            it.assume(test, true);
            it.run_block(body);
        });
        if !endless {
            self.assume(test, false);
        }
        self.run_block(orelse);
    }

    /// Runs a loop's body until nothing new is learnt. The body runs at least once: a loop that never runs
    /// keeps nothing, and whether it runs is not in the text.
    pub(super) fn run_loop(&mut self, site: Site, mut body: impl FnMut(&mut Self)) {
        if !self.live {
            return;
        }
        let id = self.loop_id(site);
        if matches!(site, Site::Stmt(_)) {
            self.note_loop(id);
        }
        self.loops.push(OpenLoop { id, pass: 0, breaks: None, continues: None, head: self.state.clone() });
        let mut after = None;
        for pass in 0..MOST_PASSES {
            if let Some(open) = self.loops.last_mut() {
                open.pass = pass;
                open.head = self.state.clone();
            }
            self.refresh_moment();
            let head = self.state.clone();
            body(self);
            let end =
                join_ways(self.take_way(), self.loops.last_mut().and_then(|open| open.continues.take()));
            let breaks = self.loops.last_mut().and_then(|open| open.breaks.take());
            after = join_ways(after, join_ways(end.clone(), breaks));
            let Some(end) = end else { break };
            self.state = end;
            self.note_alive(id);
            self.note_next_iteration(id);
            let next = head.join(&self.state);
            let stable = pass > 0 && next == head;
            self.state = next;
            self.count_joins();
            self.live = true;
            if stable || self.exhausted {
                break;
            }
        }
        self.loops.pop();
        self.refresh_moment();
        self.resume(after);
    }

    /// Whether the forward pass of a module of this file is under way.
    pub(super) fn is_inside_forward(&self) -> bool {
        self.calls.iter().filter_map(|call| call.function).any(|function| {
            let name = self.module.name(self.module.function(function).name);
            let class = self.scopes.class_of(function);
            name == "forward" && class.is_some()
                || name == "__call__" && class.is_some_and(|class| self.is_module_class(class))
        })
    }

    /// Whether something that is iterated is a loader of PyTorch's, or counts or shows the items of one.
    pub(super) fn is_loader(&self, iterated: &Value) -> bool {
        let is_loader = |id: &ObjectId| match self.object(*id).map(|object| &object.kind) {
            Some(ObjectKind::Inert(path)) => {
                path.starts_with("torch.utils.data.") || self.state.flag(*id, Flag::Device).is_some()
            }
            Some(ObjectKind::Bounded(_)) => {
                self.state.flag(*id, Flag::OverData).is_some_and(|over_data| over_data.truth() == Some(true))
            }
            _ => false,
        };
        iterated.stored.is_loader || iterated.objects().iter().any(is_loader)
    }

    /// What a loop over something goes over.
    pub(super) fn kind_of_iterated(&self, iterated: &Value) -> Iterated {
        let is_collection = |id: &ObjectId| match self.object(*id).map(|object| &object.kind) {
            Some(ObjectKind::List | ObjectKind::Tuple | ObjectKind::Dict) => {
                !self.shared.contains(id) && !self.record.by_usage.contains(id)
            }
            Some(ObjectKind::Bounded(_)) => {
                self.state.flag(*id, Flag::OverData).is_some_and(|over_data| over_data.truth() == Some(false))
            }
            _ => false,
        };
        if self.is_loader(iterated) {
            Iterated::Loader
        } else if iterated.is_number()
            || !iterated.objects().is_empty() && iterated.objects().iter().all(is_collection)
        {
            Iterated::Collection
        } else if self.is_foreign(iterated) {
            Iterated::Foreign
        } else {
            Iterated::Unknown
        }
    }

    /// Whether something came out of a call of code in another file before the function that runs was called.
    fn is_foreign(&self, value: &Value) -> bool {
        let entered = self.calls.last().map_or(0, |call| call.clock);
        let mut nodes = value.graph.iter().map(|node| self.graph.node(node)).peekable();
        nodes.peek().is_some() && nodes.all(|node| node.kind == NodeKind::Call && node.clock <= entered)
    }

    /// What the innermost loop goes over. All that are under way go over data when it is a loader.
    pub(super) fn note_kind_of_iterated(&mut self, kind: Iterated) {
        if kind == Iterated::Loader {
            self.note_data();
        }
        let innermost = self.loops.last().and_then(|open| self.record.loops.get_mut(open.id.0 as usize));
        if let Some(known) = innermost {
            known.iterated = kind;
        }
    }

    /// The innermost loop stands for calls of a function from elsewhere, or by the forward passes of a module.
    pub(super) fn note_calls_from_elsewhere(&mut self, hooked: Option<ObjectId>) {
        let innermost = self.loops.last().and_then(|open| self.record.loops.get_mut(open.id.0 as usize));
        if let Some(known) = innermost {
            known.is_calls = true;
            known.hooked = hooked;
        }
    }

    /// The loops under way go over data.
    pub(super) fn note_data(&mut self) {
        for open in &self.loops {
            if let Some(known) = self.record.loops.get_mut(open.id.0 as usize) {
                known.over_data = true;
            }
        }
    }

    /// A loop over the parts of a module runs each of them once: that is one forward pass.
    pub(super) fn note_item(&mut self, item: &Value) {
        let is_part = |value: &Value| value.objects().iter().any(|id| self.is_module(*id));
        let mut over_modules = is_part(item);
        self.each_held(item, &mut |held| over_modules |= is_part(held));
        let innermost = self.loops.last().and_then(|open| self.record.loops.get_mut(open.id.0 as usize));
        if let Some(known) = innermost {
            known.is_short |= over_modules;
        }
    }

    /// Whether the text says that a loop runs a handful of times only.
    fn is_short(&mut self, site: Site) -> bool {
        let Site::Stmt(stmt) = site else { return false };
        let StmtKind::For { iterable, .. } = &self.module.stmt(stmt).kind else { return false };
        let count = match &self.module.expr(*iterable).kind {
            ExprKind::List(items) | ExprKind::Tuple(items) => i64::try_from(items.len()).ok(),
            ExprKind::Call { callee, arguments } => {
                let counts =
                    matches!(&self.eval(*callee).what, What::Library(path) if &**path == "builtins.range");
                let only =
                    arguments.first().filter(|_| counts && arguments.len() == 1).map(|only| only.value);
                only.and_then(|only| match self.eval(only).usual_constant() {
                    Some(Constant::Int(count)) => Some(*count),
                    _ => None,
                })
            }
            _ => None,
        };
        count.is_some_and(|count| count <= SHORT)
    }

    fn loop_id(&mut self, site: Site) -> LoopId {
        let key = (site.number(), self.context());
        if let Some(id) = self.loop_ids.get(&key) {
            return *id;
        }
        let (span, stmt) = match site {
            Site::Stmt(stmt) => (self.module.stmt(stmt).span, Some(stmt)),
            Site::Expr(expr) => (self.module.expr(expr).span, self.scopes.statement_of(expr)),
        };
        let id = LoopId(u32::try_from(self.record.loops.len()).unwrap_or(u32::MAX));
        let function = self.calls.last().and_then(|call| call.function);
        let inside_forward = self.is_inside_forward();
        let is_short = self.is_short(site);
        let in_module = self.is_in_module_method();
        self.record.loops.push(Loop {
            span,
            stmt,
            function,
            inside_forward,
            in_module,
            is_short,
            trains: false,
            trains_within: false,
            over_data: false,
            over: Over::default(),
            loads: false,
            iterated: Iterated::Nothing,
            is_calls: false,
            hooked: None,
        });
        self.loop_ids.insert(key, id);
        id
    }
}
