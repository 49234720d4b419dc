//! The children of a node, for the passes that look at every node once.

use crate::python::syntax::{ExprId, ExprKind, FunctionId, Module, StmtId, StmtKind};

/// Calls `each` with every expression directly inside `expr`, in the order of evaluation. The body of a
/// lambda is not inside: see [`ExprKind::Lambda`].
pub fn children(module: &Module, expr: ExprId, each: &mut dyn FnMut(ExprId)) {
    match &module.expr(expr).kind {
        ExprKind::Name(_) | ExprKind::Constant(_) | ExprKind::Lambda(_) | ExprKind::Yield(None) => {}
        ExprKind::Attribute { object, .. } => each(*object),
        ExprKind::Subscript { object, index } => [*object, *index].into_iter().for_each(each),
        ExprKind::Slice { lower, upper, step } => {
            [*lower, *upper, *step].into_iter().flatten().for_each(each);
        }
        ExprKind::Call { callee, arguments } => {
            each(*callee);
            arguments.iter().for_each(|argument| each(argument.value));
        }
        ExprKind::Unary { operand: value, .. }
        | ExprKind::Await(value)
        | ExprKind::Yield(Some(value))
        | ExprKind::YieldFrom(value)
        | ExprKind::Starred(value) => each(*value),
        ExprKind::Binary { left, right, .. } => [*left, *right].into_iter().for_each(each),
        ExprKind::Compare { left, rest } => {
            each(*left);
            rest.iter().for_each(|(_, operand)| each(*operand));
        }
        ExprKind::Conditional { test, body, orelse } => [*test, *body, *orelse].into_iter().for_each(each),
        ExprKind::Walrus { target, value } => [*value, *target].into_iter().for_each(each),
        ExprKind::FormattedText(parts)
        | ExprKind::Logical { values: parts, .. }
        | ExprKind::List(parts)
        | ExprKind::Tuple(parts)
        | ExprKind::Set(parts)
        | ExprKind::Unreadable(parts) => parts.iter().copied().for_each(each),
        ExprKind::Dict(entries) => {
            for (key, value) in entries {
                key.iter().copied().for_each(&mut *each);
                each(*value);
            }
        }
        ExprKind::Comprehension { element, value, clauses, .. } => {
            for clause in clauses {
                each(clause.iterable);
                each(clause.target);
                clause.conditions.iter().copied().for_each(&mut *each);
            }
            each(*element);
            value.iter().copied().for_each(each);
        }
    }
}

/// What stands directly inside a statement.
#[derive(Default)]
pub struct Parts {
    /// Expressions, in the order of evaluation.
    pub exprs: Vec<ExprId>,
    /// Statements of its blocks, in order.
    pub stmts: Vec<StmtId>,
}

/// The expressions and statements directly inside `stmt`. A definition's decorators, defaults and bases
/// are inside it; its body is not.
pub fn parts(module: &Module, stmt: StmtId) -> Parts {
    let mut parts = Parts::default();
    match &module.stmt(stmt).kind {
        StmtKind::Pass
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::SetVariable(_)
        | StmtKind::Global(_)
        | StmtKind::Nonlocal(_)
        | StmtKind::Import(_)
        | StmtKind::ImportFrom(_)
        | StmtKind::Return(None) => {}
        StmtKind::Expr(value) | StmtKind::Return(Some(value)) => parts.exprs.push(*value),
        StmtKind::Assign { targets, value } => {
            parts.exprs.push(*value);
            parts.exprs.extend(targets);
        }
        StmtKind::AugmentedAssign { target, value, .. } => parts.exprs.extend([*target, *value]),
        StmtKind::AnnotatedAssign { target, annotation, value } => {
            parts.exprs.extend(value);
            parts.exprs.extend([*annotation, *target]);
        }
        StmtKind::Raise(values) | StmtKind::Delete(values) => parts.exprs.extend(values),
        StmtKind::Assert { test, message } => {
            parts.exprs.push(*test);
            parts.exprs.extend(message);
        }
        StmtKind::If { test, body, orelse } | StmtKind::While { test, body, orelse } => {
            parts.exprs.push(*test);
            parts.stmts.extend(body.iter().chain(orelse));
        }
        StmtKind::For { target, iterable, body, orelse, .. } => {
            parts.exprs.extend([*iterable, *target]);
            parts.stmts.extend(body.iter().chain(orelse));
        }
        StmtKind::With { items, body, .. } => {
            for (context, target) in items {
                parts.exprs.push(*context);
                parts.exprs.extend(target);
            }
            parts.stmts.extend(body);
        }
        StmtKind::Try { body, handlers, orelse, finally } => {
            parts.stmts.extend(body);
            for handler in handlers {
                parts.exprs.extend(handler.kind);
                parts.stmts.extend(&handler.body);
            }
            parts.stmts.extend(orelse.iter().chain(finally));
        }
        StmtKind::Match { subject, cases } => {
            parts.exprs.push(*subject);
            for case in cases {
                parts.exprs.extend(case.guard);
                parts.stmts.extend(&case.body);
            }
        }
        StmtKind::Function(function) => parts.exprs = function_header(module, *function),
        StmtKind::Class(class) => {
            let class = module.class(*class);
            parts.exprs.extend(&class.decorators);
            parts.exprs.extend(class.bases.iter().map(|base| base.value));
        }
    }
    parts
}

/// The expressions of a function that are evaluated where it is defined: decorators and defaults.
pub fn function_header(module: &Module, function: FunctionId) -> Vec<ExprId> {
    let function = module.function(function);
    let defaults = function.parameters.iter().filter_map(|parameter| parameter.default);
    function.decorators.iter().copied().chain(defaults).collect()
}
