//! The environment variables that say where things are.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The variables that are looked at.
const NAMES: &[&str] = &[
    "CONDA_PREFIX",
    "HF_HOME",
    "HF_HUB_CACHE",
    "HOME",
    "HUGGINGFACE_HUB_CACHE",
    "TRANSFORMERS_CACHE",
    "USERPROFILE",
    "VIRTUAL_ENV",
    "XDG_CACHE_HOME",
];

/// The variables of a process, as they were when it started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables(BTreeMap<String, String>);

impl Variables {
    /// Those of this process.
    pub fn of_process() -> Self {
        let read = |name: &&str| Some(((*name).to_owned(), std::env::var(name).ok()?));
        Self(NAMES.iter().filter_map(read).collect())
    }

    /// The folder that a variable names; one that is set to nothing counts as not set.
    pub fn folder(&self, name: &str) -> Option<PathBuf> {
        self.0.get(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    /// The user's own folder.
    pub fn home(&self) -> Option<PathBuf> {
        self.folder("HOME").or_else(|| self.folder("USERPROFILE"))
    }
}

impl<const N: usize> From<[(&str, String); N]> for Variables {
    fn from(variables: [(&str, String); N]) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }
}
