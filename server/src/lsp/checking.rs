//! Analysing documents, and telling the client and whoever waits what came of it.
//!
//! What an analysis finds without the files around the document is less than there is to say. So a result that asks
//! for something of the disk is held back until that was read, and told together with what it brings: the client hears
//! of a state once, and no request is answered from half of what is known. Reading is not waited for without limit:
//! after [`PATIENCE`] what there is by then is told.

use std::sync::Arc;
use std::time::Duration;

use tower_lsp::lsp_types::Url;

use crate::lsp::configuration::Resolved;
use crate::lsp::document::{Checked, OpenDocument};
use crate::lsp::server::{Server, Session};
use crate::lsp::{ask, diagnostics};

/// How long results wait for what is being read. Reading the imports of a script takes a few milliseconds where the
/// disk is a disk; a person does not notice a tenth of a second. The tests run on busy machines.
const PATIENCE: Duration =
    if cfg!(feature = "fault-injection") { Duration::from_secs(3) } else { Duration::from_millis(150) };

impl Server {
    pub(super) fn check_soon(self: &Arc<Self>, uri: Url) {
        let server = Arc::clone(self);
        let key = uri.to_string();
        self.workers.analysis.replace(key, move || server.check(uri));
    }

    /// Analyses a document in its newest state. Runs on the thread for analyses.
    fn check(self: &Arc<Self>, uri: Url) {
        let session = self.session();
        let unchecked = session.documents.get(&uri).filter(|document| document.is_to_be_checked());
        let Some(snapshot) = unchecked.map(OpenDocument::snapshot) else { return };
        let configuration = session.configuration.clone();
        drop(session);
        let known = snapshot.settings.clone().map(Resolved::from);
        let resolved = known.unwrap_or_else(|| configuration.resolve(&uri));
        let surroundings = snapshot.surroundings.clone().unwrap_or_default();
        let checked = Arc::new(snapshot.check(uri, resolved.settings, surroundings));
        let mut session = self.session();
        self.tell(&mut session, resolved.problems);
        self.tell_failures(&mut session, &checked);
        let Some(document) = session.documents.get_mut(&checked.uri) else { return };
        if !document.is_current(&checked) {
            return;
        }
        document.keep(&checked);
        if document.begin_round(&checked) {
            self.read_wanted_soon(&checked);
            if let Some(wait) = document.begin_waiting() {
                self.lose_patience_later(checked.uri.clone(), wait);
            }
            if document.hold(&checked) {
                return;
            }
        } else {
            document.end_waiting();
        }
        self.result(&mut session, checked);
    }

    /// Tells a result that is about the present state of its document.
    fn result(self: &Arc<Self>, session: &mut Session, checked: Arc<Checked>) {
        let Session { profile, documents, .. } = session;
        let Some(document) = documents.get_mut(&checked.uri) else { return };
        let before = document.last();
        let repeats = before.as_ref().is_some_and(|before| checked.repeats(before));
        let is_again = before.is_some_and(|before| checked.is_again(&before));
        // Before anybody who waits hears of it, so that answers never overtake diagnostics.
        if !profile.pull && !repeats {
            let diagnostics = diagnostics::of(&checked, profile);
            self.publish(checked.uri.clone(), diagnostics, Some(checked.version));
        }
        document.accept(checked);
        // The client has asked about this state before, and cannot know that the answers are new.
        if is_again && !repeats {
            ask::refresh(profile, self);
        }
    }

    /// Tells the result that was held back for something which is read now and has changed nothing.
    pub(super) fn read_in_vain(self: &Arc<Self>, session: &mut Session, reason: &Checked) {
        let document = session.documents.get_mut(&reason.uri);
        let held = document.and_then(|document| document.release_for(reason.generation));
        if let Some(held) = held {
            self.result(session, held);
        }
    }

    /// Ends a wait for what is read around a document, in a while, if it still lasts then.
    pub(super) fn lose_patience_later(self: &Arc<Self>, uri: Url, wait: u64) {
        let server = Arc::clone(self);
        self.tasks.spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            let mut session = server.session();
            let Some(document) = session.documents.get_mut(&uri) else { return };
            if let Some(held) = document.lose_patience(wait) {
                server.result(&mut session, held);
            }
            drop(session);
            // It may have waited for its first analysis.
            server.check_soon(uri);
        });
    }

    /// What was found in the present state of a document, as soon as it is told; `None` when the
    /// document is not open, or is closed meanwhile.
    pub async fn checked(&self, uri: &Url) -> Option<Arc<Checked>> {
        loop {
            let (mut results, wanted) = self.session().documents.get(uri)?.results();
            let fresh =
                |result: &Option<Arc<Checked>>| result.as_ref().is_some_and(|r| r.generation >= wanted);
            // Fails when the document was closed, and it may have been opened again.
            let Ok(result) = results.wait_for(fresh).await else { continue };
            return result.clone();
        }
    }
}
