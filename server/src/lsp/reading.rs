//! Reading what surrounds documents, on a thread of its own: what the analysis sees was read before, and an edit never
//! waits for a disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ropey::Rope;
use tower_lsp::lsp_types::Url;

use crate::lsp::document::{Checked, OpenDocument};
use crate::lsp::server::Server;
use crate::surroundings::Surroundings;
use crate::workspace::surroundings::Reader;

impl Server {
    /// Reads what surrounds a document that was opened just now, and analyses it with that.
    pub(super) fn read_first_soon(self: &Arc<Self>, uri: Url) {
        self.lose_patience_later(uri.clone(), 0);
        let server = Arc::clone(self);
        let read = move || {
            let session = server.session();
            let reader = Arc::clone(&session.reader);
            let path = session.path(&uri);
            let text = session.documents.get(&uri).map(|document| document.snapshot().text);
            drop(session);
            let Some(text) = text.map(|text| text.to_string()) else { return };
            #[cfg(feature = "fault-injection")]
            crate::faults::before_reading(&text);
            let surroundings = reader.at_first(&text, &path);
            let mut session = server.session();
            let generation = session.next_generation();
            let Some(document) = session.documents.get_mut(&uri) else { return };
            document.surround(surroundings);
            document.end_waiting();
            document.renew(generation);
            drop(session);
            server.check_soon(uri);
        };
        self.workers.reading.add(read);
    }

    /// Reads what an analysis asked for, and analyses again if that can make a difference.
    pub(super) fn read_wanted_soon(self: &Arc<Self>, checked: &Arc<Checked>) {
        let server = Arc::clone(self);
        let checked = Arc::clone(checked);
        let read = move || {
            server.surround(std::slice::from_ref(&checked.uri), |reader, old, path| {
                let mut surroundings = old.clone();
                reader.add(&mut surroundings, &checked.wanted(), path);
                surroundings
            });
            server.read_in_vain(&mut server.session(), &checked);
        };
        self.workers.reading.add(read);
    }

    /// Reads again what surrounds the documents, and analyses those for which it has changed.
    pub(super) fn read_again_soon(self: &Arc<Self>) {
        let server = Arc::clone(self);
        let read = move || {
            let session = server.session();
            let uris: Vec<Url> = session.documents.keys().cloned().collect();
            session.reader.forget();
            drop(session);
            server.surround(&uris, Reader::read_again);
        };
        self.workers.reading.replace("again".to_owned(), read);
    }

    /// Takes in the texts of the open documents, and analyses those again that follow another one which has changed.
    pub(super) fn follow_open_soon(self: &Arc<Self>) {
        let server = Arc::clone(self);
        let read = move || {
            let session = server.session();
            let uris: Vec<Url> = session.documents.keys().cloned().collect();
            let open = session.documents.iter();
            let open =
                open.filter_map(|(uri, document)| Some((uri.to_file_path().ok()?, document.snapshot().text)));
            let texts: Vec<(PathBuf, Rope)> = open.collect();
            let reader = Arc::clone(&session.reader);
            drop(session);
            reader.units().set_open(texts.into_iter().map(|(path, text)| (path, text.to_string())));
            server.surround(&uris, |reader, old, path| Surroundings {
                units: reader.units_again(&old.units, path),
                ..old.clone()
            });
        };
        self.workers.reading.replace("open".to_owned(), read);
    }

    /// Reads what surrounds some documents. Runs on the thread for reading.
    fn surround(
        self: &Arc<Self>,
        uris: &[Url],
        read: impl Fn(&Reader, &Surroundings, &Path) -> Surroundings,
    ) {
        let mut changed = Vec::new();
        for uri in uris {
            let session = self.session();
            let reader = Arc::clone(&session.reader);
            let path = session.path(uri);
            let old = session.documents.get(uri).and_then(OpenDocument::surroundings).cloned();
            drop(session);
            // A document that was not analysed yet is surrounded when it is.
            let Some(old) = old else { continue };
            let surroundings = read(&reader, &old, &path);
            let mut session = self.session();
            let generation = session.next_generation();
            let Some(document) = session.documents.get_mut(uri) else { continue };
            let is_new = !surroundings.mean_the_same(&old);
            document.surround(surroundings);
            if is_new {
                document.renew(generation);
                changed.push(uri.clone());
            }
        }
        changed.into_iter().for_each(|uri| self.check_soon(uri));
    }
}
