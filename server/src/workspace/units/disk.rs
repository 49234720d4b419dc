//! What is a file and what is a folder, asked of the disk once: an import is looked for in many places.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many answers are remembered.
const MAX_KNOWN: usize = 1 << 16;

/// Names of files and folders that lie in the root of a project.
const ROOT_MARKERS: &[&str] = &["pyproject.toml", "setup.py", ".git"];

/// Folders further up than this are not looked at.
const MAX_FOLDERS: usize = 32;

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// Something that lies elsewhere, and where.
    Link(PathBuf),
    /// Nothing that can be used.
    Nothing,
}

/// Remembers answers of the disk until it is told to forget them.
#[derive(Debug, Default)]
pub struct Disk {
    known: Mutex<HashMap<PathBuf, Entry>>,
}

impl Disk {
    /// What a path leads to.
    pub fn entry(&self, path: &Path) -> Entry {
        if let Some(known) = self.known().get(path) {
            return known.clone();
        }
        let entry = look(path);
        let mut known = self.known();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(path.to_owned(), entry.clone());
        entry
    }

    /// Whether a path leads to a file inside `root`, through a link or not.
    pub fn is_file(&self, path: &Path, root: &Path) -> bool {
        match self.entry(path) {
            Entry::File => true,
            Entry::Link(target) => leads_inside(&target, root) && target.is_file(),
            Entry::Folder | Entry::Nothing => false,
        }
    }

    /// Whether a path leads to a folder inside `root`, through a link or not.
    pub fn is_folder(&self, path: &Path, root: &Path) -> bool {
        match self.entry(path) {
            Entry::Folder => true,
            Entry::Link(target) => leads_inside(&target, root) && target.is_dir(),
            Entry::File | Entry::Nothing => false,
        }
    }

    /// The folder that imports of the files in `folder` lead to at the most: the nearest one above that looks like the
    /// root of a project; else the folder that was opened, when it is one above; else the folder itself.
    pub fn root(&self, folder: &Path, opened: &Path) -> PathBuf {
        let is_root = |folder: &&Path| {
            ROOT_MARKERS.iter().any(|marker| self.entry(&folder.join(marker)) != Entry::Nothing)
        };
        let marked = folder.ancestors().take(MAX_FOLDERS).find(is_root);
        // The whole disk is no project.
        let opened = Some(opened).filter(|opened| opened.parent().is_some() && folder.starts_with(opened));
        marked.or(opened).unwrap_or(folder).to_owned()
    }

    /// Forgets every answer.
    pub fn forget(&self) {
        self.known().clear();
    }

    fn known(&self) -> MutexGuard<'_, HashMap<PathBuf, Entry>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn look(path: &Path) -> Entry {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_file() => Entry::File,
        Ok(about) if about.is_dir() => Entry::Folder,
        // A loop of links leads nowhere.
        Ok(about) if about.is_symlink() => fs::canonicalize(path).map_or(Entry::Nothing, Entry::Link),
        _ => Entry::Nothing,
    }
}

fn leads_inside(target: &Path, root: &Path) -> bool {
    fs::canonicalize(root).is_ok_and(|root| target.starts_with(root))
}
