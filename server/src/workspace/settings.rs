//! Settings files: `vramlens.toml`, or the table `[tool.vramlens]` of a `pyproject.toml`.
//!
//! The nearest file wins, walking up from the document. Files are not merged, and a `pyproject.toml`
//! without the table is passed over.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use vramlens_grammars::Span;

use crate::settings::{Entry, Exclude, PartialSettings, SettingsProblem, Value, ValueKind};
use crate::texts::text;

/// The names of settings files; in one folder the first that has settings wins.
pub const FILE_NAMES: [&str; 2] = ["vramlens.toml", "pyproject.toml"];

/// A file with settings, as it was read.
#[derive(Clone, Debug, Default)]
pub struct SettingsFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its text, which the problems' places count in.
    pub text: String,
    /// What it sets.
    pub settings: PartialSettings,
    /// Its `exclude`, ready to be asked.
    pub excluded: Option<Excluded>,
    /// What in it could not be used.
    pub problems: Vec<SettingsProblem>,
    /// Whether the file as a whole could not be read, so that nothing of it counts.
    pub broken: bool,
}

/// The nearest settings file for a document at `path`, or for the documents in the folder `path`.
pub fn nearest(path: &Path) -> Option<SettingsFile> {
    path.ancestors().find_map(in_folder)
}

/// The settings file of one folder.
fn in_folder(folder: &Path) -> Option<SettingsFile> {
    FILE_NAMES.iter().find_map(|name| read(&folder.join(name)))
}

fn read(path: &Path) -> Option<SettingsFile> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if is_absent(&error) => return None,
        Err(error) => return Some(unreadable(path, &error.to_string())),
    };
    match String::from_utf8(bytes) {
        Ok(text) => parse(path, text),
        Err(error) => Some(unreadable(path, &error.utf8_error().to_string())),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory
    )
}

fn unreadable(path: &Path, why: &str) -> SettingsFile {
    let message = text("settings-unreadable", &[("why", why)]);
    let problems = vec![SettingsProblem { message, span: None }];
    SettingsFile { path: path.to_owned(), problems, broken: true, ..SettingsFile::default() }
}

/// Reads the text of the settings file at `path`; `None` when it holds no settings of ours.
pub fn parse(path: &Path, text: String) -> Option<SettingsFile> {
    let is_project = path.file_name().is_some_and(|name| name == "pyproject.toml");
    let table = match DeTable::parse(&text) {
        Ok(table) => table.into_inner(),
        // Another tool's mistake in a shared file is not ours to tell.
        Err(_) if is_project && !text.contains("tool.vramlens") => return None,
        Err(error) => {
            let span = error.span().map(span_of);
            let message = self::text("settings-syntax", &[("why", error.message())]);
            let problems = vec![SettingsProblem { message, span }];
            return Some(SettingsFile {
                path: path.to_owned(),
                text,
                problems,
                broken: true,
                ..Default::default()
            });
        }
    };
    let root = path.parent().unwrap_or(Path::new(""));
    let (settings, problems) =
        if is_project { project_settings(&table, root)? } else { table_settings(&table, root) };
    let excluded = settings.exclude.as_ref().map(Excluded::new);
    Some(SettingsFile { path: path.to_owned(), text, settings, excluded, problems, broken: false })
}

/// The settings in a project's table `[tool.vramlens]`, if there is one.
fn project_settings(project: &DeTable<'_>, root: &Path) -> Option<(PartialSettings, Vec<SettingsProblem>)> {
    let DeValue::Table(tools) = project.get("tool")?.get_ref() else { return None };
    let section = tools.get("vramlens")?;
    if let DeValue::Table(table) = section.get_ref() {
        return Some(table_settings(table, root));
    }
    let problem =
        SettingsProblem { message: text("settings-not-a-table", &[]), span: Some(span_of(section.span())) };
    Some((PartialSettings::default(), vec![problem]))
}

fn table_settings(table: &DeTable<'_>, root: &Path) -> (PartialSettings, Vec<SettingsProblem>) {
    PartialSettings::read(table.iter().map(|(key, value)| entry(key, value)), root)
}

fn entry(key: &Spanned<std::borrow::Cow<'_, str>>, written: &Spanned<DeValue<'_>>) -> Entry {
    Entry { key: key.get_ref().to_string(), key_span: Some(span_of(key.span())), value: value(written) }
}

fn value(written: &Spanned<DeValue<'_>>) -> Value {
    let kind = match written.get_ref() {
        DeValue::String(text) => ValueKind::Text(text.to_string()),
        DeValue::Boolean(truth) => ValueKind::Truth(*truth),
        DeValue::Array(items) => ValueKind::List(items.iter().map(value).collect()),
        _ => ValueKind::Other,
    };
    Value { kind, span: Some(span_of(written.span())) }
}

