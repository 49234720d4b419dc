//! The patterns of `match`: only the names they bind matter here.

use super::Lowering;
use super::concrete::NodeId;
use super::kinds::{Field, Kind};
use crate::python::syntax::{Case, StmtId, StmtKind, Symbol};

impl Lowering<'_> {
    /// Lowers a `match` statement.
    pub(super) fn match_statement(&mut self, node: NodeId) -> StmtKind {
        let tree = self.tree;
        let subjects: Vec<NodeId> =
            tree.fields(node, Field::Subject).filter(|child| tree.kind(*child).is_expression()).collect();
        let subjects = subjects.into_iter().map(|subject| self.expr(subject)).collect();
        let subject = self.one_or_tuple(subjects, tree.has(node, Kind::Comma), self.span(node).end);
        let mut cases = Vec::new();
        if let Some(block) = tree.field(node, Field::Body) {
            self.salvage(block);
            for clause in tree.children_of_kind(block, Kind::CaseClause) {
                cases.push(self.case(clause));
            }
        }
        StmtKind::Match { subject, cases }
    }

    fn case(&mut self, node: NodeId) -> Case {
        let tree = self.tree;
        let mut names = Vec::new();
        for pattern in tree.children_of_kind(node, Kind::CasePattern) {
            self.bound_names(pattern, &mut names);
        }
        let guard = tree.field(node, Field::Guard).map(|clause| self.only_expr(clause));
        let body: Vec<StmtId> = self.body_field(node, Field::Consequence);
        Case { names, guard, body }
    }

    fn bound_names(&mut self, node: NodeId, names: &mut Vec<Symbol>) {
        let tree = self.tree;
        match tree.kind(node) {
            Kind::Identifier => self.bind(node, names),
            Kind::DottedName => {
                let mut parts = tree.children_of_kind(node, Kind::Identifier);
                if let (Some(only), None) = (parts.next(), parts.next()) {
                    self.bind(only, names);
                }
            }
            kind => {
                // The class of a class pattern and the name of a keyword pattern bind nothing.
                let unbound = usize::from(matches!(kind, Kind::ClassPattern | Kind::KeywordPattern));
                let inner: Vec<NodeId> = tree
                    .children(node)
                    .filter(|child| tree.node(*child).field != Field::Key)
                    .skip(unbound)
                    .collect();
                self.deeper(|lowering| {
                    for child in inner {
                        lowering.bound_names(child, names);
                    }
                });
            }
        }
    }

    fn bind(&mut self, node: NodeId, names: &mut Vec<Symbol>) {
        if !matches!(self.text(node), "" | "_") {
            let name = self.symbol(node);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
}
