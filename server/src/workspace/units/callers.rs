//! How other files of the workspace call the functions of one.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use vramlens_grammars::{Document, Notebook, Source};

use crate::analysis::analyze;
use crate::python::imports;
use crate::python::units::{Callers, OutgoingCall, Units};
use crate::settings::Settings;
use crate::surroundings::Surroundings;
use crate::workspace::files::Kind;
use crate::workspace::units::cache::{self, Cache, Mark, State};
use crate::workspace::units::{Reader, normal};

/// Callers of callers are asked this many times.
const MAX_LEVELS: usize = 2;

/// Larger files are not analysed for their calls.
const MAX_CALLER_BYTES: u64 = 4 * 1024 * 1024;

/// How many bytes of text there may be in all of the files whose calls are remembered.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The calls that files make of functions of others.
#[derive(Debug)]
pub struct Outgoing(Cache<Vec<OutgoingCall>>);

impl Default for Outgoing {
    fn default() -> Self {
        Self(Cache::with_room(MAX_BYTES))
    }
}

impl Reader {
    /// How the functions of a file are called from those that import it, by qualified name.
    pub fn callers(&self, path: &Path) -> BTreeMap<String, Callers> {
        self.callers_of(&normal(path), &mut Vec::new())
    }

    /// `asked` are the files that this is asked for.
    fn callers_of(&self, path: &Path, asked: &mut Vec<PathBuf>) -> BTreeMap<String, Callers> {
        let name = self.name(path);
        let mut callers: BTreeMap<String, Callers> = BTreeMap::new();
        asked.push(path.to_owned());
        for importer in self.importers_of(path) {
            if asked.contains(&importer) {
                continue;
            }
            let calls = self.calls_of(&importer, &name, asked);
            for call in calls.iter().filter(|call| call.unit == name) {
                let known = callers.entry(call.function.clone()).or_default();
                known.without_gradients |= call.without_gradients;
                known.with_gradients |= !call.without_gradients;
            }
        }
        asked.pop();
        callers
    }

    /// The calls that a file makes. Where it may record gradients when it calls the file called `name`, its own callers
    /// may know better.
    fn calls_of(&self, importer: &Path, name: &str, asked: &mut Vec<PathBuf>) -> Arc<Vec<OutgoingCall>> {
        let calls = self.outgoing(importer, BTreeMap::new());
        let may_record = calls.iter().any(|call| call.unit == name && !call.without_gradients);
        if !may_record || asked.len() >= MAX_LEVELS {
            return calls;
        }
        let callers = self.callers_of(importer, asked);
        if callers.is_empty() { calls } else { self.outgoing(importer, callers) }
    }

    /// What a file calls of other files, when it is itself called like this.
    fn outgoing(&self, path: &Path, callers: BTreeMap<String, Callers>) -> Arc<Vec<OutgoingCall>> {
        let Some(source) = self.source(path) else { return Arc::default() };
        let text = source.text();
        let units = Units { callers, callers_known: true, ..self.around(path, &imports::scan(text)) };
        let mark = Mark { length: text.len() as u64, state: State::Open(fingerprint(text, &units)) };
        let calls = self.outgoing.0.get(path, mark, || {
            let document = Document::python(source.clone());
            let surroundings = Surroundings { units, ..Surroundings::default() };
            // A failure of ours in another file is told where that file is checked.
            let run = || analyze(&document, &surroundings, &Settings::default()).outgoing;
            catch_unwind(AssertUnwindSafe(run)).ok()
        });
        calls.unwrap_or_default()
    }

    fn source(&self, path: &Path) -> Option<Source> {
        if let Some((text, _)) = self.open().get(path) {
            return Some(Source::file(text.to_string()));
        }
        Mark::of(path, MAX_CALLER_BYTES)?;
        let text = cache::text(path, MAX_CALLER_BYTES)?;
        match Kind::of(path)? {
            Kind::Python => Some(Source::file(text)),
            Kind::Notebook => Some(Notebook::read(&text).ok()?.source()),
        }
    }
}

/// A number for all that an analysis depends on here.
fn fingerprint(text: &str, units: &Units) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    for unit in &units.files {
        unit.name.hash(&mut hasher);
        unit.text.hash(&mut hasher);
    }
    units.links.hash(&mut hasher);
    for (name, callers) in &units.callers {
        (name, callers.with_gradients, callers.without_gradients).hash(&mut hasher);
    }
    hasher.finish()
}