fn span_of(range: std::ops::Range<usize>) -> Span {
    let offset = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
    Span::new(offset(range.start), offset(range.end))
}

/// Settings files found during one run: each folder is looked at once.
#[derive(Debug, Default)]
pub struct SettingsFiles {
    folders: Mutex<HashMap<PathBuf, Option<Arc<SettingsFile>>>>,
}

impl SettingsFiles {
    /// The nearest settings file for the documents in `folder`.
    pub fn nearest(&self, folder: &Path) -> Option<Arc<SettingsFile>> {
        let mut passed = Vec::new();
        let mut found = None;
        for ancestor in folder.ancestors() {
            if let Some(known) = self.folders().get(ancestor) {
                found.clone_from(known);
                break;
            }
            passed.push(ancestor.to_owned());
            if let Some(file) = in_folder(ancestor) {
                found = Some(Arc::new(file));
                break;
            }
        }
        let mut folders = self.folders();
        for folder in passed {
            // Another thread may have been faster; all share the file that was kept first.
            folders.entry(folder).or_insert_with(|| found.clone());
        }
        found
    }

    /// All files that were found, by path.
    pub fn found(&self) -> Vec<Arc<SettingsFile>> {
        let mut files: Vec<_> = self.folders().values().flatten().cloned().collect();
        files.sort_by(|left, right| left.path.cmp(&right.path));
        files.dedup_by(|left, right| left.path == right.path);
        files
    }

    fn folders(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Option<Arc<SettingsFile>>>> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Decides whether a path is excluded.
#[derive(Clone, Debug)]
pub struct Excluded {
    globs: Gitignore,
}

impl Excluded {
    /// From globs that were checked when they were read; one that does not parse matches nothing.
    pub fn new(exclude: &Exclude) -> Self {
        let mut builder = GitignoreBuilder::new(&exclude.root);
        for glob in &exclude.globs {
            let _ = builder.add_line(None, glob);
        }
        Self { globs: builder.build().unwrap_or_else(|_| Gitignore::empty()) }
    }

    /// Whether the path, or a folder above it, is excluded.
    pub fn excludes(&self, path: &Path, is_folder: bool) -> bool {
        let Ok(inside) = path.strip_prefix(self.globs.path()) else { return false };
        !inside.has_root() && self.globs.matched_path_or_any_parents(inside, is_folder).is_ignore()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may fail")]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn each_folder_is_looked_at_once_in_a_run() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("a/b");
        fs::create_dir_all(&deep).unwrap();
        let path = root.path().join("vramlens.toml");
        fs::write(&path, "gpu = \"H100\"\n").unwrap();
        let files = SettingsFiles::default();
        let first = files.nearest(&deep).unwrap();
        assert_eq!((first.path.as_path(), first.settings.gpu.as_deref()), (path.as_path(), Some("H100")));
        fs::remove_file(&path).unwrap();
        assert!(Arc::ptr_eq(&files.nearest(&deep).unwrap(), &first));
        assert!(Arc::ptr_eq(&files.nearest(root.path()).unwrap(), &first));
        assert_eq!(files.found().len(), 1);
    }

    #[test]
    fn the_nearest_file_is_found_from_a_document_that_is_not_there_yet() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("pyproject.toml"), "[tool.vramlens]\nignore = [\"oom101\"]\n").unwrap();
        let file = nearest(&root.path().join("new/train.py")).unwrap();
        assert_eq!(file.settings.ignore, Some(vec!["OOM101".to_owned()]));
        assert_eq!(file.problems, []);
    }

    #[test]
    fn problems_stand_where_they_are_written() {
        let file = parse(Path::new("/p/pyproject.toml"), "[tool]\nvramlens = 3\n".to_owned()).unwrap();
        let spans: Vec<&str> =
            file.problems.iter().map(|problem| problem.span.unwrap().text(&file.text)).collect();
        assert_eq!((spans, file.broken), (vec!["3"], false));
        let dotted = "tool.vramlens.gpuu = 'x'\n";
        let file = parse(Path::new("/p/pyproject.toml"), dotted.to_owned()).unwrap();
        assert_eq!(file.problems.first().unwrap().span.unwrap().text(&file.text), "gpuu");
    }

    #[test]
    fn excluded_paths_lie_under_the_root() {
        let exclude = Exclude { root: PathBuf::from("/project"), globs: vec!["old/".to_owned()] };
        let excluded = Excluded::new(&exclude);
        assert!(excluded.excludes(Path::new("/project/old/train.py"), false));
        assert!(!excluded.excludes(Path::new("/project/new.py"), false));
        assert!(!excluded.excludes(Path::new("/elsewhere/old/train.py"), false));
        let relative = Excluded::new(&Exclude { root: PathBuf::new(), ..exclude });
        assert!(!relative.excludes(Path::new("/elsewhere/old/train.py"), false));
    }
}
