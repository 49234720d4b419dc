//! What a piece of a module mentions: names, with the attributes read from them, and imports.

use crate::python::syntax::{ExprId, ExprKind, FunctionBody, FunctionId, Module, StmtId, StmtKind};
use crate::python::visit;

/// A name and the attributes read from it, in order: `utils`, `meters`, `Meter`.
pub(super) type Mention<'a> = Vec<&'a str>;

/// What a statement mentions, with everything inside it.
#[derive(Default)]
pub(super) struct Mentioned<'a> {
    /// Names.
    pub names: Vec<Mention<'a>>,
    /// Imports.
    pub imports: Vec<StmtId>,
}

/// What a statement mentions, with everything inside it.
pub(super) fn of_statement(module: &Module, stmt: StmtId) -> Mentioned<'_> {
    let found = Mentioned::default();
    let mut walk = Walk { module, stmts: vec![stmt], exprs: Vec::new(), found };
    walk.run();
    walk.found
}

/// The names that the condition of a statement mentions, or whatever else is evaluated before its blocks.
pub(super) fn of_test(module: &Module, stmt: StmtId) -> Vec<Mention<'_>> {
    let exprs = visit::parts(module, stmt).exprs;
    let mut walk = Walk { module, stmts: Vec::new(), exprs, found: Mentioned::default() };
    walk.run_exprs();
    walk.found.names
}

/// What the whole of a module's own text mentions.
pub(super) fn of_module(module: &Module) -> Mentioned<'_> {
    let is_import = |kind: &StmtKind| matches!(kind, StmtKind::Import(_) | StmtKind::ImportFrom(_));
    Mentioned {
        names: module.exprs().filter_map(|(expr, _)| mention(module, expr)).collect(),
        imports: module.stmts().filter(|(_, stmt)| is_import(&stmt.kind)).map(|(id, _)| id).collect(),
    }
}

/// What an expression spells, if it is a name or attributes read from one.
fn mention(module: &Module, expr: ExprId) -> Option<Mention<'_>> {
    let mut path = Vec::new();
    let mut current = expr;
    loop {
        match &module.expr(current).kind {
            ExprKind::Attribute { object, name, .. } => {
                path.push(module.name(*name));
                current = *object;
            }
            ExprKind::Name(name) => {
                path.push(module.name(*name));
                path.reverse();
                return Some(path);
            }
            _ => return None,
        }
    }
}

struct Walk<'a> {
    module: &'a Module,
    stmts: Vec<StmtId>,
    exprs: Vec<ExprId>,
    found: Mentioned<'a>,
}

impl Walk<'_> {
    fn run(&mut self) {
        while let Some(stmt) = self.stmts.pop() {
            let parts = visit::parts(self.module, stmt);
            self.exprs.extend(parts.exprs);
            self.stmts.extend(parts.stmts);
            match &self.module.stmt(stmt).kind {
                StmtKind::Function(function) => self.enter(*function),
                StmtKind::Class(class) => self.stmts.extend(&self.module.class(*class).body),
                StmtKind::Import(_) | StmtKind::ImportFrom(_) => self.found.imports.push(stmt),
                _ => {}
            }
            self.run_exprs();
        }
    }

    fn run_exprs(&mut self) {
        while let Some(expr) = self.exprs.pop() {
            self.found.names.extend(mention(self.module, expr));
            if let ExprKind::Lambda(function) = &self.module.expr(expr).kind {
                self.exprs.extend(visit::function_header(self.module, *function));
                self.enter(*function);
            }
            visit::children(self.module, expr, &mut |child| self.exprs.push(child));
        }
    }

    fn enter(&mut self, function: FunctionId) {
        match &self.module.function(function).body {
            FunctionBody::Block(block) => self.stmts.extend(block),
            FunctionBody::Expression(expr) => self.exprs.push(*expr),
        }
    }
}
