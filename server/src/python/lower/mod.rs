//! From the parser's concrete tree to our own.
//!
//! The parser's tree is first copied into a flat list ([`concrete`]); lowering then recurs over that
//! list, one file per part of the language. Where the parser gave up, what it did read is kept.

mod concrete;
mod definitions;
mod expressions;
mod imports;
mod kinds;
mod literals;
mod operators;
mod patterns;
mod salvage;
mod statements;

#[cfg(test)]
pub(super) mod tests;

use tree_sitter::Tree;
use vramlens_grammars::Span;

use crate::python::syntax::{Comment, ExprId, ExprKind, Module, StmtId, Symbol};
use concrete::{Concrete, NodeId};
use kinds::{Field, Kind};

/// Levels of nesting that are lowered. `CPython` itself refuses more than 200 nested brackets.
const MAX_DEPTH: u32 = 200;

/// Stack that must be left before a level is lowered, and how much is added when it is not.
const STACK_RED_ZONE: usize = 64 * 1024;
const STACK_GROWTH: usize = 1024 * 1024;

/// Lowers a parsed module. `text` is the text the tree was parsed from.
pub fn lower(tree: &Tree, text: &str) -> Module {
    lower_concrete(&Concrete::new(tree, None), text)
}

/// Lowers the statements of a module's top level that begin in some parts of its text.
pub fn lower_parts(tree: &Tree, text: &str, parts: &[Span]) -> Module {
    lower_concrete(&Concrete::new(tree, Some(parts)), text)
}

fn lower_concrete(concrete: &Concrete, text: &str) -> Module {
    let mut lowering = Lowering {
        tree: concrete,
        text,
        module: Module::with_capacity(concrete.len() / 3, concrete.len() / 12),
        depth: 0,
        yields: false,
        salvaged: Vec::new(),
    };
    lowering.comments_and_strings();
    let body = lowering.root();
    lowering.module.body = body;
    lowering.module
}

/// A lowering under way.
struct Lowering<'a> {
    tree: &'a Concrete,
    text: &'a str,
    module: Module,
    depth: u32,
    /// Whether a `yield` was seen in the function being lowered.
    yields: bool,
    /// What was read inside broken parts of the statement being lowered.
    salvaged: Vec<StmtId>,
}

impl<'a> Lowering<'a> {
    fn root(&mut self) -> Vec<StmtId> {
        let root = Concrete::root();
        if self.tree.kind(root) == Kind::Error {
            let mut body = Vec::new();
            self.salvage_inside(root, &mut body);
            return body;
        }
        self.body(root)
    }

    fn comments_and_strings(&mut self) {
        for node in self.tree.nodes() {
            let written = node.span.text(self.text);
            if node.kind == Kind::Comment {
                let length = written.trim_end_matches(['\r', '\n']).len();
                let end = node.span.start + u32::try_from(length).unwrap_or(0);
                let span = Span::new(node.span.start, end);
                let own_line = self.stands_alone(span);
                self.module.comments.push(Comment { span, own_line });
            } else if node.kind == Kind::String && written.contains(['\n', '\r']) {
                self.module.multiline_strings.push(node.span);
            }
        }
    }

    fn stands_alone(&self, span: Span) -> bool {
        let before = self.text.get(..span.start as usize).unwrap_or("");
        before.chars().rev().take_while(|c| !matches!(c, '\n' | '\r')).all(char::is_whitespace)
    }

    /// Runs `lower` one level deeper, or returns nothing when that is over the cap.
    fn deeper<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            self.module.too_deep = true;
            return None;
        }
        self.depth += 1;
        let result = stacker::maybe_grow(STACK_RED_ZONE, STACK_GROWTH, || lower(self));
        self.depth -= 1;
        Some(result)
    }

    fn span(&self, node: NodeId) -> Span {
        self.tree.node(node).span
    }

    fn text(&self, node: NodeId) -> &'a str {
        self.span(node).text(self.text)
    }

    fn symbol(&mut self, node: NodeId) -> Symbol {
        let name = self.text(node);
        self.module.intern(name)
    }

    /// The symbol of the child in the role `field`; the empty name where the parser found none.
    fn symbol_field(&mut self, node: NodeId, field: Field) -> Symbol {
        match self.tree.field(node, field) {
            Some(name) => self.symbol(name),
            None => self.module.intern(""),
        }
    }

    fn unreadable(&mut self, span: Span) -> ExprId {
        self.module.add_expr(span, ExprKind::Unreadable(Vec::new()))
    }
}
