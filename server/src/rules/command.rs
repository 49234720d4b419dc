//! Commands that a script runs.

use crate::python::library_call::{Known, LibraryCall};

/// The words of the command that a call runs.
pub fn words(call: &LibraryCall) -> Option<Vec<String>> {
    match &call.arguments.positional.first().or_else(|| call.arguments.named("args"))?.value {
        Known::Text(command) => shlex::split(command),
        Known::List(words) => words.iter().map(|word| word.text().map(str::to_owned)).collect(),
        _ => None,
    }
}
