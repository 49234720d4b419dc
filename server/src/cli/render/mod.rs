//! What was found, as text or data.

mod estimate_json;
mod estimates;
mod full;
mod json;
mod list;
mod summary;

pub use estimate_json::{Subject, json as estimates_json};
pub use estimates::{lines as estimate_lines, reports};
pub use full::full;
pub use json::json;
pub use list::{list, list_json};
pub use summary::Counts;

use crate::cli::examine::Examined;
use crate::cli::place::{Places, name_with_cell};
use crate::finding::Severity;
use crate::texts::harmless;

/// One line for each finding: `path:row:column: CODE [severity] message`.
pub fn concise<'a>(examined: impl IntoIterator<Item = &'a Examined>) -> String {
    let mut lines = String::new();
    for file in examined {
        let places = Places::new(&file.source);
        for finding in &file.findings {
            let name = harmless(&name_with_cell(&file.filename, finding.location.cell));
            let place = places.start(finding.location);
            let severity = severity(finding.severity);
            let message = harmless(&finding.message);
            let line =
                format!("{name}:{}:{}: {} [{severity}] {message}\n", place.row, place.column, finding.code);
            lines.push_str(&line);
        }
    }
    lines
}

/// A severity as it is written in every format.
fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    }
}
