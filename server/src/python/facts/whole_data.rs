//! Forward passes that are given a whole data set: what a name holds is followed back through the text to where it was
//! read.

use rustc_hash::FxHashMap;
use vramlens_grammars::Span;

use crate::knowledge::Role;
use crate::knowledge::whole_data::{WholeData, whole_data};
use crate::python::bindings;
use crate::python::facts::Facts;
use crate::python::happenings::Happenings;
use crate::python::record::Run;
use crate::python::script::WholeDataRun;
use crate::python::syntax::{ArgumentKind, Constant, ExprId, ExprKind, StmtKind, Symbol};

/// Assignments that are followed back. Real programs convert an array a handful of times.
const DEEPEST: usize = 16;

/// The calls that read whole data sets.
type Sources = FxHashMap<ExprId, Role>;

impl Facts<'_> {
    /// The forward passes that are given a data set in one piece.
    pub(super) fn whole_data_runs(&self, happenings: &Happenings) -> Vec<WholeDataRun> {
        let reads = |role: Role| matches!(role, Role::ReadsArray | Role::ReadsTable);
        let noted = happenings.noted.iter().filter(|noted| reads(noted.role));
        let sources: Sources = noted.map(|noted| (noted.call, noted.role)).collect();
        if sources.is_empty() || self.needs_all() {
            return Vec::new();
        }
        let own = self.record.runs.iter().filter(|(call, _)| self.module.is_own_expr(**call));
        let mut runs: Vec<WholeDataRun> =
            own.filter_map(|(call, run)| self.whole_data_run(*call, run, &sources)).collect();
        runs.sort_by_key(|run| run.span);
        runs
    }

    /// Whether the module has to do with models that must be given all data at once.
    fn needs_all(&self) -> bool {
        let is_one = |path: &str| path.split('.').next().and_then(whole_data) == Some(WholeData::NeedsAll);
        self.module.stmts().any(|(_, stmt)| match &stmt.kind {
            StmtKind::Import(modules) => modules.iter().any(|imported| is_one(&imported.path)),
            StmtKind::ImportFrom(import) => is_one(&import.module),
            _ => false,
        })
    }

    fn whole_data_run(&self, call: ExprId, run: &Run, sources: &Sources) -> Option<WholeDataRun> {
        let ExprKind::Call { arguments, .. } = &self.module.expr(call).kind else { return None };
        let [only] = arguments.as_slice() else { return None };
        if !run.on_gpu || only.kind != ArgumentKind::Positional {
            return None;
        }
        let source = self.read_from(only.value, sources, DEEPEST)?;
        Some(WholeDataRun {
            span: self.module.expr(call).span,
            read: self.module.expr(source).span,
            is_table: sources.get(&source) == Some(&Role::ReadsTable),
            grad: run.grad,
        })
    }

    /// The call that reads the data set which an expression is, in whatever form.
    fn read_from(&self, expr: ExprId, sources: &Sources, depth: usize) -> Option<ExprId> {
        if sources.contains_key(&expr) {
            return Some(expr);
        }
        let depth = depth.checked_sub(1)?;
        match &self.module.expr(expr).kind {
            ExprKind::Name(name) => {
                let (value, index) = self.assigned_before(*name, expr)?;
                self.part_read_from(value, index, sources, depth)
            }
            ExprKind::Attribute { object, .. } => self.read_from(*object, sources, depth),
            ExprKind::Subscript { object, index } if self.picks_columns(*index) => {
                self.read_from(*object, sources, depth)
            }
            ExprKind::Binary { left, right, .. } => {
                let read = |side: ExprId| self.read_from(side, sources, depth);
                read(*left).or_else(|| read(*right))
            }
            ExprKind::Call { callee, arguments } => {
                if self.passed_by(*callee)? != WholeData::Passes {
                    return None;
                }
                let first = arguments.first().map(|argument| argument.value);
                let receiver = match self.module.expr(*callee).kind {
                    ExprKind::Attribute { object, .. } => self.read_from(object, sources, depth),
                    _ => None,
                };
                receiver.or_else(|| self.read_from(first?, sources, depth))
            }
            _ => None,
        }
    }

    /// What a part of an assigned value is read from: of a split, the parts of each thing stand side by side.
    fn part_read_from(
        &self,
        value: ExprId,
        index: Option<usize>,
        sources: &Sources,
        depth: usize,
    ) -> Option<ExprId> {
        let Some(index) = index else { return self.read_from(value, sources, depth) };
        match &self.module.expr(value).kind {
            ExprKind::Tuple(items) | ExprKind::List(items) => {
                self.read_from(*items.get(index)?, sources, depth)
            }
            ExprKind::Call { callee, arguments } if self.passed_by(*callee) == Some(WholeData::Splits) => {
                self.read_from(arguments.get(index / 2)?.value, sources, depth)
            }
            _ => sources.contains_key(&value).then_some(value),
        }
    }

    fn passed_by(&self, callee: ExprId) -> Option<WholeData> {
        match self.module.expr(callee).kind {
            ExprKind::Name(name) | ExprKind::Attribute { name, .. } => whole_data(self.module.name(name)),
            _ => None,
        }
    }

    /// Whether a subscript names columns or an entry: `["x"]`, `[["a", "b"]]`, `[:, 1:]`.
    fn picks_columns(&self, index: ExprId) -> bool {
        let is_text =
            |expr: &ExprId| matches!(self.module.expr(*expr).kind, ExprKind::Constant(Constant::Text(_)));
        match &self.module.expr(index).kind {
            ExprKind::Constant(_) => is_text(&index),
            ExprKind::List(names) => names.iter().all(is_text),
            ExprKind::Tuple(parts) => parts.first().is_some_and(|rows| {
                matches!(
                    self.module.expr(*rows).kind,
                    ExprKind::Slice { lower: None, upper: None, step: None }
                )
            }),
            _ => false,
        }
    }

    /// The value of the last assignment to a name above a place, and which part of it the name gets. Only assignments of
    /// the function's own code, or the module's, count.
    fn assigned_before(&self, name: Symbol, place: ExprId) -> Option<(ExprId, Option<usize>)> {
        let here = self.module.expr(place).span;
        let scope = self.function_around(here);
        let binding = self.module.stmts().filter(|(id, stmt)| {
            stmt.span.end <= here.start
                && self.function_around(stmt.span) == scope
                && matches!(stmt.kind, StmtKind::Assign { .. })
                && bindings::binds(self.module, *id, name)
        });
        let (_, last) = binding.max_by_key(|(_, stmt)| stmt.span.start)?;
        let StmtKind::Assign { targets, value } = &last.kind else { return None };
        targets.iter().find_map(|target| match &self.module.expr(*target).kind {
            ExprKind::Name(bound) => (*bound == name).then_some((*value, None)),
            ExprKind::Tuple(parts) => {
                let is_it = |part: &ExprId| self.binds_name(*part, name);
                Some((*value, Some(parts.iter().position(is_it)?)))
            }
            _ => None,
        })
    }

    /// Whether a target is a name or a pattern with it.
    fn binds_name(&self, target: ExprId, name: Symbol) -> bool {
        match &self.module.expr(target).kind {
            ExprKind::Name(bound) => *bound == name,
            ExprKind::Tuple(parts) => parts.iter().any(|part| self.binds_name(*part, name)),
            _ => false,
        }
    }

    /// Where the innermost function around a place starts.
    fn function_around(&self, span: Span) -> Option<u32> {
        let around = self
            .module
            .functions()
            .filter(|(_, function)| function.span.contains(span) && function.span != span);
        around.map(|(_, function)| function.span.start).max()
    }
}
