//! Text inside string literals.

use vramlens_grammars::Span;

use crate::rules::context::Context;

/// Where the text of a string literal stands, without its prefix and quotes; `None` when it is not written out in one
/// piece. What a command of a notebook is given has no quotes.
pub fn contents(context: &Context, literal: Span, text: &str) -> Option<Span> {
    if context.is_in_command(literal) {
        return Some(literal);
    }
    let written = context.script.text_of(literal);
    let quoted = written.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let quotes = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quotes| quoted.starts_with(quotes))?;
    let inside = quoted.strip_prefix(quotes)?.strip_suffix(quotes)?;
    let start = literal.start + u32::try_from(written.len() - quoted.len() + quotes.len()).ok()?;
    let end = start + u32::try_from(text.len()).ok()?;
    (inside == text).then_some(Span::new(start, end))
}

/// Where a name stands that is written as a string or, as a keyword, without quotes.
pub fn name(context: &Context, written: Span, name: &str) -> Option<Span> {
    if context.script.text_of(written) == name {
        return Some(written);
    }
    contents(context, written, name)
}
