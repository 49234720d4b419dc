//! The `except` clauses that catch running out of GPU memory, and what they try again.

use crate::knowledge::exceptions::{Catches, catches};
use crate::knowledge::{Knowledge, MethodEffect, Role};
use crate::python::enclosing::{Inside, calls_in, enclosing};
use crate::python::library_call::{Device, Known};
use crate::python::script::Script;
use crate::python::syntax::{Constant, ExprId, ExprKind, Function, Handler, StmtId, StmtKind};

/// An `except` clause that catches running out of GPU memory.
#[derive(Clone, Copy, Debug)]
pub struct MemoryHandler<'a> {
    /// The `try` statement.
    pub stmt: StmtId,
    /// The statements it guards.
    pub guarded: &'a [StmtId],
    /// The clause.
    pub handler: &'a Handler,
    /// Whether it catches nothing else.
    pub only_memory: bool,
}

/// What a message of PyTorch says when memory runs out.
const MESSAGE: &str = "out of memory";

impl<'a> Script<'a> {
    /// The `except` clauses that catch running out of GPU memory: by their type, or, of those that catch much else, by
    /// what they say or do.
    pub fn memory_handlers(&self) -> Vec<MemoryHandler<'a>> {
        let mut found = Vec::new();
        for (stmt, statement) in self.module.stmts() {
            let StmtKind::Try { body, handlers, .. } = &statement.kind else { continue };
            for handler in handlers {
                let speaks = || self.speaks_of_memory(handler);
                let only_memory = match self.caught_by(handler) {
                    Some(Catches::OutOfMemory) => true,
                    Some(Catches::MuchElse) if speaks() => false,
                    _ => continue,
                };
                found.push(MemoryHandler { stmt, guarded: body, handler, only_memory });
            }
        }
        found
    }

    /// What a clause catches, if running out of memory is among it.
    pub fn caught_by(&self, handler: &Handler) -> Option<Catches> {
        let Some(kind) = handler.kind else { return Some(Catches::MuchElse) };
        let mut all = Vec::new();
        types_of(self.caught.get(&kind)?, &mut all);
        let known: Vec<Catches> = all.iter().filter_map(|path| catches(path)).collect();
        let only = known.len() == all.len() && known.iter().all(|kind| *kind == Catches::OutOfMemory);
        known.first().map(|_| if only { Catches::OutOfMemory } else { Catches::MuchElse })
    }

    /// Whether a clause tells running out of memory from other failures, or empties the cache.
    fn speaks_of_memory(&self, handler: &Handler) -> bool {
        let block = self.span_of(&handler.body);
        let is_message = |expr: &ExprKind| match expr {
            ExprKind::Constant(Constant::Text(text)) => text.to_lowercase().contains(MESSAGE),
            _ => false,
        };
        let says = self.module.exprs().any(|(_, expr)| block.contains(expr.span) && is_message(&expr.kind));
        let empties = |role, span| role == Role::CacheEmptying && block.contains(span);
        says || self.calls.iter().any(|call| empties(call.role, call.span))
    }

    /// The call in a clause that tries again what failed: one that its guarded statements make too, or one of the very
    /// function that it stands in. `None` when it tries on the host.
    pub fn retry_in(&self, handler: &MemoryHandler) -> Option<ExprId> {
        let calls = calls_in(self.module, &handler.handler.body);
        if calls.iter().any(|call| self.moves_to_host(*call)) {
            return None;
        }
        let guarded = calls_in(self.module, handler.guarded);
        let function = self.function_around(handler.stmt);
        let repeats = |call: &ExprId| {
            function.is_some_and(|function| self.calls_function(*call, function))
                || self.does_work(*call) && guarded.iter().any(|other| self.same_callee(*call, *other))
        };
        calls.iter().copied().find(repeats)
    }

    /// The innermost function that a statement stands in.
    pub fn function_around(&self, stmt: StmtId) -> Option<&'a Function> {
        let span = self.module.stmt(stmt).span;
        let around = enclosing(self.module, span);
        around.iter().rev().find_map(|Inside { stmt, .. }| match self.module.stmt(*stmt).kind {
            StmtKind::Function(function) => Some(self.module.function(function)),
            _ => None,
        })
    }

    /// Whether a call calls a function by its name, or as a method of the object that it is a method of.
    fn calls_function(&self, call: ExprId, function: &Function) -> bool {
        let ExprKind::Call { callee, .. } = &self.module.expr(call).kind else { return false };
        match &self.module.expr(*callee).kind {
            ExprKind::Name(name) => *name == function.name,
            ExprKind::Attribute { object, name, .. } => {
                let own = function.parameters.first().map(|first| first.name);
                *name == function.name
                    && matches!(&self.module.expr(*object).kind, ExprKind::Name(object) if Some(*object) == own)
            }
            _ => false,
        }
    }

    /// Whether a call may be what needs the memory: it loads a model, or is given something, and what it returns is
    /// used. Library functions and methods of tensors are left out: they seldom are what is tried again.
    fn does_work(&self, call: ExprId) -> bool {
        let loads = |role: Role| role.makes_weights();
        if self.calls.iter().any(|noted| noted.expr == call && loads(noted.role)) {
            return true;
        }
        let ExprKind::Call { callee, arguments } = &self.module.expr(call).kind else { return false };
        let is_variable = |expr: ExprId| !matches!(self.module.expr(expr).kind, ExprKind::Constant(_));
        let is_given = arguments.iter().any(|argument| is_variable(argument.value));
        let is_tensor_method = match &self.module.expr(*callee).kind {
            ExprKind::Attribute { name, .. } => Knowledge::tables().method(self.module.name(*name)).is_some(),
            _ => false,
        };
        let mut stmts = self.module.stmts();
        let is_unused = stmts.any(|(_, stmt)| matches!(stmt.kind, StmtKind::Expr(expr) if expr == call));
        is_given && !is_unused && !is_tensor_method && !self.library_calls.contains(&call)
    }

    fn same_callee(&self, one: ExprId, other: ExprId) -> bool {
        let callee = |call: ExprId| match &self.module.expr(call).kind {
            ExprKind::Call { callee, .. } => Some(self.text_of(self.module.expr(*callee).span)),
            _ => None,
        };
        callee(one).is_some() && callee(one) == callee(other)
    }

    /// Whether a call moves something to host memory, or runs there.
    fn moves_to_host(&self, call: ExprId) -> bool {
        let ExprKind::Call { callee, arguments } = &self.module.expr(call).kind else { return false };
        let names_host = |expr: ExprId| match &self.module.expr(expr).kind {
            ExprKind::Constant(Constant::Text(text)) => {
                Device::named(&Known::Text(text.as_str().into())) == Some(Device::Host)
            }
            _ => false,
        };
        let by_method = matches!(&self.module.expr(*callee).kind, ExprKind::Attribute { name, .. }
            if Knowledge::tables().method(self.module.name(*name)) == Some(MethodEffect::Host));
        by_method || arguments.iter().any(|argument| names_host(argument.value))
    }
}

/// The library types in what an `except` clause names.
fn types_of<'k>(known: &'k Known, into: &mut Vec<&'k str>) {
    match known {
        Known::Library(path) => into.push(path),
        Known::List(all) | Known::Either(all) => all.iter().for_each(|known| types_of(known, into)),
        _ => {}
    }
}
