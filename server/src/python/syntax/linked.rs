//! What a module's arena holds of other files.
//!
//! The nodes of other files lie behind the module's own, and their spans behind the end of its text: no node or span of
//! another file can be taken for one of the module.

use rustc_hash::FxHashMap;
use vramlens_grammars::Span;

use crate::python::syntax::{ExprId, FunctionId, Module, StmtId};

/// Another file of which a module's arena holds something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitId(pub u32);

/// A file that an import leads from or to; `None` is the document itself.
pub type Importer = Option<UnitId>;

/// How many nodes of an arena are the module's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Own {
    /// Its expressions.
    pub exprs: usize,
    /// Its statements.
    pub stmts: usize,
    /// Its functions.
    pub functions: usize,
    /// Its classes.
    pub classes: usize,
    /// Its identifiers.
    pub names: usize,
}

/// What is here of one other file.
#[derive(Clone, Debug)]
pub struct LinkedUnit {
    /// Its name, as a person is shown it.
    pub name: String,
    /// Where its text would begin behind the module's own.
    pub start: u32,
    /// The statements of its top level that are here, in order.
    pub body: Vec<StmtId>,
    /// The packages that surely are imported when it is, in order, whatever of it is here.
    pub packages: Vec<String>,
}

/// What a module's arena holds of other files.
#[derive(Clone, Debug, Default)]
pub struct Linked {
    /// How much of the arena is the module's own.
    pub own: Own,
    /// The files.
    pub units: Vec<LinkedUnit>,
    /// Where an import leads, by the file it stands in and its spelling.
    pub imports: FxHashMap<(Importer, String), UnitId>,
}

impl Linked {
    /// The file that `spelled` leads to when `importer` imports it.
    pub fn target(&self, importer: Importer, spelled: &str) -> Option<UnitId> {
        self.imports.get(&(importer, spelled.to_owned())).copied()
    }

    /// What is here of a file.
    pub fn unit(&self, id: UnitId) -> Option<&LinkedUnit> {
        self.units.get(id.0 as usize)
    }

    /// The file that a span stands in; `None` for the module's own text.
    pub fn unit_at(&self, span: Span) -> Option<&LinkedUnit> {
        self.units.iter().rev().find(|unit| unit.start <= span.start)
    }
}

impl Module {
    /// Whether an expression is of the module's own text.
    pub fn is_own_expr(&self, id: ExprId) -> bool {
        self.linked.as_ref().is_none_or(|linked| (id.0 as usize) < linked.own.exprs)
    }

    /// Whether a statement is of the module's own text.
    pub fn is_own_stmt(&self, id: StmtId) -> bool {
        self.linked.as_ref().is_none_or(|linked| (id.0 as usize) < linked.own.stmts)
    }

    /// Whether a function is of the module's own text.
    pub fn is_own_function(&self, id: FunctionId) -> bool {
        self.linked.as_ref().is_none_or(|linked| (id.0 as usize) < linked.own.functions)
    }

    /// Whether a range is one of the module's own text.
    pub fn is_own_span(&self, span: Span) -> bool {
        self.linked.as_ref().is_none_or(|linked| linked.unit_at(span).is_none())
    }

    /// How much of the arena is the module's own, as it is now.
    pub(in crate::python) fn sizes(&self) -> Own {
        Own {
            exprs: self.exprs.len(),
            stmts: self.stmts.len(),
            functions: self.functions.len(),
            classes: self.classes.len(),
            names: self.names.len(),
        }
    }

    /// How many of `all` nodes of a kind are the module's own.
    pub(super) fn own(&self, all: usize, of: impl Fn(&Own) -> usize) -> usize {
        self.linked.as_ref().map_or(all, |linked| of(&linked.own))
    }
}
