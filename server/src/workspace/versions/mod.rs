//! The versions of the libraries that a document would run with, from what lies around it.
//!
//! Of each source the nearest place wins, walking up from the document. Among the sources, what is installed is trusted
//! most and what is merely asked for least; each library is taken from the most trusted source that knows it. A file
//! that cannot be read counts as absent: it belongs to another tool.

mod conda;
mod docker;
mod environment;
mod folder;
mod locks;
mod project;
mod requirements;
mod setup;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::versions::Versions;
use crate::workspace::variables::Variables;
use folder::{Facts, SOURCES};

/// Names of files that say something of versions, as patterns; a `pyproject.toml` is one of the settings files. A package
/// is installed when its `RECORD` is there.
pub const FILE_NAMES: &[&str] = &[
    "{uv,poetry,pdm,Pipfile}.lock",
    "pylock.toml",
    "conda-lock.yml",
    "requirements*.txt",
    "requirements/*.txt",
    "environment.{yml,yaml}",
    "setup.cfg",
    "{Dockerfile,Containerfile}",
    "*.dist-info/RECORD",
];

/// Folders further up than this are not looked at.
const MAX_FOLDERS: usize = 32;

/// Reads versions, each folder once.
#[derive(Debug, Default)]
pub struct Reader {
    variables: Variables,
    folders: Mutex<HashMap<PathBuf, Arc<Facts>>>,
}

impl Reader {
    /// A reader for a process with these variables.
    pub fn new(variables: Variables) -> Self {
        Self { variables, folders: Mutex::default() }
    }

    /// What is known for the documents in a folder.
    pub fn around(&self, folder: &Path) -> Versions {
        let facts: Vec<Arc<Facts>> =
            folder.ancestors().take(MAX_FOLDERS).map(|folder| self.folder(folder)).collect();
        let nearest = |source: usize| {
            facts.iter().filter_map(|facts| facts.get(source)).find(|versions| !versions.is_empty())
        };
        let mut versions = Versions::default();
        for source in 0..SOURCES {
            if let Some(known) = nearest(source) {
                versions.complete(known);
            }
            // An environment that is switched on counts where the project has none of its own.
            if source == folder::ENVIRONMENT && versions.is_empty() {
                versions = environment::active(&self.variables);
            }
        }
        versions
    }

    /// Forgets what was read, so that it is read again.
    pub fn forget(&self) {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn folder(&self, folder: &Path) -> Arc<Facts> {
        let folders = || self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(facts) = folders().get(folder) {
            return Arc::clone(facts);
        }
        let facts = Arc::new(folder::read(folder));
        folders().insert(folder.to_owned(), Arc::clone(&facts));
        facts
    }
}

#[cfg(test)]
mod tests;
