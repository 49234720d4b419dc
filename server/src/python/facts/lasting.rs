//! Graphs of one step that an attribute, or a name of an outer function or the module, carries into the next.

use rustc_hash::FxHashSet;

use crate::knowledge::{Knowledge, MethodEffect};
use crate::python::facts::Facts;
use crate::python::facts::origins::Carrier;
use crate::python::graph::NodeSet;
use crate::python::record::Lasting;
use crate::python::scopes::Scope;
use crate::python::script::{Fate, LastingGraph};
use crate::python::syntax::{ExprId, StmtId, StmtKind};
use crate::python::usage;

impl Facts<'_> {
    /// The graphs that one iteration of a loop leaves to the next.
    pub(super) fn lasting(&self) -> Vec<LastingGraph> {
        if self.is_exhausted() {
            return Vec::new();
        }
        let mut events: Vec<(StmtId, &Lasting)> = self
            .record
            .lasting
            .iter()
            .filter(|((stmt, _), _)| self.module.is_own_stmt(*stmt))
            .map(|((stmt, _), lasting)| (*stmt, lasting))
            .collect();
        events.sort_by_key(|(stmt, lasting)| (stmt.0, lasting.moment.len()));
        // What one way of reaching it needs, all must keep.
        let mut needed = FxHashSet::default();
        let mut found = Vec::new();
        for (stmt, lasting) in events {
            match self.lasting_graph(stmt, lasting) {
                Some(graph) => found.push(graph),
                None => {
                    needed.insert(self.module.stmt(stmt).span);
                }
            }
        }
        found.retain(|graph: &LastingGraph| !needed.contains(&graph.span));
        found.dedup_by_key(|graph| graph.span);
        found
    }

    fn lasting_graph(&self, stmt: StmtId, lasting: &Lasting) -> Option<LastingGraph> {
        let carrying: NodeSet = lasting.graph.iter().filter(|node| self.has_history(*node)).collect();
        let repeats = |node| !self.cycles.carriers(node).is_empty();
        if carrying.is_empty() || carrying.iter().any(repeats) {
            // A total, or a state that goes on: other rules tell of it.
            return None;
        }
        let alive = lasting.loops.iter().rev().copied().filter(|open| lasting.alive_after.contains(open));
        let carrier = alive.into_iter().find(|open| self.piles_up(*open))?;
        if self.record.cuts.contains(&(lasting.place.clone(), carrier)) {
            return None;
        }
        let carrier = Carrier { id: carrier, now: &lasting.moment };
        let forwards = self.forwards_of(&carrying);
        let built_by = self.built_by(&forwards, carrier);
        let fate = self.fate(&carrying, None, carrier);
        let leaves = carrying.iter().any(|node| self.leaving.contains(&node));
        if matches!(fate, Fate::SentThrough(_)) || fate == Fate::Never && (leaves || built_by.is_empty()) {
            return None;
        }
        let value = self.value_assigned(stmt)?;
        Some(LastingGraph {
            span: self.module.stmt(stmt).span,
            target: self.module.expr(lasting.target).span,
            value: self.kept_value(value),
            fate,
            scalar: carrying.iter().all(|node| self.graph.node(node).scalar),
            host: carrying.iter().all(|node| self.graph.node(node).host),
            built_by,
            evaluating: forwards.iter().find_map(|forward| self.evaluating(forward)),
            in_loop: self.loop_facts(carrier.id)?,
            starts_backward: self.starts_backward(lasting),
        })
    }

    fn value_assigned(&self, stmt: StmtId) -> Option<ExprId> {
        match &self.module.stmt(stmt).kind {
            StmtKind::Assign { targets, value } if targets.len() == 1 => Some(*value),
            StmtKind::AnnotatedAssign { value, .. } => *value,
            _ => None,
        }
    }

    /// Whether a backward starts from what the program reads at a place, under the same name.
    fn starts_backward(&self, lasting: &Lasting) -> bool {
        let scope = lasting.function.map_or(Scope::Module, Scope::Function);
        let path = usage::path(self.module, &self.scopes, scope, lasting.target);
        let usage = path.and_then(|path| self.usages.of(&path));
        usage.is_some_and(|usage| {
            usage.methods.iter().any(|(method, _)| {
                Knowledge::tables().method(self.module.name(*method)) == Some(MethodEffect::Backward)
            })
        })
    }
}
