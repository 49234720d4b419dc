//! `setup.cfg`: the requirements under `[options]`.

use crate::versions::{Requirement, Versions};

/// Reads the text of a `setup.cfg`.
pub fn read(text: &str, source: &str) -> Versions {
    let mut versions = Versions::default();
    let mut is_options = false;
    let mut is_list = false;
    for line in text.lines() {
        let is_continued = line.starts_with([' ', '\t']);
        if line.starts_with('[') {
            is_options = line.trim() == "[options]";
        } else if !is_continued && !line.trim().is_empty() {
            is_list =
                is_options && line.split('=').next().is_some_and(|key| key.trim() == "install_requires");
        }
        let requirement = match (is_list, is_continued) {
            (true, true) => Requirement::parse(line.trim()),
            (true, false) => line.split_once('=').and_then(|(_, first)| Requirement::parse(first.trim())),
            _ => None,
        };
        if let Some(requirement) = requirement {
            versions.required(&requirement, source);
        }
    }
    versions
}
