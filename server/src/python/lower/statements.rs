//! Statements other than imports and definitions.

use super::concrete::NodeId;
use super::kinds::{Field, Kind};
use super::{Lowering, MAX_DEPTH, operators};
use crate::python::syntax::{Argument, ArgumentKind, ExprId, ExprKind, Handler, StmtId, StmtKind, Symbol};
use vramlens_grammars::Span;

impl Lowering<'_> {
    /// Lowers the statements of a block or of the module.
    pub(super) fn body(&mut self, block: NodeId) -> Vec<StmtId> {
        let tree = self.tree;
        let mut statements = Vec::new();
        for child in tree.children(block) {
            match tree.kind(child) {
                Kind::Error => self.salvage_inside(child, &mut statements),
                kind if kind.is_statement() => self.statement(child, &mut statements),
                _ => {}
            }
        }
        statements
    }

    /// Lowers the block in the role `field`.
    pub(super) fn body_field(&mut self, node: NodeId, field: Field) -> Vec<StmtId> {
        self.tree.field(node, field).map_or_else(Vec::new, |block| self.body(block))
    }

    /// Lowers a statement, after what was read in its broken parts.
    pub(super) fn statement(&mut self, node: NodeId, out: &mut Vec<StmtId>) {
        let outer = std::mem::take(&mut self.salvaged);
        self.salvage(node);
        let span = self.span(node);
        let kind = self.deeper(|lowering| lowering.statement_kind(node));
        out.append(&mut std::mem::replace(&mut self.salvaged, outer));
        let kind = match kind {
            Some(kind) => kind,
            None => StmtKind::Expr(self.unreadable(span)),
        };
        out.push(self.module.add_stmt(span, kind));
    }

    fn statement_kind(&mut self, node: NodeId) -> StmtKind {
        match self.tree.kind(node) {
            Kind::ExpressionStatement => self.expression_statement(node),
            Kind::If => self.if_statement(node),
            Kind::For => self.for_statement(node),
            Kind::While => StmtKind::While {
                test: self.expr_field(node, Field::Condition),
                body: self.body_field(node, Field::Body),
                orelse: self.else_clause(node),
            },
            Kind::With => self.with_statement(node),
            Kind::Try => self.try_statement(node),
            Kind::Match => self.match_statement(node),
            Kind::Function => self.function(node, Vec::new()),
            Kind::Class => self.class(node, Vec::new()),
            Kind::Decorated => self.decorated(node),
            Kind::Return => {
                let value = self.tree.expressions(node).next();
                StmtKind::Return(value.map(|value| self.expr(value)))
            }
            Kind::Raise => StmtKind::Raise(self.listed(node)),
            Kind::Delete => StmtKind::Delete(self.listed(node)),
            Kind::Break => StmtKind::Break,
            Kind::Continue => StmtKind::Continue,
            Kind::Global => StmtKind::Global(self.names(node)),
            Kind::Nonlocal => StmtKind::Nonlocal(self.names(node)),
            Kind::Import => self.import(node),
            Kind::ImportFrom | Kind::FutureImport => self.import_from(node),
            Kind::Assert => self.assert(node),
            Kind::Print => self.print(node),
            Kind::Exec => {
                let values = self.all_exprs(node);
                StmtKind::Expr(self.module.add_expr(self.span(node), ExprKind::Unreadable(values)))
            }
            _ => StmtKind::Pass,
        }
    }

    fn expression_statement(&mut self, node: NodeId) -> StmtKind {
        let tree = self.tree;
        let assignment = tree
            .children(node)
            .find(|child| matches!(tree.kind(*child), Kind::Assignment | Kind::AugmentedAssignment));
        match assignment {
            Some(assignment) if tree.kind(assignment) == Kind::Assignment => self.assignment(assignment),
            Some(assignment) => self.augmented_assignment(assignment),
            None => {
                let exprs = self.all_exprs(node);
                StmtKind::Expr(self.one_or_tuple(exprs, tree.has(node, Kind::Comma), self.span(node).end))
            }
        }
    }

    /// `a = b = value`, which the parser nests to the right.
    fn assignment(&mut self, node: NodeId) -> StmtKind {
        let tree = self.tree;
        if let Some(annotation) = tree.field(node, Field::Annotation) {
            let target = self.expr_field(node, Field::Left);
            let annotation = self.expr(annotation);
            let value = tree.field(node, Field::Right).map(|_| self.right_side(node));
            return StmtKind::AnnotatedAssign { target, annotation, value };
        }
        let mut targets = Vec::new();
        let mut last = node;
        loop {
            targets.push(self.expr_field(last, Field::Left));
            match tree.field(last, Field::Right) {
                Some(right) if tree.kind(right) == Kind::Assignment && !tree.has(last, Kind::Error) => {
                    last = right;
                }
                _ => return StmtKind::Assign { targets, value: self.right_side(last) },
            }
        }
    }

    fn augmented_assignment(&mut self, node: NodeId) -> StmtKind {
        let tree = self.tree;
        let target = self.expr_field(node, Field::Left);
        let value = self.right_side(node);
        let operator = tree.field(node, Field::Operator);
        let op = operator.and_then(|token| operators::binary(self.text(token)));
        match (op, tree.child(node, Kind::Error), operator) {
            (Some(op), None, _) => StmtKind::AugmentedAssign { target, op, value },
            (Some(op), Some(error), Some(token)) if self.span(token).end <= self.span(error).start => {
                StmtKind::AugmentedAssign { target, op, value }
            }
            // Two statements run together: the operator is another's.
            _ => StmtKind::Assign { targets: vec![target], value },
        }
    }

    /// The value of an assignment. Where the parser skipped something in the assignment, what it takes
    /// for the value may belong to another statement, and is not to be believed.
    fn right_side(&mut self, assignment: NodeId) -> ExprId {
        let value = self.expr_field(assignment, Field::Right);
        if !self.tree.has(assignment, Kind::Error) {
            return value;
        }
        let span = self.module.expr(value).span;
        self.module.add_expr(span, ExprKind::Unreadable(vec![value]))
    }

    /// The expressions of `del a, b` or `raise value from cause`, one by one.
    fn listed(&mut self, node: NodeId) -> Vec<ExprId> {
        let tree = self.tree;
        let mut exprs = Vec::new();
        for child in tree.expressions(node) {
            if tree.kind(child) == Kind::ExpressionList {
                exprs.append(&mut self.all_exprs(child));
            } else {
                exprs.push(self.expr(child));
            }
        }
        exprs
    }

    fn names(&mut self, node: NodeId) -> Vec<Symbol> {
        let tree = self.tree;
        tree.children_of_kind(node, Kind::Identifier).map(|name| self.symbol(name)).collect()
    }

    fn assert(&mut self, node: NodeId) -> StmtKind {
        let mut exprs = self.tree.expressions(node);
        let (test, message) = (exprs.next(), exprs.next());
        let test = match test {
            Some(test) => self.expr(test),
            None => self.unreadable(Span::at(self.span(node).end)),
        };
        StmtKind::Assert { test, message: message.map(|message| self.expr(message)) }
    }

    /// The `print` statement of Python 2 as a call.
    fn print(&mut self, node: NodeId) -> StmtKind {
        let tree = self.tree;
        let start = self.span(node).start;
        let name = self.module.intern("print");
        let callee = self.module.add_expr(Span::new(start, start + 5), ExprKind::Name(name));
        let mut arguments = Vec::new();
        for child in tree.children(node) {
            let value = match tree.kind(child) {
                Kind::Chevron => self.only_expr(child),
                kind if kind.is_expression() => self.expr(child),
                _ => continue,
            };
            arguments.push(Argument { kind: ArgumentKind::Positional, value, span: self.span(child) });
        }
        StmtKind::Expr(self.module.add_expr(self.span(node), ExprKind::Call { callee, arguments }))
    }

    /// `if` with its `elif` clauses, each an `if` inside the one before.
    fn if_statement(&mut self, node: NodeId) -> StmtKind {
        let tree = self.tree;
        let end = self.span(node).end;
        let test = self.expr_field(node, Field::Condition);
        let body = self.body_field(node, Field::Consequence);
        let mut elifs = Vec::new();
        for clause in tree.children_of_kind(node, Kind::ElifClause) {
            if self.depth as usize + elifs.len() >= MAX_DEPTH as usize {
                self.module.too_deep = true;
                break;
            }
            let test = self.expr_field(clause, Field::Condition);
            elifs.push((self.span(clause).start, test, self.body_field(clause, Field::Consequence)));
        }
        let mut orelse = self.else_clause(node);
        for (start, test, body) in elifs.into_iter().rev() {
            let nested = StmtKind::If { test, body, orelse };
            orelse = vec![self.module.add_stmt(Span::new(start, end), nested)];
        }
        StmtKind::If { test, body, orelse }
    }

    fn else_clause(&mut self, node: NodeId) -> Vec<StmtId> {
        let clause = self.tree.child(node, Kind::ElseClause);
        clause.map_or_else(Vec::new, |clause| self.body_field(clause, Field::Body))
    }

    fn for_statement(&mut self, node: NodeId) -> StmtKind {
        StmtKind::For {
            target: self.expr_field(node, Field::Left),
            iterable: self.expr_field(node, Field::Right),
            body: self.body_field(node, Field::Body),
            orelse: self.else_clause(node),
            is_async: self.tree.has(node, Kind::Async),
        }
    }

    fn with_statement(&mut self, node: NodeId) -> StmtKind {
        let tree = self.tree;
        let mut items = Vec::new();
        if let Some(clause) = tree.child(node, Kind::WithClause) {
            let values: Vec<NodeId> = tree
                .children_of_kind(clause, Kind::WithItem)
                .filter_map(|item| tree.field(item, Field::Value))
                .collect();
            // `with (a as b, c):` may come as one item that is a tuple.
            let values = match values.as_slice() {
                [only] if matches!(tree.kind(*only), Kind::Tuple | Kind::Parenthesized) => {
                    tree.expressions(*only).collect()
                }
                _ => values,
            };
            for value in values {
                items.push(self.with_item(value));
            }
        }
        let body = self.body_field(node, Field::Body);
        StmtKind::With { items, body, is_async: tree.has(node, Kind::Async) }
    }

    fn with_item(&mut self, value: NodeId) -> (ExprId, Option<ExprId>) {
        if self.tree.kind(value) != Kind::AsPattern {
            return (self.expr(value), None);
        }
        self.salvage(value);
        let context = self.only_expr(value);
        let target = self.tree.field(value, Field::Alias).map(|target| self.expr(target));
        (context, target)
    }

    fn try_statement(&mut self, node: NodeId) -> StmtKind {
        let tree = self.tree;
        let body = self.body_field(node, Field::Body);
        let mut handlers = Vec::new();
        for clause in tree.children_of_kind(node, Kind::ExceptClause) {
            handlers.push(self.handler(clause));
        }
        let orelse = self.else_clause(node);
        let finally =
            tree.child(node, Kind::FinallyClause).and_then(|clause| tree.child(clause, Kind::Block));
        let finally = finally.map_or_else(Vec::new, |block| self.body(block));
        StmtKind::Try { body, handlers, orelse, finally }
    }

    fn handler(&mut self, node: NodeId) -> Handler {
        let tree = self.tree;
        let mut alias = tree.field(node, Field::Alias);
        let mut kinds = Vec::new();
        for value in tree.fields(node, Field::Value) {
            if tree.kind(value) == Kind::AsPattern {
                alias = tree.field(value, Field::Alias);
                kinds.push(self.only_expr(value));
            } else if tree.kind(value).is_expression() {
                kinds.push(self.expr(value));
            }
        }
        let kind = (!kinds.is_empty()).then(|| self.one_or_tuple(kinds, false, self.span(node).end));
        let name = alias.map(|alias| self.symbol(alias));
        let body = tree.child(node, Kind::Block).map_or_else(Vec::new, |block| self.body(block));
        Handler { kind, name, body }
    }
}
