//! From a file's bytes to a document, or to what a person must know when that cannot be.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use vramlens_grammars::notebook::{Notebook, NotebookError};
use vramlens_grammars::{Document, Source};

use crate::lines::LineStarts;
use crate::texts::text;
use crate::workspace::files::Kind;

/// Files over this many bytes are not read: a notebook may carry outputs, but not without bound.
const MAX_FILE_BYTES: u64 = 256 * 1024 * 1024;

/// The mark that some editors put before UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A file as it was read, with what is needed to write it back unchanged around an edit.
#[derive(Clone, Debug)]
pub struct FileText {
    /// What the analysis takes.
    pub document: Document,
    /// The code as it is written, piece by piece: a notebook's commands, which the document does not
    /// hold, stand in it at the same places.
    pub written: Source,
    /// The notebook and the JSON it was read from.
    notebook: Option<(Notebook, String)>,
    /// Whether the text began with a byte order mark; the document does not hold it.
    has_byte_order_mark: bool,
}

/// Why a file could not be taken in, in a sentence that names the place and the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Line and byte of that line, from 1, where the trouble starts.
    pub place: Option<(usize, usize)>,
    /// The sentence.
    pub message: String,
}

/// Reads a file from disk.
///
/// # Errors
/// It is not there, may not be read, is too large, or its content is not what its name says.
pub fn file(path: &Path, kind: Kind) -> Result<FileText, ReadError> {
    let bytes = File::open(path).and_then(limited).map_err(|error| ReadError::io(&error))?;
    content(bytes, kind)
}

/// Reads a document from standard input, or another stream.
///
/// # Errors
/// The stream fails, is too long, or its content is not what its kind says.
pub fn stream(input: impl Read, kind: Kind) -> Result<FileText, ReadError> {
    content(limited(input).map_err(|error| ReadError::io(&error))?, kind)
}

fn limited(input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn content(bytes: Vec<u8>, kind: Kind) -> Result<FileText, ReadError> {
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let mebibytes = (MAX_FILE_BYTES / (1024 * 1024)).to_string();
        return Err(ReadError::whole(text("read-too-large", &[("mebibytes", &mebibytes)])));
    }
    let content = String::from_utf8(bytes).map_err(|error| ReadError::not_utf8(&error))?;
    let (content, has_byte_order_mark) = match content.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => (rest.to_owned(), true),
        None => (content, false),
    };
    match kind {
        Kind::Python => Ok(script(content, has_byte_order_mark)),
        Kind::Notebook => notebook(content, has_byte_order_mark),
    }
}

fn script(content: String, has_byte_order_mark: bool) -> FileText {
    let written = Source::file(content);
    let document = Document::python(written.clone());
    FileText { document, written, notebook: None, has_byte_order_mark }
}

fn notebook(json: String, has_byte_order_mark: bool) -> Result<FileText, ReadError> {
    let notebook = Notebook::read(&json).map_err(|error| ReadError::not_a_notebook(&error))?;
    let document = Document::python(notebook.source());
    let cells = document.source.pieces().iter().filter_map(|piece| piece.cell);
    let written = Source::cells(cells.map(|cell| (cell, notebook.cell_text(cell).unwrap_or(""))));
    Ok(FileText { document, written, notebook: Some((notebook, json)), has_byte_order_mark })
}

impl FileText {
    /// The content of the file when `written` stands in it instead.
    pub fn with_written(&self, written: &Source) -> String {
        let mark = if self.has_byte_order_mark { BYTE_ORDER_MARK } else { "" };
        let Some((notebook, json)) = &self.notebook else { return format!("{mark}{}", written.text()) };
        let cells = written.pieces().iter().filter_map(|piece| {
            let code = piece.span.text(written.text());
            Some((piece.cell?, code.to_owned()))
        });
        format!("{mark}{}", notebook.with_cells_replaced(json, &cells.collect::<Vec<_>>()))
    }
}

impl ReadError {
    fn whole(message: String) -> Self {
        Self { place: None, message }
    }

    fn io(error: &io::Error) -> Self {
        Self::whole(match error.kind() {
            io::ErrorKind::NotFound => text("read-not-found", &[]),
            io::ErrorKind::PermissionDenied => text("read-not-permitted", &[]),
            _ => text("read-failed", &[("why", &error.to_string())]),
        })
    }

    fn not_a_notebook(error: &NotebookError) -> Self {
        match error {
            NotebookError::NotJson { line, column } => {
                Self { place: Some((*line, (*column).max(1))), message: text("read-not-json", &[]) }
            }
            NotebookError::NotNotebook => Self::whole(text("read-not-a-notebook", &[])),
            NotebookError::UnsupportedFormat(format) => {
                Self::whole(text("read-notebook-format", &[("format", &format.to_string())]))
            }
        }
    }

    fn not_utf8(error: &std::string::FromUtf8Error) -> Self {
        let bytes = error.as_bytes();
        let valid = error.utf8_error().valid_up_to();
        if bytes.contains(&0) {
            return Self::whole(text("read-binary", &[]));
        }
        let before = String::from_utf8_lossy(bytes.get(..valid).unwrap_or_default());
        let lines = LineStarts::new(&before);
        let line = lines.count() - 1;
        let column = before.len() - lines.span(line).start as usize;
        let byte = bytes.get(valid).map_or(String::new(), |byte| format!("0x{byte:02X}"));
        Self { place: Some((line + 1, column + 1)), message: text("read-not-utf8", &[("byte", &byte)]) }
    }
}
