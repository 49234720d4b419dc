//! What can be kept of code the parser could not read.

use super::Lowering;
use super::concrete::{Node, NodeId};
use super::kinds::{Field, Kind};
use super::operators;
use crate::python::syntax::{ExprId, ExprKind, StmtId, StmtKind};
use vramlens_grammars::Span;

impl Lowering<'_> {
    /// Keeps what stands inside the broken parts of `node`, other than in its statements and
    /// expressions, which keep their own.
    pub(super) fn salvage(&mut self, node: NodeId) {
        if !self.tree.node(node).broken {
            return;
        }
        let mut found = Vec::new();
        self.salvage_between(node, &mut found);
        self.salvaged.append(&mut found);
    }

    fn salvage_between(&mut self, node: NodeId, found: &mut Vec<StmtId>) {
        let tree = self.tree;
        for child in tree.children(node) {
            let Node { kind, broken, .. } = *tree.node(child);
            let keeps_its_own = kind.is_statement() || kind.is_expression() || kind == Kind::Block;
            if kind == Kind::Error {
                self.salvage_inside(child, found);
            } else if broken && !keeps_its_own {
                self.deeper(|lowering| lowering.salvage_between(child, found));
            }
        }
    }

    /// Lowers the statements inside a part the parser could not read; loose expressions between them
    /// become one unreadable expression each.
    pub(super) fn salvage_inside(&mut self, node: NodeId, found: &mut Vec<StmtId>) {
        let mut loose = Vec::new();
        self.collect(node, &mut loose, found);
        self.flush(&mut loose, found);
    }

    fn collect(&mut self, node: NodeId, loose: &mut Vec<ExprId>, found: &mut Vec<StmtId>) {
        let tree = self.tree;
        for child in tree.children(node) {
            let kind = tree.kind(child);
            match kind {
                _ if kind.is_statement() => {
                    self.flush(loose, found);
                    self.statement(child, found);
                }
                _ if kind.is_expression() => {
                    let expr = self.expr(child);
                    loose.push(expr);
                }
                Kind::Token => self.forget_target(child, loose, found),
                // An assignment after an open bracket looks like this.
                Kind::KeywordArgument | Kind::DefaultParameter => {
                    self.flush(loose, found);
                    let target = self.expr_field(child, Field::Name);
                    let value = self.expr_field(child, Field::Value);
                    let value = self.module.add_expr(self.span(child), ExprKind::Unreadable(vec![value]));
                    let assign = StmtKind::Assign { targets: vec![target], value };
                    found.push(self.module.add_stmt(self.span(child), assign));
                }
                _ => {
                    self.deeper(|lowering| lowering.collect(child, loose, found));
                }
            }
        }
    }

    /// What stands before an assignment operator is bound to something unknown.
    fn forget_target(&mut self, token: NodeId, loose: &mut Vec<ExprId>, found: &mut Vec<StmtId>) {
        let text = self.text(token);
        let assigns = text == "=" || text.ends_with('=') && operators::binary(text).is_some();
        let Some(target) = loose.pop_if(|_| assigns) else { return };
        self.flush(loose, found);
        let start = self.module.expr(target).span.start;
        let end = self.span(token).end;
        let value = self.unreadable(Span::at(end));
        let assign = StmtKind::Assign { targets: vec![target], value };
        found.push(self.module.add_stmt(Span::new(start, end), assign));
    }

    fn flush(&mut self, loose: &mut Vec<ExprId>, found: &mut Vec<StmtId>) {
        let (Some(first), Some(last)) = (loose.first(), loose.last()) else { return };
        let span = Span::new(self.module.expr(*first).span.start, self.module.expr(*last).span.end);
        let expr = self.module.add_expr(span, ExprKind::Unreadable(std::mem::take(loose)));
        found.push(self.module.add_stmt(span, StmtKind::Expr(expr)));
    }
}
