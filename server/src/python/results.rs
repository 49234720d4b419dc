//! What a program takes out of what a call returns, as far as the text shows it.

use std::collections::BTreeSet;

use crate::python::script::Script;
use crate::python::syntax::{Constant, ExprId, ExprKind, StmtKind, Symbol};
use crate::python::visit;

/// What is taken out of a result. All of its uses are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// Attributes read and text keys looked up.
    pub names: BTreeSet<String>,
    /// Places looked up.
    pub places: BTreeSet<i64>,
    /// Whether a name holds the result until something else is put there.
    pub is_named: bool,
}

impl Reads {
    /// Whether a field is read: by its name, or by some place other than the first, whose meaning depends on the
    /// options.
    pub fn takes(&self, field: &str) -> bool {
        self.names.contains(field) || self.places.iter().any(|place| *place != 0)
    }
}

impl Script<'_> {
    /// What is taken out of what a call returns: directly, or through the name that it is put in. `None` when some use of
    /// it is something else, such as handing it on.
    pub fn reads_of(&self, call: ExprId) -> Option<Reads> {
        let mut reads = Reads::default();
        match self.use_of(call)? {
            Use::Unused => {}
            Use::Named(name) => {
                reads.is_named = true;
                for usage in self.uses(name, call) {
                    self.note_read(usage, &mut reads)?;
                }
            }
            Use::Inside(_) => self.note_read(call, &mut reads)?,
        }
        Some(reads)
    }

    fn note_read(&self, expr: ExprId, reads: &mut Reads) -> Option<()> {
        let Use::Inside(parent) = self.use_of(expr)? else { return Some(()) };
        match &self.module.expr(parent).kind {
            ExprKind::Attribute { object, name, .. } if *object == expr => {
                reads.names.insert(self.module.name(*name).to_owned());
            }
            ExprKind::Subscript { object, index } if *object == expr => {
                match &self.module.expr(*index).kind {
                    ExprKind::Constant(Constant::Text(key)) => {
                        reads.names.insert(key.clone());
                    }
                    ExprKind::Constant(Constant::Int(place)) => {
                        reads.places.insert(*place);
                    }
                    _ => return None,
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// All reads of a name in the function that a call stands in, or in the module.
    fn uses(&self, name: Symbol, call: ExprId) -> Vec<ExprId> {
        let stmt = self
            .module
            .stmts()
            .find(|(_, stmt)| matches!(&stmt.kind, StmtKind::Assign { value, .. } if *value == call));
        let function = stmt.and_then(|(stmt, _)| self.function_around(stmt));
        let range = function.map(|function| function.span);
        let is_target = |expr: ExprId| {
            self.module.stmts().any(|(_, stmt)| match &stmt.kind {
                StmtKind::Assign { targets, .. } => targets.contains(&expr),
                _ => false,
            })
        };
        let named = self.module.exprs().filter(|(_, expr)| {
            matches!(expr.kind, ExprKind::Name(used) if used == name)
                && range.is_none_or(|range| range.contains(expr.span))
        });
        named.map(|(id, _)| id).filter(|id| !is_target(*id)).collect()
    }

    /// Where an expression's value goes.
    fn use_of(&self, expr: ExprId) -> Option<Use> {
        for (_, stmt) in self.module.stmts() {
            match &stmt.kind {
                StmtKind::Expr(value) if *value == expr => return Some(Use::Unused),
                StmtKind::Delete(targets) if targets.contains(&expr) => return Some(Use::Unused),
                StmtKind::Assign { targets, value } if *value == expr => {
                    let [target] = targets.as_slice() else { return None };
                    let ExprKind::Name(name) = self.module.expr(*target).kind else { return None };
                    return Some(Use::Named(name));
                }
                _ => {}
            }
        }
        let span = self.module.expr(expr).span;
        let mut around = self.module.exprs().filter(|(_, outer)| outer.span.contains(span));
        let is_parent = |outer: ExprId| {
            let mut found = false;
            visit::children(self.module, outer, &mut |child| found |= child == expr);
            found
        };
        around.find(|(outer, _)| is_parent(*outer)).map(|(outer, _)| Use::Inside(outer))
    }
}

/// Where a value goes.
enum Use {
    /// Nowhere.
    Unused,
    /// Into a name.
    Named(Symbol),
    /// Into the expression around it.
    Inside(ExprId),
}
