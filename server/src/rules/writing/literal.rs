//! Text inside string literals.

use vramlens_grammars::Span;

use crate::python::script::Script;

/// Where the text of a string literal stands, without its prefix and quotes; `None` when it is not written out in one
/// piece.
pub fn contents(script: &Script, literal: Span, text: &str) -> Option<Span> {
    let written = script.text_of(literal);
    let quoted = written.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let quotes = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quotes| quoted.starts_with(quotes))?;
    let inside = quoted.strip_prefix(quotes)?.strip_suffix(quotes)?;
    let start = literal.start + u32::try_from(written.len() - quoted.len() + quotes.len()).ok()?;
    let end = start + u32::try_from(text.len()).ok()?;
    (inside == text).then_some(Span::new(start, end))
}

/// Where a name stands that is written as a string or, as a keyword, without quotes.
pub fn name(script: &Script, written: Span, name: &str) -> Option<Span> {
    if script.text_of(written) == name {
        return Some(written);
    }
    contents(script, written, name)
}
