//! Libraries whose versions matter, under every name that packagers give them, and the images that hold them.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::table::{Row, rows};

static NAMES: LazyLock<FxHashMap<&str, &str>> =
    LazyLock::new(|| rows(include_str!("libraries.tsv")).flat_map(|row| names(&row)).collect());

/// The name under which a library's version is kept, from a normalized name of its package; `None` for one whose
/// version does not matter.
pub fn library(package: &str) -> Option<&'static str> {
    NAMES.get(package).copied()
}

/// The library that a container image is made for, from the image's name without its host.
pub fn library_of_image(image: &str) -> Option<&'static str> {
    rows(include_str!("libraries.tsv")).find_map(|row| {
        let mut images = row.get(2)?.split(';');
        images.any(|known| !known.is_empty() && known == image).then(|| row.first())?
    })
}

fn names(row: &Row) -> Vec<(&'static str, &'static str)> {
    let (Some(library), Some(others)) = (row.first(), row.get(1)) else { return Vec::new() };
    let others = others.split(';').filter(|name| !name.is_empty());
    others.chain([library]).map(|name| (name, library)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_loads_with_a_source_and_names_of_its_own() {
        let mut seen = std::collections::BTreeSet::new();
        for row in rows(include_str!("libraries.tsv")) {
            assert_eq!(row.len(), 4, "{row:?}");
            assert!(row.get(3).is_some_and(|source| !source.trim().is_empty()), "{row:?}");
            for (name, _) in names(&row) {
                assert_eq!(name, crate::versions::normalized(name), "{row:?}");
                assert!(seen.insert(name), "{row:?}");
            }
        }
        assert_eq!(library("pytorch"), Some("torch"));
        assert_eq!(library("requests"), None);
        assert_eq!(library_of_image("pytorch/pytorch"), Some("torch"));
        assert_eq!(library_of_image(""), None);
    }
}
