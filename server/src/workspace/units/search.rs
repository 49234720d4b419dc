//! From an import, as it is spelled, to a file of the workspace.
//!
//! Which folders Python looks through depends on how a program is started, and nothing says that. What is taken for
//! likely: the folder of the document, then those above it up to the root of the project, each with a `src` folder in
//! it; a file in a package is imported from outside of the package.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::knowledge::Knowledge;
use crate::workspace::files::FOREIGN_FOLDERS;
use crate::workspace::units::disk::Disk;

/// The file that makes a folder a package.
const PACKAGE: &str = "__init__.py";

/// The folder that a project's packages may lie in.
const SOURCES: &str = "src";

/// Looks for what one document imports, directly or not.
pub struct Search<'a> {
    disk: &'a Disk,
    root: PathBuf,
    document: PathBuf,
    places: HashMap<PathBuf, Vec<PathBuf>>,
}

impl<'a> Search<'a> {
    /// A search for a document in `folder`, where a person works in the folder `opened`.
    pub fn new(disk: &'a Disk, folder: &Path, opened: &Path) -> Self {
        let root = disk.root(folder, opened);
        Self { disk, root, document: folder.to_owned(), places: HashMap::new() }
    }

    /// The file that an import in a file of `folder` leads to. What comes with Python or is a library that the tables
    /// know is only taken for a file of the workspace when that lies beside the document or the importing file.
    pub fn find(&mut self, folder: &Path, spelled: &str) -> Option<PathBuf> {
        if self.is_foreign(folder) {
            return None;
        }
        let name = spelled.trim_start_matches('.');
        let parts: Vec<&str> = name.split('.').filter(|part| !part.is_empty()).collect();
        if parts.iter().any(|part| FOREIGN_FOLDERS.contains(part)) {
            return None;
        }
        let level = spelled.len() - name.len();
        if level > 0 {
            let base = folder.ancestors().nth(level - 1).filter(|base| base.starts_with(&self.root))?;
            return self.below(base, &parts);
        }
        let near = if Knowledge::tables().is_known_module(parts.first()?) { 1 } else { usize::MAX };
        let document = self.document.clone();
        let mut places: Vec<PathBuf> = self.places(&document).iter().take(near).cloned().collect();
        if folder != document {
            places.extend(self.places(folder).iter().take(near).cloned());
        }
        places.iter().find_map(|place| self.below(place, &parts))
    }

    /// The module of a dotted name, counted from a folder. A package wins over a module of the same name.
    fn below(&self, base: &Path, parts: &[&str]) -> Option<PathBuf> {
        let mut folder = base.to_owned();
        if let Some((last, packages)) = parts.split_last() {
            for package in packages {
                folder.push(package);
                if !self.disk.is_folder(&folder, &self.root) {
                    return None;
                }
            }
            let module = folder.join(format!("{last}.py"));
            folder.push(last);
            let package = folder.join(PACKAGE);
            return [package, module].into_iter().find(|path| self.disk.is_file(path, &self.root));
        }
        Some(folder.join(PACKAGE)).filter(|path| self.disk.is_file(path, &self.root))
    }

    /// Where the absolute imports of the files in a folder are looked for, the likeliest first.
    fn places(&mut self, folder: &Path) -> &[PathBuf] {
        if !self.places.contains_key(folder) {
            let places = self.places_of(folder);
            self.places.insert(folder.to_owned(), places);
        }
        self.places.get(folder).map_or(&[], Vec::as_slice)
    }

    fn places_of(&self, folder: &Path) -> Vec<PathBuf> {
        let mut up: Vec<&Path> = folder.ancestors().take_while(|up| up.starts_with(&self.root)).collect();
        let is_package = |folder: &&&Path| self.disk.is_file(&folder.join(PACKAGE), &self.root);
        let packages = up.iter().take_while(is_package).count();
        up.rotate_left(packages);
        let with_sources = up.into_iter().flat_map(|folder| [folder.to_owned(), folder.join(SOURCES)]);
        with_sources.filter(|place| self.disk.is_folder(place, &self.root)).collect()
    }

    /// Whether a folder holds other people's code, such as an environment inside the project.
    fn is_foreign(&self, folder: &Path) -> bool {
        let inside = folder.strip_prefix(&self.root).unwrap_or(folder);
        inside.components().any(|part| FOREIGN_FOLDERS.iter().any(|name| part.as_os_str() == *name))
    }
}
