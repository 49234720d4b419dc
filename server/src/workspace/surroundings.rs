//! What surrounds documents, read ahead of time and remembered, so that an analysis only looks at memory.

use std::path::{Path, PathBuf};

use vramlens_grammars::Document;

use crate::analysis::{Analysis, analyze};
use crate::python::imports;
use crate::python::units::Units;
use crate::settings::Settings;
use crate::surroundings::{Surroundings, is_configuration};
use crate::workspace::configurations;
use crate::workspace::models;
use crate::workspace::units;
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
    root: PathBuf,
    units: units::Reader,
}

impl Reader {
    /// A reader for a process with these variables, whose relative names count from `root` after the document's folder.
    pub fn new(variables: &Variables, root: PathBuf) -> Self {
        let versions = versions::Reader::new(variables.clone());
        let units = units::Reader::new(&root);
        Self { versions, models: models::Reader::new(variables, root.clone()), root, units }
    }

    /// A reader for this process, in its current folder.
    pub fn of_process() -> Self {
        Self::new(&Variables::of_process(), std::env::current_dir().unwrap_or_default())
    }

    /// What surrounds the documents in a folder, before any model was asked for.
    pub fn around(&self, folder: &Path) -> Surroundings {
        Surroundings { versions: self.versions.around(folder), ..Surroundings::default() }
    }

    /// What surrounds a document with this text, as far as that can be told before it was analysed.
    pub fn at_first(&self, text: &str, path: &Path) -> Surroundings {
        let units = self.units.around(path, &imports::scan(text));
        Surroundings { units, ..self.around(folder_of(path)) }
    }

    /// Adds what this machine knows of models, and what files of settings say. Past a limit, what was asked for longest ago goes.
    pub fn add_models(&self, surroundings: &mut Surroundings, names: &[String], folder: &Path) {
        let known = surroundings.models.len() + surroundings.configurations.len();
        if known + names.len() > MAX_NAMES {
            surroundings.models.clear();
            surroundings.configurations.clear();
        }
        for name in names.iter().take(MAX_NAMES) {
            if is_configuration(name) {
                let read = configurations::read(name, folder, &self.root);
                surroundings.configurations.insert(name.clone(), read);
                continue;
            }
            surroundings.models.insert(name.clone(), self.models.look_up(name, folder));
        }
    }

    /// What surrounds a document as it is on the disk now, with all that was asked for before.
    pub fn read_again(&self, old: &Surroundings, path: &Path) -> Surroundings {
        let folder = folder_of(path);
        let mut surroundings = self.around(folder);
        let names: Vec<String> = old.models.keys().chain(old.configurations.keys()).cloned().collect();
        self.add_models(&mut surroundings, &names, folder);
        surroundings.units = self.units_again(&old.units, path);
        surroundings
    }

    /// The files that a document imports as they are now, and its callers if they were looked for before.
    pub fn units_again(&self, old: &Units, path: &Path) -> Units {
        let units = self.units.around(path, &old.asked_for());
        if old.callers_known { self.with_callers(units, path) } else { units }
    }

    /// Adds what an analysis of the document at `path` asked for. Whether that can make a difference to it.
    pub fn add(&self, surroundings: &mut Surroundings, analysis: &Wanted<'_>, path: &Path) -> bool {
        let before = surroundings.clone();
        if !analysis.models.is_empty() {
            self.add_models(surroundings, analysis.models, folder_of(path));
        }
        if !analysis.imports.is_empty() {
            let imports = [before.units.asked_for().as_slice(), analysis.imports].concat();
            let Units { callers, callers_known, .. } = std::mem::take(&mut surroundings.units);
            surroundings.units = Units { callers, callers_known, ..self.units.around(path, &imports) };
        }
        if analysis.callers && !surroundings.units.callers_known {
            surroundings.units = self.with_callers(std::mem::take(&mut surroundings.units), path);
        }
        !surroundings.mean_the_same(&before)
    }

    fn with_callers(&self, units: Units, path: &Path) -> Units {
        Units { callers: self.units.callers(path), callers_known: true, ..units }
    }

    /// The files of the workspace, as they are read.
    pub fn units(&self) -> &units::Reader {
        &self.units
    }

    /// Forgets what can have changed on the disk without a trace in the files' times.
    pub fn forget(&self) {
        self.versions.forget();
        self.units.forget();
    }

    /// Analyses the document at `path`, and again with what the analysis asked for, until it asks for nothing new.
    /// `surroundings` holds afterwards what was read.
    pub fn analyze(
        &self,
        document: &Document,
        surroundings: &mut Surroundings,
        settings: &Settings,
        path: &Path,
    ) -> Analysis {
        let imports = imports::scan(document.source.text());
        surroundings.units = self.units.around(path, &imports);
        let mut analysis = analyze(document, surroundings, settings);
        for _ in 0..MAX_ROUNDS {
            if !self.add(surroundings, &Wanted::by(&analysis), path) {
                break;
            }
            analysis = analyze(document, surroundings, settings);
        }
        analysis
    }
}

/// What an analysis asked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The names of models.
    pub models: &'a [String],
    /// The imports, as they are spelled.
    pub imports: &'a [String],
    /// Whether callers in other files matter.
    pub callers: bool,
}

impl<'a> Wanted<'a> {
    /// What `analysis` asked for.
    pub fn by(analysis: &'a Analysis) -> Self {
        Self { models: &analysis.unread, imports: &analysis.unread_imports, callers: analysis.callers_matter }
    }

    /// Whether there is nothing to read.
    pub fn is_nothing(&self) -> bool {
        self.models.is_empty() && self.imports.is_empty() && !self.callers
    }
}

/// The folder that a document lies in.
fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}
