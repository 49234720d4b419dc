//! Rows and columns, which exist only at the terminal edge.

use std::collections::HashMap;

use vramlens_grammars::{Location, Source, Span};

use crate::lines::LineStarts;

/// A row and a column, from 1; columns count Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Place {
    /// The line, in its cell or file.
    pub row: usize,
    /// The scalar value in the line.
    pub column: usize,
}

/// Turns the byte ranges of one document into rows and columns.
#[derive(Debug)]
pub struct Places<'a> {
    pieces: HashMap<Option<u32>, (&'a str, LineStarts)>,
}

impl<'a> Places<'a> {
    /// For the pieces of a document.
    pub fn new(source: &'a Source) -> Self {
        let pieces = source.pieces().iter().map(|piece| {
            let text = piece.span.text(source.text());
            (piece.cell, (text, LineStarts::new(text)))
        });
        Self { pieces: pieces.collect() }
    }

    /// Where a location starts.
    pub fn start(&self, location: Location) -> Place {
        self.place(location.cell, location.span.start)
    }

    /// One past where a location ends.
    pub fn end(&self, location: Location) -> Place {
        self.place(location.cell, location.span.end)
    }

    /// The whole lines that hold all the spans, where their text starts in the piece, and the number of
    /// the first of them.
    pub fn excerpt(&self, cell: Option<u32>, spans: &[Span]) -> (&'a str, u32, usize) {
        let Some((text, lines)) = self.pieces.get(&cell) else { return ("", 0, 1) };
        let first = lines.line(spans.iter().map(|span| span.start).min().unwrap_or(0));
        let last = lines.line(spans.iter().map(|span| span.end).max().unwrap_or(0));
        let excerpt = Span::new(lines.span(first).start, lines.span(last).end);
        (excerpt.text(text), excerpt.start, first + 1)
    }

    fn place(&self, cell: Option<u32>, offset: u32) -> Place {
        let Some((text, lines)) = self.pieces.get(&cell) else { return Place { row: 1, column: 1 } };
        let row = lines.line(offset);
        let before = Span::new(lines.span(row).start, offset).text(text);
        Place { row: row + 1, column: before.chars().count() + 1 }
    }
}

/// A document's name, with the cell for a notebook: cells are counted from 1 here, as editors show them.
pub fn name_with_cell(filename: &str, cell: Option<u32>) -> String {
    match cell {
        Some(cell) => format!("{filename}:cell {}", cell + 1),
        None => filename.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_scalar_values_and_rows_count_inside_the_cell() {
        let source = Source::cells([(2, "a = 1"), (4, "x = '😀e\u{301}'\r\ny = 2")]);
        let places = Places::new(&source);
        let text = source.piece_text(Some(4)).unwrap_or("");
        let at = |needle: &str| u32::try_from(text.find(needle).unwrap_or(99)).unwrap_or(99);
        let location = Location { cell: Some(4), span: Span::new(at("\r") - 1, at("2")) };
        assert_eq!(places.start(location), Place { row: 1, column: 9 });
        assert_eq!(places.end(location), Place { row: 2, column: 5 });
        assert_eq!(places.excerpt(Some(4), &[Span::at(at("2"))]), ("y = 2", at("y"), 2));
    }
}
