//! The parser's tree, copied once into a flat list that is cheap to look around in.

use tree_sitter::{Tree, TreeCursor};
use vramlens_grammars::Span;

use crate::python::division::covering;

use super::kinds::{Field, Kind, Vocabulary};

/// A node of the flat tree, by its place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(u32);

/// A node of the flat tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// What it is.
    pub(super) kind: Kind,
    /// Its role in its parent.
    pub(super) field: Field,
    /// Whether something under it could not be parsed.
    pub(super) broken: bool,
    /// Its bytes, without comments at its end.
    pub(super) span: Span,
    /// One past the last node under it.
    next: u32,
}

/// The parser's tree in the order of its text, every node before its children.
pub(super) struct Concrete {
    nodes: Vec<Node>,
}

const ABSENT: Node =
    Node { kind: Kind::Error, field: Field::Absent, broken: true, span: Span { start: 0, end: 0 }, next: 0 };

impl Concrete {
    /// Copies the parser's tree: all of it, or the statements of the top level that begin in some parts of the text.
    pub(super) fn new(tree: &Tree, parts: Option<&[Span]>) -> Self {
        let vocabulary = Vocabulary::new(&tree.language());
        let size = if parts.is_none() { tree.root_node().descendant_count() } else { 0 };
        let mut flat = Self { nodes: Vec::with_capacity(size) };
        let mut open: Vec<NodeId> = Vec::new();
        let mut cursor = tree.walk();
        loop {
            let is_shown = open.len() != 1 || parts.is_none_or(|parts| begins_in(&cursor, parts));
            if is_shown {
                let parent = open.last().map_or(Kind::Module, |id| flat.node(*id).kind);
                let id = flat.push(&cursor, &vocabulary, parent);
                if !flat.node(id).kind.is_leaf() && cursor.goto_first_child() {
                    open.push(id);
                    continue;
                }
                flat.close(id);
            }
            while !cursor.goto_next_sibling() {
                let Some(parent) = open.pop() else { return flat };
                flat.close(parent);
                if !cursor.goto_parent() {
                    return flat;
                }
            }
        }
    }

    fn push(&mut self, cursor: &TreeCursor<'_>, vocabulary: &Vocabulary, parent: Kind) -> NodeId {
        let node = cursor.node();
        let kind = vocabulary.kind(node.kind_id());
        let field = if parent.has_fields() { cursor.field_id() } else { None };
        let field = field.map_or(Field::Absent, |id| vocabulary.field(id.get()));
        let span = Span::new(offset(node.start_byte()), offset(node.end_byte()));
        self.nodes.push(Node { kind, field, broken: kind == Kind::Error, span, next: 0 });
        NodeId(offset(self.nodes.len() - 1))
    }

    /// All nodes under `id` are there: notes where they end, and takes over what they know.
    fn close(&mut self, id: NodeId) {
        let next = offset(self.nodes.len());
        let mut end = self.node(id).span.end;
        let mut broken = self.node(id).broken;
        let mut code_end = None;
        if let Some(node) = self.nodes.get_mut(id.0 as usize) {
            node.next = next;
        }
        for child in self.children(id) {
            let child = self.node(child);
            broken |= child.broken;
            if child.kind != Kind::Comment {
                code_end = Some(child.span.end);
            }
        }
        if let Some(code_end) = code_end {
            end = code_end;
        }
        if let Some(node) = self.nodes.get_mut(id.0 as usize) {
            node.span.end = end;
            node.broken = broken;
        }
    }

    /// The root.
    pub(super) fn root() -> NodeId {
        NodeId(0)
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All nodes, in order.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter()
    }

    /// The node `id` names.
    pub(super) fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(id.0 as usize).unwrap_or(&ABSENT)
    }

    /// The kind of `id`.
    pub(super) fn kind(&self, id: NodeId) -> Kind {
        self.node(id).kind
    }

    /// The children of `id` with its tokens and comments, in order.
    pub(super) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + use<'_> {
        let end = self.node(id).next;
        let mut at = id.0 + 1;
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let child = NodeId(at);
            at = self.node(child).next.max(at + 1);
            Some(child)
        })
    }

    /// The children of `id` that are of `kind`.
    pub(super) fn children_of_kind(&self, id: NodeId, kind: Kind) -> impl Iterator<Item = NodeId> + use<'_> {
        self.children(id).filter(move |child| self.kind(*child) == kind)
    }

    /// The children of `id` that lower to expressions.
    pub(super) fn expressions(&self, id: NodeId) -> impl Iterator<Item = NodeId> + use<'_> {
        self.children(id).filter(|child| self.kind(*child).is_expression())
    }

    /// The children of `id` in the role `field`.
    pub(super) fn fields(&self, id: NodeId, field: Field) -> impl Iterator<Item = NodeId> + use<'_> {
        self.children(id).filter(move |child| {
            let node = self.node(*child);
            node.field == field && node.kind != Kind::Comment
        })
    }

    /// The first child of `id` in the role `field`.
    pub(super) fn field(&self, id: NodeId, field: Field) -> Option<NodeId> {
        self.fields(id, field).next()
    }

    /// The first child of `id` that is of `kind`.
    pub(super) fn child(&self, id: NodeId, kind: Kind) -> Option<NodeId> {
        self.children_of_kind(id, kind).next()
    }

    /// Whether `id` has a child of `kind`.
    pub(super) fn has(&self, id: NodeId, kind: Kind) -> bool {
        self.child(id, kind).is_some()
    }
}

/// Whether the node at a cursor begins in some parts of the text.
fn begins_in(cursor: &TreeCursor<'_>, parts: &[Span]) -> bool {
    covering(parts, offset(cursor.node().start_byte())).is_some()
}

/// Offsets fit `u32`: the parser refuses larger texts.
fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
