//! Models on this machine, by the names that scripts load them by.

use std::path::{Path, PathBuf};

use crate::surroundings::LocalModel;
use crate::workspace::variables::Variables;

/// Names of files that say something of models, as patterns.
pub const FILE_NAMES: &[&str] =
    &["{config,model_index,adapter_config}.json", "*.safetensors", "*.safetensors.index.json"];

/// Looks models up, and remembers what it read.
#[derive(Debug, Default)]
pub struct Reader {
    root: PathBuf,
}

impl Reader {
    /// A reader whose relative names count from `root` after the document's folder.
    pub fn new(_variables: &Variables, root: PathBuf) -> Self {
        Self { root }
    }

    /// What this machine knows of a name in a document of `folder`.
    pub fn look_up(&self, name: &str, folder: &Path) -> LocalModel {
        let folders = [folder, &self.root];
        if folders.iter().any(|folder| folder.join(name).is_dir()) {
            return LocalModel::Absent;
        }
        LocalModel::Absent
    }
}
