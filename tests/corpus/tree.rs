//! Small questions to the concrete syntax tree.

use tree_sitter::Node;
use vramlens::finding::Edit;
use vramlens::fixes;
use vramlens_grammars::{Document, Span};

/// Visits a node and everything below it, in the order of the text.
pub fn visit<'tree>(node: Node<'tree>, see: &mut impl FnMut(Node<'tree>)) {
    see(node);
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        visit(child, see);
    }
}

/// The nearest node around this one that is of one of these kinds.
pub fn enclosing<'tree>(node: Node<'tree>, kinds: &[&str]) -> Option<Node<'tree>> {
    let mut outer = node.parent()?;
    while !kinds.contains(&outer.kind()) {
        outer = outer.parent()?;
    }
    Some(outer)
}

/// Whether a node belongs to an import statement.
pub fn is_imported(node: Node) -> bool {
    enclosing(node, &["import_statement", "import_from_statement"]).is_some()
}

/// The keyword of a keyword argument.
pub fn keyword_name(node: Node) -> Option<Node> {
    (node.kind() == "keyword_argument").then(|| node.child_by_field_name("name")).flatten()
}

/// The name, if the node is one.
pub fn identifier(node: Node, text: &str) -> Option<String> {
    (node.kind() == "identifier").then(|| of(node, text).to_owned())
}

/// A node's text.
pub fn of<'text>(node: Node, text: &'text str) -> &'text str {
    text.get(node.byte_range()).unwrap_or("")
}

/// Where a node stands.
pub fn span(node: Node) -> Span {
    let offset = |byte| u32::try_from(byte).unwrap_or(u32::MAX);
    Span::new(offset(node.start_byte()), offset(node.end_byte()))
}

/// The document with some of its nodes replaced. `replacement` gives the new text of a node, if it has one.
pub fn replace(document: &Document, replacement: impl Fn(Node, &str) -> Option<String>) -> Document {
    let Ok(tree) = &document.syntax else { return document.clone() };
    let mut edits = Vec::new();
    visit(tree.root_node(), &mut |node| {
        if let Some(content) = replacement(node, document.source.text()) {
            edits.push(Edit { location: document.source.locate(span(node)), content });
        }
    });
    Document::python(fixes::apply_to_source(&document.source, &edits))
}
