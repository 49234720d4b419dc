//! One document as the analysis takes it: its text, in pieces, and its syntax.

use tree_sitter::Tree;

use crate::parse::{self, ParseLimit};
use crate::source::Source;

/// A text with its syntax tree, or the cap that kept it from being parsed.
#[derive(Clone, Debug)]
pub struct Document {
    /// The module's text and the map back to the document's pieces.
    pub source: Source,
    /// The concrete syntax of the module's text.
    pub syntax: Result<Tree, ParseLimit>,
}

impl Document {
    /// A Python module, parsed from nothing.
    pub fn python(source: Source) -> Self {
        let syntax = parse::python(source.text(), None);
        Self { source, syntax }
    }

    /// The same module after an edit, parsed from the tree before it. `previous` must have had the
    /// edit applied ([`Tree::edit`]).
    pub fn python_after_edit(source: Source, previous: &Tree) -> Self {
        let syntax = parse::python(source.text(), Some(previous));
        Self { source, syntax }
    }
}
