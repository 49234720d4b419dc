//! Lists of what is known, as text or data.

use serde::Serialize;

/// Lines as text; a heading without anything below it is nothing.
pub fn list(lines: &[String]) -> String {
    if lines.len() < 2 {
        return String::new();
    }
    lines.join("\n") + "\n"
}

/// An array of objects.
pub fn list_json(items: &[impl Serialize]) -> String {
    // Texts and numbers always have a JSON form.
    serde_json::to_string_pretty(items).unwrap_or_else(|_| "[]".to_owned()) + "\n"
}
