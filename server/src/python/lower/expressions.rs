//! Expressions, assignment targets and annotations.

use super::Lowering;
use super::concrete::NodeId;
use super::kinds::{Field, Kind};
use super::operators;
use crate::python::syntax::{
    Argument, ArgumentKind, Clause, CompareOp, ComprehensionKind, Constant, ExprId, ExprKind, UnaryOp,
};
use vramlens_grammars::Span;

impl Lowering<'_> {
    /// Lowers an expression, a target or a type.
    pub(super) fn expr(&mut self, node: NodeId) -> ExprId {
        let node = self.without_parentheses(node);
        self.salvage(node);
        let span = self.span(node);
        let kind = self.deeper(|lowering| lowering.expr_kind(node));
        self.module.add_expr(span, kind.unwrap_or(ExprKind::Unreadable(Vec::new())))
    }

    /// Lowers the child in the role `field`.
    pub(super) fn expr_field(&mut self, node: NodeId, field: Field) -> ExprId {
        match self.tree.field(node, field) {
            Some(child) => self.expr(child),
            None => self.unreadable(Span::at(self.span(node).end)),
        }
    }

    /// Lowers the only expression in `node`.
    pub(super) fn only_expr(&mut self, node: NodeId) -> ExprId {
        match self.tree.expressions(node).next() {
            Some(child) => self.expr(child),
            None => self.unreadable(Span::at(self.span(node).end)),
        }
    }

    /// Lowers all expressions in `node`.
    pub(super) fn all_exprs(&mut self, node: NodeId) -> Vec<ExprId> {
        self.tree.expressions(node).map(|child| self.expr(child)).collect()
    }

    fn without_parentheses(&mut self, mut node: NodeId) -> NodeId {
        loop {
            let transparent = match self.tree.kind(node) {
                Kind::Parenthesized | Kind::ParenthesizedSplat | Kind::Type | Kind::AsPatternTarget => true,
                Kind::TuplePattern => !self.tree.has(node, Kind::Comma),
                _ => false,
            };
            let mut inner = self.tree.expressions(node);
            match (transparent, inner.next(), inner.next()) {
                (true, Some(only), None) => {
                    self.salvage(node);
                    node = only;
                }
                _ => return node,
            }
        }
    }

    fn expr_kind(&mut self, node: NodeId) -> ExprKind {
        match self.tree.kind(node) {
            Kind::Identifier => self.name(node),
            Kind::Attribute | Kind::MemberType => self.attribute(node),
            Kind::Call => self.call(node),
            Kind::Subscript => self.subscript(node),
            Kind::Integer => ExprKind::Constant(super::literals::integer(self.text(node))),
            Kind::Float => ExprKind::Constant(super::literals::float(self.text(node))),
            Kind::True => ExprKind::Constant(Constant::Bool(true)),
            Kind::False => ExprKind::Constant(Constant::Bool(false)),
            Kind::None => ExprKind::Constant(Constant::None),
            Kind::Ellipsis => ExprKind::Constant(Constant::Other),
            Kind::String | Kind::ConcatenatedString => self.string(node),
            Kind::BinaryOperator | Kind::UnaryOperator | Kind::UnionType => self.operator(node),
            Kind::NotOperator => {
                ExprKind::Unary { op: UnaryOp::Not, operand: self.expr_field(node, Field::Argument) }
            }
            Kind::BooleanOperator => self.logical(node),
            Kind::Comparison => self.comparison(node),
            Kind::Conditional => self.conditional(node),
            Kind::Lambda => ExprKind::Lambda(self.lambda(node)),
            Kind::Tuple | Kind::ExpressionList | Kind::PatternList | Kind::TuplePattern => {
                ExprKind::Tuple(self.all_exprs(node))
            }
            Kind::List | Kind::ListPattern => ExprKind::List(self.all_exprs(node)),
            Kind::Set => ExprKind::Set(self.all_exprs(node)),
            Kind::Dictionary => self.dictionary(node),
            Kind::ListComprehension => self.comprehension(node, ComprehensionKind::List),
            Kind::SetComprehension => self.comprehension(node, ComprehensionKind::Set),
            Kind::DictionaryComprehension => self.comprehension(node, ComprehensionKind::Dict),
            Kind::GeneratorExpression => self.comprehension(node, ComprehensionKind::Generator),
            Kind::Await => ExprKind::Await(self.only_expr(node)),
            Kind::Yield => self.yielded(node),
            Kind::ListSplat | Kind::ListSplatPattern => ExprKind::Starred(self.only_expr(node)),
            Kind::NamedExpression => ExprKind::Walrus {
                target: self.expr_field(node, Field::Name),
                value: self.expr_field(node, Field::Value),
            },
            Kind::Slice => self.slice(node),
            Kind::GenericType => self.generic_type(node),
            _ => ExprKind::Unreadable(self.all_exprs(node)),
        }
    }

    fn name(&mut self, node: NodeId) -> ExprKind {
        if self.text(node).is_empty() {
            return ExprKind::Unreadable(Vec::new());
        }
        ExprKind::Name(self.symbol(node))
    }

    fn attribute(&mut self, node: NodeId) -> ExprKind {
        let tree = self.tree;
        let object = self.only_expr(node);
        let last = tree.children_of_kind(node, Kind::Identifier).last();
        let Some(name) = tree.field(node, Field::Attribute).or(last) else {
            return ExprKind::Unreadable(vec![object]);
        };
        if self.text(name).is_empty() {
            return ExprKind::Unreadable(vec![object]);
        }
        ExprKind::Attribute { object, name: self.symbol(name), name_span: self.span(name) }
    }

    fn call(&mut self, node: NodeId) -> ExprKind {
        let callee = self.expr_field(node, Field::Function);
        let Some(list) = self.tree.field(node, Field::Arguments) else {
            return ExprKind::Unreadable(vec![callee]);
        };
        let arguments = if self.tree.kind(list) == Kind::GeneratorExpression {
            let span = self.span(list);
            vec![Argument { kind: ArgumentKind::Positional, value: self.expr(list), span }]
        } else {
            self.arguments(list)
        };
        ExprKind::Call { callee, arguments }
    }

    /// Lowers the arguments in an argument list.
    pub(super) fn arguments(&mut self, list: NodeId) -> Vec<Argument> {
        let tree = self.tree;
        let mut arguments = Vec::new();
        for child in tree.children(list) {
            let (kind, value) = match tree.kind(child) {
                Kind::ListSplat => (ArgumentKind::Unpacked, self.only_expr(child)),
                Kind::DictionarySplat => (ArgumentKind::UnpackedMapping, self.only_expr(child)),
                Kind::KeywordArgument => {
                    let name = self.symbol_field(child, Field::Name);
                    (ArgumentKind::Keyword(name), self.expr_field(child, Field::Value))
                }
                kind if kind.is_expression() => (ArgumentKind::Positional, self.expr(child)),
                _ => continue,
            };
            arguments.push(Argument { kind, value, span: self.span(child) });
        }
        arguments
    }

    fn subscript(&mut self, node: NodeId) -> ExprKind {
        let tree = self.tree;
        let object = self.expr_field(node, Field::Value);
        let indexes: Vec<ExprId> = tree
            .fields(node, Field::Subscript)
            .filter(|child| tree.kind(*child).is_expression())
            .collect::<Vec<_>>()
            .into_iter()
            .map(|child| self.expr(child))
            .collect();
        let index = self.one_or_tuple(indexes, tree.has(node, Kind::Comma), self.span(node).end);
        ExprKind::Subscript { object, index }
    }

    /// One expression as it is; several, or one before a comma, as a tuple.
    pub(super) fn one_or_tuple(&mut self, exprs: Vec<ExprId>, comma: bool, missing_at: u32) -> ExprId {
        let (Some(first), Some(last)) = (exprs.first().copied(), exprs.last().copied()) else {
            return self.unreadable(Span::at(missing_at));
        };
        if first == last && !comma {
            return first;
        }
        let span = Span::new(self.module.expr(first).span.start, self.module.expr(last).span.end);
        self.module.add_expr(span, ExprKind::Tuple(exprs))
    }

    fn slice(&mut self, node: NodeId) -> ExprKind {
        let tree = self.tree;
        let mut parts = [None; 3];
        let mut colons = 0_usize;
        for child in tree.children(node) {
            let kind = tree.kind(child);
            if kind == Kind::Colon {
                colons += 1;
            } else if kind.is_expression() {
                let expr = self.expr(child);
                if let Some(part) = parts.get_mut(colons) {
                    *part = Some(expr);
                }
            }
        }
        let [lower, upper, step] = parts;
        ExprKind::Slice { lower, upper, step }
    }

    fn operator(&mut self, node: NodeId) -> ExprKind {
        let tree = self.tree;
        let operands = self.all_exprs(node);
        let operator = tree.field(node, Field::Operator).map_or("|", |token| self.text(token));
        match (operands.as_slice(), operators::binary(operator), operators::unary(operator)) {
            ([left, right], Some(op), _) => ExprKind::Binary { op, left: *left, right: *right },
            ([operand], _, Some(op)) => ExprKind::Unary { op, operand: *operand },
            _ => ExprKind::Unreadable(operands),
        }
    }

    /// Flattens `a and b and c`, which the parser nests to the left.
    fn logical(&mut self, node: NodeId) -> ExprKind {
        let tree = self.tree;
        let operator = |node| tree.field(node, Field::Operator).map(|token| self.text(token));
        let own = operator(node);
        let mut right_operands = Vec::new();
        let mut leftmost = node;
        while tree.kind(leftmost) == Kind::BooleanOperator && operator(leftmost) == own {
            right_operands.extend(tree.field(leftmost, Field::Right));
            let Some(left) = tree.field(leftmost, Field::Left) else { break };
            leftmost = left;
        }
        let mut values = vec![self.expr(leftmost)];
        values.extend(right_operands.into_iter().rev().map(|operand| self.expr(operand)));
        ExprKind::Logical { and: own == Some("and"), values }
    }

    fn comparison(&mut self, node: NodeId) -> ExprKind {
        let tree = self.tree;
        let mut left = None;
        let mut operator = None;
        let mut rest = Vec::new();
        for child in tree.children(node) {
            match tree.kind(child) {
                Kind::NotIn => operator = Some(CompareOp::NotIn),
                Kind::IsNot => operator = Some(CompareOp::IsNot),
                kind if kind.is_expression() => {
                    let expr = self.expr(child);
                    match (left, operator.take()) {
                        (Some(_), Some(op)) => rest.push((op, expr)),
                        _ => left = Some(expr),
                    }
                }
                _ => operator = operators::comparison(self.text(child)).or(operator),
            }
        }
        match left {
            Some(left) => ExprKind::Compare { left, rest },
            None => ExprKind::Unreadable(Vec::new()),
        }
    }

    fn conditional(&mut self, node: NodeId) -> ExprKind {
        let parts = self.all_exprs(node);
        match parts.as_slice() {
            [body, test, orelse] => ExprKind::Conditional { test: *test, body: *body, orelse: *orelse },
            _ => ExprKind::Unreadable(parts),
        }
    }

    fn dictionary(&mut self, node: NodeId) -> ExprKind {
        let tree = self.tree;
        let mut pairs = Vec::new();
        for child in tree.children(node) {
            match tree.kind(child) {
                Kind::Pair => {
                    let key = self.expr_field(child, Field::Key);
                    pairs.push((Some(key), self.expr_field(child, Field::Value)));
                }
                Kind::DictionarySplat => pairs.push((None, self.only_expr(child))),
                _ => {}
            }
        }
        ExprKind::Dict(pairs)
    }

    fn comprehension(&mut self, node: NodeId, kind: ComprehensionKind) -> ExprKind {
        let tree = self.tree;
        let (element, value) = match tree.field(node, Field::Body) {
            Some(pair) if tree.kind(pair) == Kind::Pair => {
                (self.expr_field(pair, Field::Key), Some(self.expr_field(pair, Field::Value)))
            }
            _ => (self.expr_field(node, Field::Body), None),
        };
        let mut clauses: Vec<Clause> = Vec::new();
        for child in tree.children(node) {
            match tree.kind(child) {
                Kind::ForInClause => clauses.push(self.clause(child)),
                Kind::IfClause => {
                    let condition = self.only_expr(child);
                    if let Some(clause) = clauses.last_mut() {
                        clause.conditions.push(condition);
                    }
                }
                _ => {}
            }
        }
        ExprKind::Comprehension { kind, element, value, clauses }
    }

    fn clause(&mut self, node: NodeId) -> Clause {
        let tree = self.tree;
        let target = self.expr_field(node, Field::Left);
        let right: Vec<NodeId> =
            tree.fields(node, Field::Right).filter(|child| tree.kind(*child).is_expression()).collect();
        let iterables: Vec<ExprId> = right.into_iter().map(|child| self.expr(child)).collect();
        let iterable = self.one_or_tuple(iterables, false, self.span(node).end);
        Clause { target, iterable, conditions: Vec::new(), is_async: tree.has(node, Kind::Async) }
    }

    fn yielded(&mut self, node: NodeId) -> ExprKind {
        self.yields = true;
        if self.tree.has(node, Kind::From) {
            return ExprKind::YieldFrom(self.only_expr(node));
        }
        let value = self.tree.expressions(node).next();
        ExprKind::Yield(value.map(|value| self.expr(value)))
    }

    /// `list[int]` in an annotation, which the parser tells from a subscript.
    fn generic_type(&mut self, node: NodeId) -> ExprKind {
        let object = self.only_expr(node);
        let Some(list) = self.tree.child(node, Kind::TypeParameter) else {
            return ExprKind::Unreadable(vec![object]);
        };
        let indexes = self.all_exprs(list);
        let index = self.one_or_tuple(indexes, self.tree.has(list, Kind::Comma), self.span(list).end);
        ExprKind::Subscript { object, index }
    }
}
