//! Telling a syntax tree about an edit, so that only what changed is parsed again.

use tree_sitter::{InputEdit, Point, Tree};

use crate::span::Span;

/// The tree of `old_text` moved to where things stand once `range` of it is replaced by `replacement`.
/// A range outside the text is cut to it.
pub fn edited(tree: &Tree, old_text: &str, range: Span, replacement: &str) -> Tree {
    let old_end = old_text.len().min(range.end as usize);
    let start = old_end.min(range.start as usize);
    let start_position = advanced(Point::new(0, 0), old_text.as_bytes().get(..start));
    let edit = InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: start + replacement.len(),
        start_position,
        old_end_position: advanced(start_position, old_text.as_bytes().get(start..old_end)),
        new_end_position: advanced(start_position, Some(replacement.as_bytes())),
    };
    let mut tree = tree.clone();
    tree.edit(&edit);
    tree
}

/// The point after `text` that starts at `from`. The parser counts rows at line feeds alone, and
/// columns in bytes.
fn advanced(from: Point, text: Option<&[u8]>) -> Point {
    let text = text.unwrap_or_default();
    match memchr::memrchr(b'\n', text) {
        Some(last) => {
            let rows = memchr::memchr_iter(b'\n', text).count();
            Point::new(from.row + rows, text.len() - last - 1)
        }
        None => Point::new(from.row, from.column + text.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn parsed(text: &str, previous: Option<&Tree>) -> Tree {
        let Ok(tree) = parse::python(text, previous) else { panic!("over a cap") };
        tree
    }

    #[track_caller]
    fn check(old: &str, range: (u32, u32), replacement: &str, new: &str) {
        let before = parsed(old, None);
        let moved = edited(&before, old, Span::new(range.0, range.1), replacement);
        let root = moved.root_node();
        assert_eq!(root.end_byte(), new.len(), "the tree covers the new text before it is parsed again");
        assert_eq!(root.end_position(), advanced(Point::new(0, 0), Some(new.as_bytes())));
        let (again, fresh) = (parsed(new, Some(&moved)), parsed(new, None));
        assert_eq!(again.root_node().to_sexp(), fresh.root_node().to_sexp());
        assert_eq!(again.root_node().range(), fresh.root_node().range());
    }

    #[test]
    fn an_edit_inside_a_line() {
        check("a = 1\nb = 2\n", (6, 7), "ccc", "a = 1\nccc = 2\n");
    }

    #[test]
    fn an_edit_over_lines() {
        check("if a:\n    b\n    c\nd\n", (5, 17), "\n  é = [\n  ]", "if a:\n  é = [\n  ]\nd\n");
    }

    #[test]
    fn a_carriage_return_alone_starts_no_row() {
        check("a = 1\r\nb = 2\r\n", (5, 7), "\r", "a = 1\rb = 2\r\n");
    }

    #[test]
    fn a_range_outside_the_text_is_cut() {
        check("a\n", (2, 90), "b\n", "a\nb\n");
    }
}
