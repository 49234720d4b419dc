//! Versions of libraries: what is known of them, and from where.

use std::collections::BTreeMap;

/// What is known of one library's version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The lowest version it can be, as its numbers: 4.46.3 is `[4, 46, 3]`.
    pub lowest: Vec<u32>,
    /// The first version that it cannot be any more; `None` without an upper bound.
    pub below: Option<Vec<u32>>,
    /// The version, if it is exactly one.
    pub exact: Option<String>,
    /// Where that is written, for a person: `uv.lock`, `.venv`.
    pub source: String,
}

/// The versions of the libraries that a document would run with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    known: BTreeMap<String, Known>,
}

impl Versions {
    /// What is known of a library, by its normalized name (`sentence-transformers`).
    pub fn get(&self, library: &str) -> Option<&Known> {
        self.known.get(library)
    }

    /// Notes what is known of a library.
    pub fn insert(&mut self, library: &str, known: Known) {
        self.known.insert(library.to_owned(), known);
    }

    /// Whether a library is at or above a version: certainly, certainly not, or not known.
    pub fn at_least(&self, library: &str, version: &[u32]) -> Option<bool> {
        let known = self.get(library)?;
        if known.lowest.as_slice() >= version {
            return Some(true);
        }
        let below = known.below.as_deref()?;
        (below <= version).then_some(false)
    }
}
