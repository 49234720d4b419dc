//! Writing cells back into a notebook's JSON.

use serde_json::value::RawValue;

use super::read::range_in;
use super::{Cell, Notebook};

/// The JSON with the text of some cells replaced.
pub(super) fn with_cells_replaced(notebook: &Notebook, json: &str, replacements: &[(u32, String)]) -> String {
    let mut changes: Vec<(&Cell, &str)> = replacements
        .iter()
        .filter_map(|(index, text)| {
            let cell = notebook.cells.get(usize::try_from(*index).ok()?)?;
            (cell.text != *text && !cell.json.is_empty()).then_some((cell, text.as_str()))
        })
        .collect();
    changes.sort_by_key(|(cell, _)| cell.json.start);
    let ascii = json.is_ascii();
    let mut out = String::with_capacity(json.len());
    let mut copied = 0;
    for (cell, text) in changes {
        let (Some(before), Some(old)) = (json.get(copied..cell.json.start), json.get(cell.json.clone()))
        else {
            continue;
        };
        out.push_str(before);
        out.push_str(&value(old, text, ascii));
        copied = cell.json.end;
    }
    out.push_str(json.get(copied..).unwrap_or(""));
    out
}

/// `text` as a JSON value in the form of `old`: a string, or a list laid out the same way.
fn value(old: &str, text: &str, ascii: bool) -> String {
    if !old.starts_with('[') {
        return quoted(text, ascii);
    }
    if text.is_empty() {
        return "[]".to_owned();
    }
    let layout = Layout::of(old);
    let lines: Vec<String> = text.split_inclusive('\n').map(|line| quoted(line, ascii)).collect();
    format!("[{}{}{}]", layout.before, lines.join(&layout.between), layout.after)
}

/// The white space around the items of a list, and what stands between two.
struct Layout {
    before: String,
    between: String,
    after: String,
}

impl Layout {
    fn of(old: &str) -> Self {
        let items: Vec<&RawValue> = serde_json::from_str(old).unwrap_or_default();
        let ranges: Vec<_> = items.iter().map(|item| range_in(old, item)).collect();
        let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else {
            return Self { before: String::new(), between: ", ".to_owned(), after: String::new() };
        };
        let slice = |start: usize, end: usize| old.get(start..end).unwrap_or("").to_owned();
        let before = slice(1, first.start);
        let between = match ranges.get(1) {
            Some(second) => slice(first.end, second.start),
            None if before.is_empty() => ", ".to_owned(),
            None => format!(",{before}"),
        };
        Self { before, between, after: slice(last.end, old.len() - 1) }
    }
}

/// A JSON string; where the notebook has nothing but ASCII, so has it.
fn quoted(text: &str, ascii: bool) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    if !ascii || quoted.is_ascii() {
        return quoted;
    }
    let mut out = String::with_capacity(quoted.len() * 2);
    for c in quoted.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut units = [0; 2];
            out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    out
}
