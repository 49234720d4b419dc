//! Forward passes whose graph no backward visits.

use std::rc::Rc;

use vramlens_grammars::Span;

use crate::python::facts::Facts;
use crate::python::facts::origins::facts_of;
use crate::python::graph::{LoopId, NodeId};
use crate::python::record::{Forward, Loop};
use crate::python::script::{LoopFacts, Region, UnusedForward};
use crate::python::syntax::{ExprId, ExprKind, FunctionBody, FunctionId, StmtId, StmtKind};
use crate::python::value::ObjectId;

impl Facts<'_> {
    pub(super) fn unused_forwards(&self) -> Vec<UnusedForward> {
        let mut forwards: Vec<(&NodeId, &Forward)> = self.record.forwards.iter().collect();
        forwards.sort_by_key(|(id, _)| **id);
        forwards
            .into_iter()
            .take_while(|_| !self.is_exhausted())
            .filter(|(id, _)| !self.visits.any(**id) && !self.record.pipelines.contains(id))
            .filter_map(|(id, forward)| self.unused_forward(*id, forward))
            .collect()
    }

    fn unused_forward(&self, id: NodeId, forward: &Forward) -> Option<UnusedForward> {
        let is_long = |open: &LoopId| {
            self.record.loop_of(*open).is_some_and(|known| !known.is_short && !known.is_calls)
        };
        let innermost = forward.moment.iter().rev().map(|(open, _)| *open).find(is_long)?;
        // What becomes of it there may be in the part that was not followed.
        let is_cut_short = self.record.cut_short_elsewhere && !self.module.is_own_expr(forward.call);
        if is_cut_short || self.must_train(forward) || self.is_training_elsewhere(forward) {
            return None;
        }
        let (call, depth, in_loop) = match self.loop_facts(innermost) {
            Some(in_loop) => {
                let (call, depth) = self.place_of(forward, innermost)?;
                (call, depth, in_loop)
            }
            None => self.evaluated_elsewhere(forward, innermost)?,
        };
        if !self.module.is_own_expr(call) {
            return None;
        }
        let elsewhere = self.file_of(innermost);
        let region = match self.scopes.statement_of(call) {
            Some(stmt) if elsewhere.is_some() => self.region_around(stmt, self.region(forward, depth)),
            _ => self.region(forward, depth),
        };
        let by_usage = self.is_foreign(forward.object);
        let ExprKind::Call { callee, .. } = &self.module.expr(call).kind else { return None };
        Some(UnusedForward {
            span: self.module.expr(call).span,
            callee: self.module.expr(*callee).span,
            elsewhere,
            in_loop,
            inside_training: self.inside_training(&forward.moment, innermost)
                || forward.functions.last().is_some_and(|function| self.record.training.contains(function)),
            feeds_back: !self.cycles.carriers(id).is_empty(),
            from_noise: self.record.noise.contains(&id),
            is_kept: false,
            consumed: self.consumed.contains(&id) || !by_usage && self.shown.contains(&id),
            leaves: self.leaving.contains(&id),
            returned: self.returned.contains(&id),
            by_usage,
            evaluating: self.evaluating(forward),
            switched_on: forward.switched_on,
            inside_forward: forward.inside_forward,
            region,
        })
    }

    /// The document's call of another file's code that runs a forward pass in a loop there, of a module that the
    /// document has put in evaluation mode: that file cannot tell. The loop then is the call.
    fn evaluated_elsewhere(
        &self,
        forward: &Forward,
        innermost: LoopId,
    ) -> Option<(ExprId, usize, LoopFacts)> {
        let known = self.record.loop_of(innermost)?;
        if !self.module.is_own_span(forward.evaluating?) {
            return None;
        }
        let (call, depth) = self.told_call(forward)?;
        let span = self.module.expr(call).span;
        Some((call, depth, LoopFacts { span, ..facts_of(known) }))
    }

    /// Whether code of another file that trains runs a forward pass: that file tells what is wrong with it.
    fn is_training_elsewhere(&self, forward: &Forward) -> bool {
        forward.functions.iter().any(|function| {
            !self.module.is_own_function(*function) && self.record.training.contains(function)
        })
    }

    /// The other file that a loop stands in.
    fn file_of(&self, id: LoopId) -> Option<Rc<str>> {
        let unit = self.module.linked.as_ref()?.unit_at(self.record.loop_of(id)?.span)?;
        Some(Rc::from(unit.name.as_str()))
    }

    /// Where gradients can be switched off around a statement that runs a loop of another file: if nowhere further out,
    /// around the statement, if it is a single line of work.
    fn region_around(&self, stmt: StmtId, region: Region) -> Region {
        let is_simple = matches!(
            self.module.stmt(stmt).kind,
            StmtKind::Expr(_) | StmtKind::Assign { .. } | StmtKind::AugmentedAssign { .. }
        );
        if region == Region::Nothing && is_simple { Region::Statement(stmt) } else { region }
    }

    /// Where the document's own code put the module of a forward pass in evaluation mode, or runs other files' code
    /// that does.
    pub(super) fn evaluating(&self, forward: &Forward) -> Option<Span> {
        let evaluating = forward.evaluating?;
        if self.module.is_own_span(evaluating) {
            return Some(evaluating);
        }
        self.told_call(forward).map(|(call, _)| self.module.expr(call).span)
    }

    /// Where a forward pass is to be told, and how many functions are under way there: where it stands, or, when training
    /// goes through the same line or a module's own method runs it, where the loop calls the code that it stands in.
    /// `None` when that is training's code, too.
    fn place_of(&self, forward: &Forward, innermost: LoopId) -> Option<(ExprId, usize)> {
        let position = forward.moment.iter().position(|(open, _)| *open == innermost)?;
        let from_loop = forward.calls.iter().position(|(_, loops)| *loops > position);
        let trains_too = self.trained.contains(&forward.call);
        let is_own = self.module.is_own_expr(forward.call);
        match from_loop {
            Some(index) if trains_too || forward.in_module || !is_own => {
                let entered = forward.functions.len().saturating_sub(forward.calls.len());
                forward.calls.get(index).map(|(call, _)| (*call, entered + index))
            }
            // The loop stands in code that a forward pass runs.
            None if self.is_inside_forward(forward) => None,
            _ => Some((forward.call, forward.functions.len())),
        }
    }

    /// Whether only usage shows that something is a module, and this file does not train it.
    fn is_foreign(&self, object: ObjectId) -> bool {
        let trains = !self.record.backwards.is_empty() && self.record.with_parameters.contains(&object);
        self.record.by_usage.contains(&object) && !trains
    }

    /// Whether a forward pass is of a module that an optimizer of this file trains, but none of whose passes any
    /// backward visits: some way to a backward leads through code that we do not see.
    pub(super) fn must_train(&self, forward: &Forward) -> bool {
        let mut passes = self.record.forwards.iter().filter(|(_, other)| other.object == forward.object);
        !self.record.backwards.is_empty()
            && forward.evaluating.is_none()
            && self.record.optimized.contains(&forward.object)
            && !passes.any(|(id, _)| self.visits.any(*id))
    }

    /// Whether the code that a forward pass stands in also runs inside the forward pass of a module of this file.
    fn is_inside_forward(&self, forward: &Forward) -> bool {
        forward.functions.last().is_some_and(|function| self.record.inside_forward.contains(function))
    }

    /// The code around a forward pass that trains nothing: the function `depth` calls deep, or the outermost loop of it
    /// that does not.
    pub(super) fn region(&self, forward: &Forward, depth: usize) -> Region {
        if forward.switched_on.is_some() {
            // Switching them off further out would change nothing.
            return Region::Nothing;
        }
        let function = forward.functions.get(..depth).and_then(<[_]>::last).copied();
        if function.is_some_and(|function| !self.module.is_own_function(function)) {
            return Region::Nothing;
        }
        if let Some(function) = function
            && !self.record.training.contains(&function)
            && !self.record.inside_forward.contains(&function)
            && matches!(self.module.function(function).body, FunctionBody::Block(_))
            && !self.module.function(function).is_async
        {
            return Region::Function(function);
        }
        let is_unfit = |function: FunctionId| {
            // In a generator, the mode would leak to whoever drains it.
            self.record.inside_forward.contains(&function) || self.module.function(function).is_generator
        };
        if function.is_some_and(is_unfit) {
            return Region::Nothing;
        }
        let mut loops = forward.moment.iter().filter_map(|(open, _)| self.record.loop_of(*open));
        loops
            .find(|open| open.function == function && !self.ever_trains(open))
            .and_then(|open| open.stmt)
            .map_or(Region::Nothing, Region::Statement)
    }

    /// Whether the text of a loop trains in any calling context.
    fn ever_trains(&self, known: &Loop) -> bool {
        self.training.contains(&(known.span.start, known.span.end))
    }
}
