//! Which files a command is about.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::{DirEntry, WalkBuilder};

use crate::workspace::settings::{Excluded, SettingsFiles};

/// A kind of document that is analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A Python script.
    Python,
    /// A Jupyter notebook.
    Notebook,
}

/// The kinds by the endings of file names.
const KINDS: &[(&str, Kind)] = &[("py", Kind::Python), ("ipynb", Kind::Notebook)];

/// Folders that hold other people's code; they are not walked into, but can be named.
pub const FOREIGN_FOLDERS: &[&str] = &["__pycache__", "node_modules", "site-packages", "venv"];

impl Kind {
    /// The kind of document that a file's name tells of.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?;
        KINDS.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known)).map(|(_, kind)| *kind)
    }
}

/// Finds the files to analyse, leaving out what settings exclude.
#[derive(Clone, Debug)]
pub struct Finder {
    /// The settings files met on the way.
    pub settings: Arc<SettingsFiles>,
    /// What to leave out instead of what the settings files say.
    pub excluded: Option<Excluded>,
}

impl Finder {
    /// The files under a folder, in order of their names: those of a known kind that neither a
    /// `.gitignore` nor the settings leave out. What cannot be read is an error among them.
    pub fn walk(&self, folder: &Path) -> impl Iterator<Item = Result<PathBuf, ignore::Error>> + use<> {
        let finder = self.clone();
        let mut walk = WalkBuilder::new(folder);
        walk.require_git(false).sort_by_file_name(Ord::cmp).filter_entry(move |entry| finder.enters(entry));
        walk.build().filter_map(|entry| match entry {
            Ok(entry) if is_file(&entry) && Kind::of(entry.path()).is_some() => Some(Ok(entry.into_path())),
            Ok(_) => None,
            Err(error) => Some(Err(error)),
        })
    }

    fn enters(&self, entry: &DirEntry) -> bool {
        // The folder a person names is always walked.
        if entry.depth() == 0 {
            return true;
        }
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_foreign = || FOREIGN_FOLDERS.iter().any(|name| entry.file_name() == *name);
        if is_folder && is_foreign() {
            return false;
        }
        std::path::absolute(entry.path()).is_ok_and(|path| !self.excludes(&path, is_folder))
    }

    fn excludes(&self, path: &Path, is_folder: bool) -> bool {
        if let Some(excluded) = &self.excluded {
            return excluded.excludes(path, is_folder);
        }
        let nearest = path.parent().and_then(|folder| self.settings.nearest(folder));
        nearest.is_some_and(|file| {
            file.excluded.as_ref().is_some_and(|excluded| excluded.excludes(path, is_folder))
        })
    }
}

/// Whether it is a file, or a link to one; links to folders are not followed, so that no walk is endless.
fn is_file(entry: &DirEntry) -> bool {
    match entry.file_type() {
        Some(kind) if kind.is_symlink() => entry.path().is_file(),
        Some(kind) => kind.is_file(),
        None => false,
    }
}
