//! The top-level modules that an import means before any file of the same name in a project.

use rustc_hash::FxHashSet;

use crate::table::rows;

/// Tables whose first column is a path in a library.
const PATHS: &[&str] = &[
    include_str!("calls.tsv"),
    include_str!("frameworks.tsv"),
    include_str!("noted_calls.tsv"),
    include_str!("process_calls.tsv"),
    include_str!("python_modules.tsv"),
    include_str!("torch_importers.tsv"),
];

/// Reads the names from all tables that have some.
pub fn load() -> FxHashSet<&'static str> {
    let paths = PATHS.iter().flat_map(|table| rows(table)).filter_map(|row| row.first());
    paths.filter_map(|path| path.split('.').next()).collect()
}

/// Reads the names of the modules that come with Python.
pub fn of_python() -> FxHashSet<&'static str> {
    rows(include_str!("python_modules.tsv")).filter_map(|row| row.first()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_of_python_has_a_source() {
        assert!(rows(include_str!("python_modules.tsv")).all(|row| row.len() == 2));
    }

    #[test]
    fn names_of_libraries_are_known_and_others_are_not() {
        let known = load();
        assert!(
            ["torch", "transformers", "datasets", "logging", "os"].iter().all(|name| known.contains(name))
        );
        assert!(!["utils", "models", "engine", "meters"].iter().any(|name| known.contains(name)));
    }
}
