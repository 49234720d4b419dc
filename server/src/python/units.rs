//! Other files of the workspace, as far as a document that imports them needs them: plain data, read ahead of time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::python::imports;
use crate::python::syntax::Module;

/// One file of the workspace, lowered.
#[derive(Debug)]
pub struct Unit {
    /// Its path, as a person is shown it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Its syntax.
    pub module: Module,
    /// The modules that it imports, as they are spelled, with leading dots: `torch.nn`, `.model`, `..utils.meters`. For
    /// `from . import model` that is `.model`, for `from pkg import name` both `pkg` and `pkg.name`.
    pub imports: Vec<String>,
}

/// Two units are the same when they hold the same text.
impl PartialEq for Unit {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.text == other.text
    }
}

/// The files of the workspace that a document imports, directly or not, and those that call it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Units {
    /// The files, each once.
    pub files: Vec<Arc<Unit>>,
    /// Where an import leads, by the index of the file that imports (`None` for the document) and the spelling. A
    /// spelling that leads to no file of the workspace, or that was not looked up yet, is not there.
    pub links: BTreeMap<(Option<usize>, String), usize>,
    /// The imports of the document that were looked up and lead to no file of the workspace.
    pub absent: BTreeSet<String>,
    /// How other files call the functions of the document, by qualified name: `evaluate`, `Meter.update`.
    pub callers: BTreeMap<String, Callers>,
    /// Whether callers were looked for. It takes long, and is done only where something depends on them.
    pub callers_known: bool,
}

impl Units {
    /// Whether an import of the document was looked up.
    pub fn is_known(&self, spelled: &str) -> bool {
        self.absent.contains(spelled) || self.links.contains_key(&(None, spelled.to_owned()))
    }

    /// The imports of the document that were looked up.
    pub fn asked_for(&self) -> Vec<String> {
        let linked = self.links.keys().filter(|(importer, _)| importer.is_none());
        linked.map(|(_, spelled)| spelled.clone()).chain(self.absent.iter().cloned()).collect()
    }

    /// The packages that surely are imported when the file at `index` is, directly or by files that it imports, in order.
    pub fn packages(&self, index: usize) -> Vec<String> {
        let mut found = Vec::new();
        self.add_packages(index, &mut BTreeSet::new(), &mut found);
        found
    }

    fn add_packages(&self, index: usize, seen: &mut BTreeSet<usize>, found: &mut Vec<String>) {
        let Some(unit) = self.files.get(index).filter(|_| seen.insert(index)) else { return };
        for spelled in imports::at_top_level(&unit.module) {
            match self.links.get(&(Some(index), spelled.to_string())) {
                Some(target) => self.add_packages(*target, seen, found),
                None if !spelled.starts_with('.') => {
                    found.extend(spelled.split('.').next().map(str::to_owned));
                }
                None => {}
            }
        }
    }

    /// Whether an analysis can come out the same with these instead.
    pub fn mean_the_same(&self, other: &Self) -> bool {
        self.files == other.files && self.links == other.links && self.callers == other.callers
    }
}

/// How a function is called from other files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Callers {
    /// Whether some caller records operations for backward, or may.
    pub with_gradients: bool,
    /// Whether some caller has switched gradients off.
    pub without_gradients: bool,
}

/// A call of a function that another file of the workspace defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutgoingCall {
    /// The file that defines it: its [`Unit::name`].
    pub unit: String,
    /// The function there, by its qualified name.
    pub function: String,
    /// Whether gradients are surely switched off where it is called.
    pub without_gradients: bool,
}
