//! Reading what surrounds documents, on a thread of its own: what the analysis sees was read before, and an edit never
//! waits for a disk.

use std::path::Path;
use std::sync::Arc;

use tower_lsp::lsp_types::Url;

use crate::lsp::document::{Checked, OpenDocument};
use crate::lsp::server::Server;
use crate::surroundings::Surroundings;
use crate::workspace::surroundings::Reader;

impl Server {
    /// Reads the models that an analysis asked for, and analyses again.
    pub(super) fn read_models_soon(self: &Arc<Self>, checked: &Arc<Checked>) {
        let server = Arc::clone(self);
        let checked = Arc::clone(checked);
        let read = move || {
            server.surround(std::slice::from_ref(&checked.uri), |reader, old, folder| {
                let mut surroundings = old.clone();
                reader.add_models(&mut surroundings, &checked.unread, folder);
                surroundings
            });
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
            let folder = session.folder(uri);
            let old = session.documents.get(uri).and_then(OpenDocument::surroundings).cloned();
            drop(session);
            // A document that was not analysed yet is surrounded when it is.
            let Some(old) = old else { continue };
            let surroundings = read(&reader, &old, &folder);
            let mut session = self.session();
            let generation = session.next_generation();
            if surroundings != *old
                && let Some(document) = session.documents.get_mut(uri)
            {
                document.surround(surroundings);
                document.renew(generation);
                changed.push(uri.clone());
            }
        }
        changed.into_iter().for_each(|uri| self.check_soon(uri));
    }
}
