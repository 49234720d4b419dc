//! The JSON of a notebook.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::{Cell, Notebook, NotebookError};

/// What is read of a notebook: the fields not named here are skipped.
#[derive(Deserialize)]
struct NotebookJson<'a> {
    nbformat: u64,
    #[serde(default)]
    metadata: Option<Metadata<'a>>,
    #[serde(borrow, default)]
    cells: Vec<CellJson<'a>>,
    #[serde(borrow, default)]
    worksheets: Vec<Worksheet<'a>>,
}

/// Format 3 keeps its cells here.
#[derive(Deserialize)]
struct Worksheet<'a> {
    #[serde(borrow, default)]
    cells: Vec<CellJson<'a>>,
}

#[derive(Deserialize)]
struct CellJson<'a> {
    #[serde(borrow)]
    cell_type: Cow<'a, str>,
    #[serde(borrow, default)]
    source: Option<&'a RawValue>,
    /// The code of a code cell in format 3.
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    /// The number of the last run of a code cell.
    #[serde(borrow, default)]
    execution_count: Option<&'a RawValue>,
    /// The same in format 3.
    #[serde(borrow, default)]
    prompt_number: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Metadata<'a> {
    #[serde(borrow, default)]
    kernelspec: Option<Kernel<'a>>,
    #[serde(borrow, default)]
    language_info: Option<Language<'a>>,
}

#[derive(Deserialize)]
struct Kernel<'a> {
    #[serde(borrow, default)]
    language: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Language<'a> {
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
}

/// A cell's text: one string, or a list of lines.
#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    Whole(String),
    Lines(Vec<String>),
}

/// Reads a notebook.
pub(super) fn notebook(json: &str) -> Result<Notebook, NotebookError> {
    let content = json.strip_prefix('\u{feff}').unwrap_or(json);
    let read: NotebookJson<'_> = serde_json::from_str(content).map_err(|error| why(&error))?;
    if !matches!(read.nbformat, 3 | 4) {
        return Err(NotebookError::UnsupportedFormat(read.nbformat));
    }
    let is_python = read.metadata.as_ref().is_none_or(Metadata::is_python);
    let cells = read.cells.iter().chain(read.worksheets.iter().flat_map(|sheet| &sheet.cells));
    let cells = cells.map(|cell| cell.read(json)).collect::<Result<_, _>>()?;
    Ok(Notebook { cells, is_python })
}

fn why(error: &serde_json::Error) -> NotebookError {
    match error.classify() {
        Category::Syntax | Category::Eof | Category::Io => {
            NotebookError::NotJson { line: error.line(), column: error.column() }
        }
        Category::Data => NotebookError::NotNotebook,
    }
}

impl CellJson<'_> {
    fn read(&self, json: &str) -> Result<Cell, NotebookError> {
        let is_code = self.cell_type == "code";
        let run = self.execution_count.or(self.prompt_number);
        let run = run.and_then(|run| serde_json::from_str(run.get()).ok());
        let Some(raw) = self.source.or(self.input) else {
            return Ok(Cell { is_code, text: String::new(), run, json: 0..0 });
        };
        let text = match serde_json::from_str(raw.get()) {
            Ok(Some(Text::Whole(text))) => text,
            Ok(Some(Text::Lines(lines))) => lines.concat(),
            Ok(None) => String::new(),
            Err(_) => return Err(NotebookError::NotNotebook),
        };
        Ok(Cell { is_code, text, run, json: range_in(json, raw) })
    }
}

/// Where a value borrowed from `json` stands in it.
pub(super) fn range_in(json: &str, value: &RawValue) -> Range<usize> {
    let start = value.get().as_ptr().addr().saturating_sub(json.as_ptr().addr());
    start..start + value.get().len()
}

impl Metadata<'_> {
    fn is_python(&self) -> bool {
        let kernel = self.kernelspec.as_ref();
        let language = kernel
            .and_then(|kernel| kernel.language.as_deref())
            .or_else(|| self.language_info.as_ref().and_then(|language| language.name.as_deref()))
            .or_else(|| kernel.and_then(|kernel| kernel.name.as_deref()));
        language.is_none_or(|language| language.to_ascii_lowercase().contains("python"))
    }
}
