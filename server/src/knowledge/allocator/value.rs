//! Reads the text of a setting: `key:value,key:value`, with lists in brackets. Spaces do not count.

use vramlens_grammars::Span;

/// One `key:value` of a setting. Positions count from the start of the setting's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The whole pair, without spaces around it.
    pub span: Span,
    /// The key.
    pub key: Span,
    /// The value; `None` without a colon.
    pub value: Option<Span>,
}

/// The pairs of a setting, in order. Nothing between two commas is a pair without a key; behind the last comma it is
/// no pair.
pub fn pairs(text: &str) -> Vec<Pair> {
    let mut items = items(text);
    if items.last().is_some_and(|item| trimmed(text, *item).text(text).is_empty()) {
        items.pop();
    }
    items.into_iter().map(|item| pair(text, trimmed(text, item))).collect()
}

/// What stands between commas, outside brackets.
pub fn items(text: &str) -> Vec<Span> {
    let mut items = Vec::new();
    let (mut start, mut depth) = (0, 0_u32);
    for (index, letter) in text.char_indices() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(span(start, index));
                start = index + 1;
            }
            _ => {}
        }
    }
    items.push(span(start, text.len()));
    items
}

fn pair(text: &str, item: Span) -> Pair {
    match item.text(text).find(':') {
        Some(colon) => {
            let colon = item.start + offset(colon);
            let key = trimmed(text, Span::new(item.start, colon));
            let value = trimmed(text, Span::new(colon + 1, item.end));
            Pair { span: item, key, value: Some(value) }
        }
        None => Pair { span: item, key: item, value: None },
    }
}

/// A range without the white space at its ends.
fn trimmed(text: &str, range: Span) -> Span {
    let inside = range.text(text);
    let start = range.start + offset(inside.len() - inside.trim_start().len());
    Span::new(start, start + offset(inside.trim().len()))
}

fn span(start: usize, end: usize) -> Span {
    Span::new(offset(start), offset(end))
}

fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(&str, Option<&str>)> {
        pairs(text)
            .iter()
            .map(|pair| (pair.key.text(text), pair.value.map(|value| value.text(text))))
            .collect()
    }

    #[test]
    fn pairs_with_spaces_lists_and_a_comma_at_the_end() {
        assert_eq!(read(" a : 1 , b:[256:1,>:8],"), [("a", Some("1")), ("b", Some("[256:1,>:8]"))]);
        assert_eq!(read("a,,b:"), [("a", None), ("", None), ("b", Some(""))]);
        assert_eq!(read(""), []);
    }
}
