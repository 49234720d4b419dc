//! Which files of the workspace import a given one.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use vramlens_grammars::Notebook;

use crate::python::imports;
use crate::workspace::files::{Finder, Kind};
use crate::workspace::units::Reader;
use crate::workspace::units::cache::{self, Cache, Mark};
use crate::workspace::units::search::Search;

/// How many files of a project are looked through for imports, and how many bytes of one: a notebook has its pictures.
const MAX_FILES: usize = 4000;
const MAX_SCRIPT_BYTES: u64 = 1024 * 1024;
const MAX_NOTEBOOK_BYTES: u64 = 8 * 1024 * 1024;

/// How many bytes of files are looked through in a project.
const MAX_BYTES: u64 = 128 * 1024 * 1024;

/// How many files that import one are named.
const MAX_IMPORTERS: usize = 12;

/// How many projects are remembered.
const MAX_PROJECTS: usize = 16;

/// Remembers what imports what.
#[derive(Debug)]
pub struct Importers {
    /// The imports of files, as they are spelled.
    spelled: Cache<Vec<String>>,
    projects: Mutex<HashMap<PathBuf, Arc<OnceLock<Project>>>>,
}

/// The files that import a file directly, in order of their paths, by that file.
type Project = HashMap<PathBuf, Vec<PathBuf>>;

impl Default for Importers {
    fn default() -> Self {
        Self { spelled: Cache::with_room(MAX_BYTES), projects: Mutex::default() }
    }
}

impl Importers {
    /// Forgets which files there are and where their imports lead.
    pub fn forget(&self) {
        self.projects().clear();
    }

    fn project(&self, root: &Path) -> Arc<OnceLock<Project>> {
        let mut projects = self.projects();
        if projects.len() >= MAX_PROJECTS && !projects.contains_key(root) {
            projects.clear();
        }
        Arc::clone(projects.entry(root.to_owned()).or_default())
    }

    fn projects(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<OnceLock<Project>>>> {
        self.projects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reader {
    /// The files that import a file, directly or not, the nearest first.
    pub(super) fn importers_of(&self, path: &Path) -> Vec<PathBuf> {
        let Some(folder) = path.parent() else { return Vec::new() };
        let root = self.disk.root(folder, &self.opened);
        let project = self.importers.project(&root);
        let project = project.get_or_init(|| self.read_project(&root));
        let mut seen = HashSet::from([path]);
        let mut found: Vec<PathBuf> = Vec::new();
        let mut next = Some(path.to_owned());
        let mut done = 0;
        while let Some(imported) = next {
            let direct = project.get(&imported).into_iter().flatten();
            let new = direct.filter(|importer| seen.insert(importer));
            found.extend(new.cloned());
            next = found.get(done).cloned();
            done += 1;
        }
        found.truncate(MAX_IMPORTERS);
        found
    }

    /// Looks through the files of a project.
    fn read_project(&self, root: &Path) -> Project {
        let finder = Finder { settings: Arc::default(), excluded: None };
        let mut project = Project::new();
        let mut search: Option<(PathBuf, Search<'_>)> = None;
        let mut left = MAX_BYTES;
        for path in finder.walk(root).flatten().take(MAX_FILES) {
            let Some((folder, kind)) = path.parent().zip(Kind::of(&path)) else { continue };
            let Some(spelled) = self.spelled_in(&path, kind, &mut left) else { continue };
            let (_, search) = match &mut search {
                Some(known) if known.0 == folder => known,
                other => other.insert((folder.to_owned(), Search::new(&self.disk, folder, &self.opened))),
            };
            let targets: HashSet<PathBuf> =
                spelled.iter().filter_map(|spelled| search.find(folder, spelled)).collect();
            for target in targets.into_iter().filter(|target| *target != path) {
                project.entry(target).or_default().push(path.clone());
            }
        }
        project
    }

    /// What a file imports, as long as something is left of the bytes that may be read.
    fn spelled_in(&self, path: &Path, kind: Kind, left: &mut u64) -> Option<Arc<Vec<String>>> {
        if let Some((text, _)) = self.open().get(path) {
            return Some(Arc::new(imports::scan(text)));
        }
        let most = match kind {
            Kind::Python => MAX_SCRIPT_BYTES,
            Kind::Notebook => MAX_NOTEBOOK_BYTES,
        };
        let mark = Mark::of(path, most.min(*left))?;
        *left -= mark.length;
        self.importers.spelled.get(path, mark, || {
            let text = cache::text(path, most)?;
            Some(match kind {
                Kind::Python => imports::scan(&text),
                Kind::Notebook => imports::scan(Notebook::read(&text).ok()?.source().text()),
            })
        })
    }
}
