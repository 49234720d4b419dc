//! Other files of the workspace, as far as a document that imports them needs them: plain data, read ahead of time.

use std::collections::BTreeMap;
use std::sync::Arc;

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
    /// How other files call the functions of the document, by qualified name: `evaluate`, `Meter.update`.
    pub callers: BTreeMap<String, Callers>,
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
