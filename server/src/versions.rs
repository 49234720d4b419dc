//! Versions of libraries: what is known of them, and from where.

mod known;
mod requirement;
mod script_header;

use std::collections::BTreeMap;
use std::str::FromStr;

use pep440_rs::Version;

pub use known::Known;
pub use requirement::{Requirement, normalized};
pub use script_header::of_script;

use crate::knowledge;

/// The versions of the libraries that a document would run with. Only libraries that the tables speak of are kept.
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

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Whether a library is at or above a version: certainly, certainly not, or not known.
    pub fn at_least(&self, library: &str, version: &[u32]) -> Option<bool> {
        self.get(library)?.at_least(version)
    }

    /// Notes that one distribution is there in one version, by the name its packager gave it.
    pub fn found(&mut self, name: &str, version: &str, source: &str) {
        if let Some(library) = knowledge::library(&normalized(name))
            && let Ok(version) = Version::from_str(version)
        {
            self.also(library, Known::exactly(&version, source));
        }
    }

    /// Notes what a requirement asks for.
    pub fn required(&mut self, requirement: &Requirement, source: &str) {
        if let Some(library) = knowledge::library(&requirement.name)
            && let Some(known) = Known::within(&requirement.versions, source)
        {
            self.also(library, known);
        }
    }

    /// Two statements of one file hold in different cases (a Python version, a system): either may be true.
    fn also(&mut self, library: &str, known: Known) {
        let known = match self.known.remove(library) {
            Some(other) => other.or(known),
            None => known,
        };
        self.insert(library, known);
    }

    /// Takes over what only `other`, which is trusted less, knows.
    pub fn complete(&mut self, other: &Self) {
        for (library, known) in &other.known {
            self.known.entry(library.clone()).or_insert_with(|| known.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(requirements: &[&str]) -> Versions {
        let mut versions = Versions::default();
        for requirement in requirements {
            if let Some(requirement) = Requirement::parse(requirement) {
                versions.required(&requirement, "requirements.txt");
            }
        }
        versions
    }

    #[test]
    fn only_libraries_of_the_tables_are_kept_under_their_own_names() {
        let mut versions = versions(&["requests==2.0", "Sentence_Transformers==3.3.1"]);
        assert!(versions.get("requests").is_none());
        assert_eq!(versions.at_least("sentence-transformers", &[3]), Some(true));
        versions.found("pytorch", "2.3.0", "environment.yml");
        assert_eq!(versions.at_least("torch", &[2, 3]), Some(true));
    }

    #[test]
    fn a_library_asked_for_twice_may_be_either() {
        let versions = versions(&["torch==2.1.0; sys_platform == 'darwin'", "torch==2.4.1"]);
        assert_eq!(versions.at_least("torch", &[2, 1]), Some(true));
        assert_eq!(versions.at_least("torch", &[2, 2]), None);
        assert_eq!(versions.at_least("torch", &[2, 5]), Some(false));
        assert_eq!(versions.get("torch").and_then(|known| known.exact.as_deref()), None);
    }

    #[test]
    fn what_is_trusted_less_only_fills_gaps() {
        let mut first = versions(&["torch==2.1"]);
        first.complete(&versions(&["torch==2.9", "transformers==4.46.3"]));
        assert_eq!(first.at_least("torch", &[2, 2]), Some(false));
        assert_eq!(first.at_least("transformers", &[4, 46, 3]), Some(true));
    }
}
