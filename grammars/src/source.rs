//! A program text as the analysis reads it: one module, made of one or more pieces of a document.
//!
//! A script is one piece. A notebook is all its code cells, in order, as one module; each cell is a
//! piece, and what was found in the module is mapped back to the cell it stands in.

use crate::span::Span;

/// A place in a document: a byte range inside one piece of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// Index in the notebook's list of cells, from 0; `None` outside notebooks.
    pub cell: Option<u32>,
    /// Bytes inside the cell's source, or inside the file.
    pub span: Span,
}

/// A stretch of the module that came from one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Index in the notebook's list of cells, from 0; `None` outside notebooks.
    pub cell: Option<u32>,
    /// Where the piece stands in the module.
    pub span: Span,
    /// The number that the notebook's kernel gave the last run of the cell, if that is stored. It counts the runs of all
    /// cells since the kernel was started.
    pub run: Option<u32>,
}

/// A command of `IPython`'s or of a shell in a notebook. The module's text is blank there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Where it stands in the module.
    pub span: Span,
    /// The command as written, from its `%` or `!` to the end of its line; of a cell in another language, all of it.
    pub text: String,
}

/// One module's text with the map back to where its pieces came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    text: String,
    pieces: Vec<Piece>,
    commands: Vec<Command>,
}

impl Source {
    /// A module that is one file.
    pub fn file(text: String) -> Self {
        let span = Span::new(0, offset(text.len()));
        Self { text, pieces: vec![Piece { cell: None, span, run: None }], commands: Vec::new() }
    }

    /// A module made of notebook cells: each cell's index in the list of cells and its code.
    ///
    /// Cells are joined by a line feed. The code of a cell keeps its length, so an offset inside a
    /// piece is an offset inside the cell.
    pub fn cells<'a>(cells: impl IntoIterator<Item = (u32, &'a str)>) -> Self {
        let mut text = String::new();
        let mut pieces = Vec::new();
        for (cell, code) in cells {
            let start = offset(text.len());
            text.push_str(code);
            pieces.push(Piece { cell: Some(cell), span: Span::new(start, offset(text.len())), run: None });
            text.push('\n');
        }
        Self { text, pieces, commands: Vec::new() }
    }

    /// The same module with the commands that stand where its text is blank: for each cell, its index, and where in it
    /// each command starts.
    #[must_use]
    pub(crate) fn with_commands(mut self, commands: Vec<(u32, usize, String)>) -> Self {
        for (cell, start, text) in commands {
            let piece = self.pieces.iter().find(|piece| piece.cell == Some(cell));
            let start = piece.map_or(0, |piece| piece.span.start) + offset(start);
            self.commands.push(Command { span: Span::new(start, start + offset(text.len())), text });
        }
        self
    }

    /// The same module with the number of its last run for each cell that has one.
    #[must_use]
    pub fn with_runs(mut self, runs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        for (cell, run) in runs {
            if let Some(piece) = self.pieces.iter_mut().find(|piece| piece.cell == Some(cell)) {
                piece.run = Some(run);
            }
        }
        self
    }

    /// The cells that have a number of their last run, each with it.
    pub fn runs(&self) -> impl Iterator<Item = (u32, u32)> {
        self.pieces.iter().filter_map(|piece| Some((piece.cell?, piece.run?)))
    }

    /// The piece that an offset of the module lies in.
    pub fn piece_at(&self, offset: u32) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.span.start <= offset);
        self.pieces.get(after.checked_sub(1)?)
    }

    /// The commands of a notebook, in order.
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// The whole module.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The module with its commands in it, as a notebook's cells have them.
    #[must_use]
    pub fn with_commands_written(&self) -> Self {
        let mut text = self.text.clone();
        for command in &self.commands {
            let range = command.span.as_range();
            if text.get(range.clone()).is_some() {
                text.replace_range(range, &command.text);
            }
        }
        Self { text, pieces: self.pieces.clone(), commands: Vec::new() }
    }

    /// The pieces, in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The text of the piece that `cell` names.
    pub fn piece_text(&self, cell: Option<u32>) -> Option<&str> {
        let piece = self.pieces.iter().find(|piece| piece.cell == cell)?;
        Some(piece.span.text(&self.text))
    }

    /// Where a place in the document stands in the module; [`Source::locate`] the other way round.
    pub fn span_of(&self, location: Location) -> Span {
        let piece = self.pieces.iter().find(|piece| piece.cell == location.cell);
        let start = piece.map_or(0, |piece| piece.span.start);
        Span::new(start.saturating_add(location.span.start), start.saturating_add(location.span.end))
    }

    /// Where a range of the module stands in the document. A range is cut at the end of the piece it
    /// starts in.
    pub fn locate(&self, span: Span) -> Location {
        let Some(piece) = self.piece_at(span.start) else {
            return Location { cell: None, span };
        };
        let end = span.end.min(piece.span.end);
        let start = span.start.min(end);
        Location { cell: piece.cell, span: Span::new(start - piece.span.start, end - piece.span.start) }
    }
}

/// Text lengths fit `u32`: larger documents are refused before they get here.
fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
