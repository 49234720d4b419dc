//! Other files of the workspace: those that a document imports, and those that import it.
//!
//! Everything that cannot be used is left out without a word: what is not there, cannot be read, is too large, no UTF-8
//! or no Python.

mod cache;
mod callers;
mod disk;
mod importers;
mod search;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use vramlens_grammars::{Document, Source};

use crate::python::imports;
use crate::python::lower::lower;
use crate::python::units::{Unit, Units};
use cache::{Cache, Mark, State};
use callers::Outgoing;
use disk::Disk;
use importers::Importers;
use search::Search;

/// Names of files that can be imported, or import others, as patterns.
pub const FILE_NAMES: &[&str] = &["*.py", "*.ipynb"];

/// How many files are read for one document, and how many bytes of them.
const MAX_FILES: usize = 48;
const MAX_BYTES: usize = 1024 * 1024;

/// Larger files are not read: hardly anybody wrote them.
const MAX_FILE_BYTES: u64 = 512 * 1024;

/// How many bytes of text are remembered in all; what is made of a text takes many times that.
const MAX_REMEMBERED_BYTES: u64 = 16 * 1024 * 1024;

/// Reads files of the workspace, and remembers them.
#[derive(Debug)]
pub struct Reader {
    /// The folder that a person works in.
    opened: PathBuf,
    /// What stands in an editor wins over what lies on the disk.
    open: Mutex<OpenTexts>,
    disk: Disk,
    files: Cache<Unit>,
    importers: Importers,
    outgoing: Outgoing,
}

/// Texts in an editor, by path, each with a number that tells it from others.
type OpenTexts = HashMap<PathBuf, (Arc<str>, u64)>;

impl Default for Reader {
    fn default() -> Self {
        Self::new(Path::new(""))
    }
}

impl Reader {
    /// A reader for a person who works in the folder `opened`.
    pub fn new(opened: &Path) -> Self {
        Self {
            opened: normal(opened),
            open: Mutex::default(),
            disk: Disk::default(),
            files: Cache::with_room(MAX_REMEMBERED_BYTES),
            importers: Importers::default(),
            outgoing: Outgoing::default(),
        }
    }

    /// The path as a person is shown it.
    pub fn name(&self, path: &Path) -> String {
        path.strip_prefix(&self.opened).unwrap_or(path).display().to_string()
    }

    /// Takes in what stands in the editor now: all texts, by path.
    pub fn set_open(&self, texts: impl Iterator<Item = (PathBuf, String)>) {
        let numbered = |text: String| {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            (Arc::from(text), hasher.finish())
        };
        let open = texts.map(|(path, text)| (normal(&path), numbered(text))).collect();
        *self.open() = open;
    }

    /// The files that a document with these imports needs, the nearest first.
    pub fn around(&self, path: &Path, imports: &[String]) -> Units {
        let path = normal(path);
        let Some(folder) = path.parent() else { return Units::default() };
        let mut closure = Closure {
            reader: self,
            search: Search::new(&self.disk, folder, &self.opened),
            document: &path,
            paths: Vec::new(),
            bytes: 0,
            units: Units::default(),
        };
        closure.follow(None, folder, imports);
        let mut next = 0;
        while let Some((unit, path)) =
            closure.units.files.get(next).cloned().zip(closure.paths.get(next).cloned())
        {
            closure.follow(Some(next), path.parent().unwrap_or(folder), &unit.imports);
            next += 1;
        }
        closure.units
    }

    /// Forgets what can have changed without a trace in the files' times: which files there are.
    pub fn forget(&self) {
        self.disk.forget();
        self.importers.forget();
    }

    /// How many bytes of text are remembered.
    pub fn bytes(&self) -> u64 {
        self.files.bytes()
    }

    /// One file, lowered.
    fn unit(&self, path: &Path) -> Option<Arc<Unit>> {
        let open = self.open().get(path).cloned();
        let mark = match &open {
            Some((text, number)) => Mark { length: text.len() as u64, state: State::Open(*number) },
            None => Mark::of(path, MAX_FILE_BYTES)?,
        };
        self.files.get(path, mark, || {
            let text = match open {
                Some((text, _)) => text.to_string(),
                None => cache::text(path, MAX_FILE_BYTES)?,
            };
            lowered(self.name(path), text)
        })
    }

    fn open(&self) -> MutexGuard<'_, OpenTexts> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lowered(name: String, text: String) -> Option<Unit> {
    let document = Document::python(Source::file(text));
    let tree = document.syntax.ok()?;
    let text = document.source.text().to_owned();
    let module = lower(&tree, &text);
    let imports = imports::of_module(&module);
    Some(Unit { name, text, module, imports })
}

/// A path without `.` and `..` in it, so that one file has one path. The disk is not asked.
fn normal(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// The files that a document needs, as far as they are gathered.
struct Closure<'a> {
    reader: &'a Reader,
    search: Search<'a>,
    document: &'a Path,
    paths: Vec<PathBuf>,
    bytes: usize,
    units: Units,
}

impl Closure<'_> {
    /// Follows the imports of one file, which lies in `folder`.
    fn follow(&mut self, importer: Option<usize>, folder: &Path, imports: &[String]) {
        for spelled in imports {
            let target = self.search.find(folder, spelled).and_then(|path| self.index(path));
            match target {
                Some(index) => {
                    self.units.links.insert((importer, spelled.clone()), index);
                }
                None if importer.is_none() => {
                    self.units.absent.insert(spelled.clone());
                }
                None => {}
            }
        }
    }

    /// The place of a file among those gathered, where it is put if there is room.
    fn index(&mut self, path: PathBuf) -> Option<usize> {
        if let Some(index) = self.paths.iter().position(|known| *known == path) {
            return Some(index);
        }
        if path == self.document || self.paths.len() >= MAX_FILES {
            return None;
        }
        let unit = self.reader.unit(&path).filter(|unit| self.bytes + unit.text.len() <= MAX_BYTES)?;
        self.bytes += unit.text.len();
        self.units.files.push(unit);
        self.paths.push(path);
        Some(self.paths.len() - 1)
    }
}

#[cfg(test)]
mod tests;
