//! The settings of a document: what the editor sets, over the nearest settings file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tower_lsp::lsp_types::Url;

use crate::settings::{PartialSettings, Settings, SettingsProblem};
use crate::texts::text;
use crate::workspace::settings::{Excluded, SettingsFile, nearest};

/// What the editor sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    root: PathBuf,
    initial: PartialSettings,
    current: PartialSettings,
}

/// What is set for one document.
#[derive(Clone, Debug)]
pub struct DocumentSettings {
    /// The settings of its analysis.
    pub analysis: Settings,
    /// Whether it is to be left alone.
    pub excluded: bool,
    /// Whether sizes are shown beside the code.
    pub inlay_hints: bool,
}

impl Default for DocumentSettings {
    fn default() -> Self {
        Self { analysis: Settings::default(), excluded: false, inlay_hints: true }
    }
}

/// A document's settings and what has to be said about where they were written.
pub struct Resolved {
    /// The settings.
    pub settings: Arc<DocumentSettings>,
    /// Sentences for the user.
    pub problems: Vec<String>,
}

impl From<Arc<DocumentSettings>> for Resolved {
    fn from(settings: Arc<DocumentSettings>) -> Self {
        Self { settings, problems: Vec::new() }
    }
}

impl Configuration {
    /// The settings sent with `initialize`. Globs are relative to `root`.
    pub fn initial(root: &Path, options: &Value) -> (Self, Vec<String>) {
        let (initial, problems) = PartialSettings::from_json(options, root);
        let current = PartialSettings::default();
        (Self { root: root.to_owned(), initial, current }, in_editor(&problems))
    }

    /// Takes the settings the client has now, over those it started with.
    pub fn update(&mut self, section: &Value) -> Vec<String> {
        let (current, problems) = PartialSettings::from_json(section, &self.root);
        self.current = current;
        in_editor(&problems)
    }

    /// The settings of one document. Reads the disk.
    pub fn resolve(&self, uri: &Url) -> Resolved {
        let path = uri.to_file_path().ok();
        let file = path.as_deref().and_then(|path| nearest(path.parent()?));
        let problems = file.as_ref().map(in_file).unwrap_or_default();
        let lower = file.map(|file| file.settings).unwrap_or_default();
        let merged = self.current.clone().over(self.initial.clone()).over(lower);
        let excluded = merged.exclude.as_ref().map(Excluded::new);
        let excluded = excluded.zip(path).is_some_and(|(globs, path)| globs.excludes(&path, false));
        let inlay_hints = merged.inlay_hints.unwrap_or(true);
        let settings = DocumentSettings { analysis: merged.finish(), excluded, inlay_hints };
        Resolved { settings: Arc::new(settings), problems }
    }
}

fn in_editor(problems: &[SettingsProblem]) -> Vec<String> {
    let problems = problems.iter();
    problems.map(|problem| text("lsp-settings-in-editor", &[("problem", &problem.message)])).collect()
}

fn in_file(file: &SettingsFile) -> Vec<String> {
    let place = |problem: &SettingsProblem| {
        let before = problem.span.and_then(|span| file.text.get(..span.start as usize));
        let line = before.map(|before| before.matches('\n').count() + 1);
        let path = file.path.display();
        line.map_or_else(|| path.to_string(), |line| format!("{path}:{line}"))
    };
    let problems = file.problems.iter();
    problems
        .map(|problem| {
            text("lsp-settings-in-file", &[("place", &place(problem)), ("problem", &problem.message)])
        })
        .collect()
}
