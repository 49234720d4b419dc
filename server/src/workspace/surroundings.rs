//! What surrounds documents, read ahead of time and remembered, so that an analysis only looks at memory.

use std::path::{Path, PathBuf};

use vramlens_grammars::Document;

use crate::analysis::{Analysis, analyze};
use crate::settings::Settings;
use crate::surroundings::Surroundings;
use crate::workspace::models;
use crate::workspace::variables::Variables;
use crate::workspace::versions;

/// How often an analysis may ask for more. One round answers what it asks for; a second, what it could only ask then.
pub const MAX_ROUNDS: usize = 3;

/// How many names of models are kept for one document.
const MAX_NAMES: usize = 256;

/// Reads and remembers.
#[derive(Debug, Default)]
pub struct Reader {
    versions: versions::Reader,
    models: models::Reader,
}

impl Reader {
    /// A reader for a process with these variables, whose relative names count from `root` after the document's folder.
    pub fn new(variables: &Variables, root: PathBuf) -> Self {
        let versions = versions::Reader::new(variables.clone());
        Self { versions, models: models::Reader::new(variables, root) }
    }

    /// A reader for this process, in its current folder.
    pub fn of_process() -> Self {
        Self::new(&Variables::of_process(), std::env::current_dir().unwrap_or_default())
    }

    /// What surrounds the documents in a folder, before any model was asked for.
    pub fn around(&self, folder: &Path) -> Surroundings {
        Surroundings { versions: self.versions.around(folder), ..Surroundings::default() }
    }

    /// Adds what this machine knows of models. Past a limit, what was asked for longest ago goes.
    pub fn add_models(&self, surroundings: &mut Surroundings, names: &[String], folder: &Path) {
        if surroundings.models.len() + names.len() > MAX_NAMES {
            surroundings.models.clear();
        }
        for name in names.iter().take(MAX_NAMES) {
            surroundings.models.insert(name.clone(), self.models.look_up(name, folder));
        }
    }

    /// What surrounds the documents in a folder as it is on the disk now, with the models that were asked for before.
    pub fn read_again(&self, old: &Surroundings, folder: &Path) -> Surroundings {
        let mut surroundings = self.around(folder);
        let names: Vec<String> = old.models.keys().cloned().collect();
        self.add_models(&mut surroundings, &names, folder);
        surroundings
    }

    /// Forgets what can have changed on the disk without a trace in the files' times.
    pub fn forget(&self) {
        self.versions.forget();
    }

    /// Analyses a document, and again with what the analysis asked for, until it asks for nothing new. `surroundings`
    /// holds afterwards what was read.
    pub fn analyze(
        &self,
        document: &Document,
        surroundings: &mut Surroundings,
        settings: &Settings,
        folder: &Path,
    ) -> Analysis {
        let mut analysis = analyze(document, surroundings, settings);
        for _ in 0..MAX_ROUNDS {
            if analysis.unread.is_empty() {
                break;
            }
            self.add_models(surroundings, &analysis.unread, folder);
            analysis = analyze(document, surroundings, settings);
        }
        analysis
    }
}
