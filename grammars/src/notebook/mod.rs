//! Jupyter notebooks: the code of their cells, read without their outputs.

mod magics;
mod read;
mod rewrite;

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::source::Source;

/// A notebook's cells. Outputs and attachments are skipped while reading and never held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notebook {
    /// All cells in order, whatever they hold.
    pub cells: Vec<Cell>,
    /// Whether its code is Python. A notebook that does not say is taken for Python.
    pub is_python: bool,
}

/// A cell of a notebook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Whether it holds code.
    pub is_code: bool,
    /// Its text as written.
    pub text: String,
    /// The number of its last run, if that is stored.
    pub run: Option<u32>,
    /// Where the text stands in the notebook's JSON, brackets or quotes included.
    json: Range<usize>,
}

/// Why a text cannot be read as a notebook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotebookError {
    /// It is not JSON.
    NotJson {
        /// The line the JSON breaks at, from 1.
        line: usize,
        /// The column in bytes, from 1; 0 at the start of the line after the last.
        column: usize,
    },
    /// It is JSON, but not that of a notebook.
    NotNotebook,
    /// It is a notebook in a format that is neither 3 nor 4.
    UnsupportedFormat(u64),
}

impl Notebook {
    /// Reads a notebook in format 3 or 4.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn read(json: &str) -> Result<Self, NotebookError> {
        read::notebook(json)
    }

    /// Its code as one module. `IPython`'s commands are blanked: everything else keeps its offset.
    pub fn source(&self) -> Source {
        let code = (0..).zip(&self.cells).filter(|(_, cell)| self.is_python && cell.is_code);
        let runs = (0..).zip(&self.cells).filter_map(|(index, cell)| Some((index, cell.run?)));
        source_of(code.map(|(index, cell)| (index, cell.text.as_str()))).with_runs(runs)
    }

    /// The text of the cell at `index` as written.
    pub fn cell_text(&self, index: u32) -> Option<&str> {
        let cell = self.cells.get(usize::try_from(index).ok()?)?;
        Some(&cell.text)
    }

    /// The notebook's JSON with the text of some cells replaced, and not a byte changed elsewhere.
    /// `json` is what the notebook was read from.
    pub fn with_cells_replaced(&self, json: &str, replacements: &[(u32, String)]) -> String {
        rewrite::with_cells_replaced(self, json, replacements)
    }
}

/// The code of cells as one module, by each cell's index and its text as written: commands are blank, and kept aside.
pub fn source_of<'a>(cells: impl IntoIterator<Item = (u32, &'a str)>) -> Source {
    let mut blanked = Vec::new();
    let mut commands = Vec::new();
    for (cell, written) in cells {
        let code = magics::blanked(written);
        let found = magics::commands(written, &code).into_iter();
        commands.extend(found.map(|(start, text)| (cell, start, text)));
        blanked.push((cell, code));
    }
    Source::cells(blanked.iter().map(|(cell, code)| (*cell, code.as_str()))).with_commands(commands)
}
