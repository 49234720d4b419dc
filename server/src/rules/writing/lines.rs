//! Whole lines of a module, inside the file or the cell that they stand in.

use vramlens_grammars::Span;

use crate::rules::context::Context;

/// What comments start with that head a file, a cell or a form, and belong to no statement.
const SECTION_MARKS: [&str; 6] = ["#!", "# %%", "#%%", "# @", "#@", "# In["];

/// The lines around a place. They never reach into another cell.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    text: &'a str,
    piece: Span,
}

impl<'a> Lines<'a> {
    /// The lines of the file or cell that an offset lies in.
    pub fn around(context: &Context<'a>, offset: u32) -> Self {
        let pieces = context.source.pieces();
        let after = pieces.partition_point(|piece| piece.span.start <= offset);
        let piece = after.checked_sub(1).and_then(|index| pieces.get(index));
        let text = context.script.text;
        Self { text, piece: piece.map_or(Span::at(0), |piece| piece.span) }
    }

    /// The file or cell.
    pub fn piece(&self) -> Span {
        self.piece
    }

    /// Where the line of an offset starts.
    pub fn start(&self, offset: u32) -> u32 {
        let before = Span::new(self.piece.start, offset).text(self.text);
        self.piece.start + before.rfind('\n').map_or(0, |index| length(index + 1))
    }

    /// Where the line of an offset ends, before its line break.
    pub fn end(&self, offset: u32) -> u32 {
        let after = Span::new(offset, self.piece.end).text(self.text);
        offset + length(after.find(['\n', '\r']).unwrap_or(after.len()))
    }

    /// Where the line behind the one of an offset starts, or the end of the file or cell.
    pub fn next(&self, offset: u32) -> u32 {
        let after = Span::new(offset, self.piece.end).text(self.text);
        offset + length(after.find('\n').map_or(after.len(), |index| index + 1))
    }

    /// The line above the one that starts at an offset, from its start to the start of the next.
    pub fn above(&self, start: u32) -> Option<Span> {
        let last = start.checked_sub(1).filter(|last| *last >= self.piece.start)?;
        Some(Span::new(self.start(last), start))
    }

    /// What stands before an offset on its line.
    pub fn before(&self, offset: u32) -> &'a str {
        Span::new(self.start(offset), offset).text(self.text)
    }

    /// What stands from an offset on to the end of its line.
    pub fn rest(&self, offset: u32) -> &'a str {
        Span::new(offset, self.end(offset)).text(self.text)
    }

    /// Where the comment lines right above a line begin, at its own indentation. Lines that set a section of the file
    /// apart belong to no statement.
    pub fn comments_above(&self, start: u32) -> u32 {
        let indent = indentation(self.rest(start));
        let mut first = start;
        while let Some(line) = self.above(first) {
            let words = line.text(self.text);
            let marker = SECTION_MARKS.iter().any(|mark| words.trim_start().starts_with(mark));
            if marker || !words.trim_start().starts_with('#') || indentation(words) != indent {
                break;
            }
            first = line.start;
        }
        first
    }

    /// Whole lines with the blank lines that must go with them, so that what stood apart still does and no more than
    /// before.
    pub fn without_gap(&self, lines: Span) -> Span {
        let (above, below) = (self.blank_above(lines.start), self.blank_below(lines.end));
        if lines.end == self.piece.end {
            let opened = above.start > self.piece.start && !lines.text(self.text).ends_with('\n');
            let start = if opened { self.end(above.start - 1) } else { above.start };
            return Span::new(start, lines.end);
        }
        if lines.start == self.piece.start {
            return Span::new(lines.start, below.end);
        }
        let count =
            above.text(self.text).matches('\n').count().min(below.text(self.text).matches('\n').count());
        let end = (0..count).fold(lines.end, |end, _| self.next(end));
        Span::new(lines.start, end)
    }

    fn blank_above(&self, start: u32) -> Span {
        let mut first = start;
        while let Some(line) = self.above(first).filter(|line| line.text(self.text).trim().is_empty()) {
            first = line.start;
        }
        Span::new(first, start)
    }

    fn blank_below(&self, end: u32) -> Span {
        let mut last = end;
        while last < self.piece.end && self.rest(last).trim().is_empty() {
            last = self.next(last);
        }
        Span::new(end, last)
    }
}

/// The white space that a line starts with.
pub fn indentation(line: &str) -> &str {
    line.get(..line.len() - line.trim_start_matches([' ', '\t']).len()).unwrap_or_default()
}

fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
