//! The state of a session, and everything that changes it.
//!
//! Changes are applied one after the other, in the order in which the client sent them, by the thread
//! that reads: [`Server::notified`] returns when a change is in force. Nothing under the lock waits
//! for the client, the disk or the analysis.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::runtime::Handle;
use tower_lsp::lsp_types::notification::{self, Notification, PublishDiagnostics};
use tower_lsp::lsp_types::{
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, MessageType, PublishDiagnosticsParams,
    TextDocumentContentChangeEvent, Url,
};

use crate::lsp::client::Client;
use crate::lsp::configuration::Configuration;
use crate::lsp::document::{ANALYSIS, Checked, OpenDocument};
use crate::lsp::profile::Profile;
use crate::lsp::worker::Worker;
use crate::lsp::{Ending, ask, watch};
use crate::texts::text;
use crate::workspace::settings;
use crate::workspace::surroundings::Reader;
use crate::workspace::variables::Variables;

/// Everything the parts of the server share.
pub struct Server {
    /// The client.
    pub client: Client,
    /// The threads that work.
    pub workers: Workers,
    /// Where tasks run that wait for the client.
    pub tasks: Handle,
    /// Where to say that the process is to end.
    pub ending: Sender<Ending>,
    session: Mutex<Session>,
}

/// The threads that work off jobs.
pub struct Workers {
    /// Analyses.
    pub analysis: Worker,
    /// Reads what surrounds documents, so that the analysis never waits for a slow disk.
    pub reading: Worker,
}

/// What is known of the client and its documents.
#[derive(Default)]
pub(super) struct Session {
    pub(super) profile: Arc<Profile>,
    pub(super) configuration: Configuration,
    pub(super) reader: Arc<Reader>,
    pub(super) documents: HashMap<Url, OpenDocument>,
    generation: u64,
    told: HashSet<String>,
}

/// The parameters of `textDocument/didChange`. Some clients send no version, and a change must not be
/// lost for that.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidChange {
    text_document: Identifier,
    content_changes: Vec<TextDocumentContentChangeEvent>,
}

#[derive(serde::Deserialize)]
struct Identifier {
    uri: Url,
    version: Option<i32>,
}

impl Server {
    /// A server that has not heard of anything yet.
    pub fn new(client: Client, workers: Workers, tasks: Handle, ending: Sender<Ending>) -> Self {
        Self { client, workers, tasks, ending, session: Mutex::default() }
    }

    /// What the client can do.
    pub fn profile(&self) -> Arc<Profile> {
        Arc::clone(&self.session().profile)
    }

    /// Takes in what the client says of itself.
    pub fn initialize(&self, params: &Value) {
        let profile = Profile::new(params);
        let options = params.get("initializationOptions").unwrap_or(&Value::Null);
        let (configuration, problems) = Configuration::initial(&profile.root, options);
        if let Some(process) = profile.process {
            watch::start(process, self.ending.clone());
        }
        let reader = Reader::new(&Variables::of_process(), profile.root.clone());
        let mut session = self.session();
        session.reader = Arc::new(reader);
        session.profile = Arc::new(profile);
        session.configuration = configuration;
        self.tell(&mut session, problems);
    }

    /// Applies a notification.
    pub fn notified(self: &Arc<Self>, method: &str, params: Value) {
        match method {
            notification::Initialized::METHOD => {
                ask::register(self);
                ask::configuration(self);
            }
            notification::DidOpenTextDocument::METHOD => read(params, |params| self.open(params)),
            notification::DidChangeTextDocument::METHOD => read(params, |params| self.change(params)),
            notification::DidCloseTextDocument::METHOD => read(params, |params| self.close(params)),
            notification::DidChangeConfiguration::METHOD => self.reconfigure(&params),
            notification::DidChangeWatchedFiles::METHOD if !about_settings(&params) => self.read_again_soon(),
            // A client that watches files for us does not see those outside its folders, such as an environment.
            notification::DidSaveTextDocument::METHOD if self.profile().register_files => {
                self.read_again_soon();
            }
            notification::DidSaveTextDocument::METHOD
            | notification::DidChangeWatchedFiles::METHOD
            | notification::DidChangeWorkspaceFolders::METHOD => {
                self.settings_changed();
                self.read_again_soon();
            }
            #[cfg(feature = "fault-injection")]
            "vramlens/fault" => {
                let _held = self.session();
                panic!("a fault that was asked for");
            }
            _ => {}
        }
    }

    fn open(self: &Arc<Self>, params: DidOpenTextDocumentParams) {
        let opened = params.text_document;
        let extension = Path::new(opened.uri.path()).extension();
        if opened.language_id != "python" && extension.is_none_or(|extension| extension != "py") {
            return;
        }
        let mut session = self.session();
        let generation = session.next_generation();
        let document = OpenDocument::new(&opened.text, opened.version, generation);
        session.documents.insert(opened.uri.clone(), document);
        let others = session.documents.len() > 1;
        drop(session);
        if others {
            self.follow_open_soon();
        }
        self.read_first_soon(opened.uri);
    }

    fn change(self: &Arc<Self>, params: DidChange) {
        let mut session = self.session();
        let generation = session.next_generation();
        let encoding = session.profile.encoding;
        let Some(document) = session.documents.get_mut(&params.text_document.uri) else { return };
        document.change(&params.content_changes, params.text_document.version, encoding);
        document.renew(generation);
        let others = session.documents.len() > 1;
        drop(session);
        self.check_soon(params.text_document.uri);
        if others {
            self.follow_open_soon();
        }
    }

    fn close(self: &Arc<Self>, params: DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        let mut session = self.session();
        if session.documents.remove(&uri).is_some() && !session.profile.pull {
            self.publish(uri, Vec::new(), None);
        }
        drop(session);
        self.follow_open_soon();
    }

    fn reconfigure(self: &Arc<Self>, params: &Value) {
        let section = params.pointer("/settings/vramlens");
        if self.profile().configuration {
            ask::configuration(self);
        } else if let Some(section) = section {
            self.configure(section);
        }
    }

    /// Takes the settings that the client has now.
    pub fn configure(self: &Arc<Self>, section: &Value) {
        let mut session = self.session();
        let before = session.configuration.clone();
        let problems = session.configuration.update(section);
        let changed = session.configuration != before;
        self.tell(&mut session, problems);
        drop(session);
        if changed {
            self.settings_changed();
        }
    }

    /// Checks every open document again, with its settings looked up anew.
    fn settings_changed(self: &Arc<Self>) {
        let mut session = self.session();
        let generation = session.next_generation();
        for document in session.documents.values_mut() {
            document.forget_settings();
            document.renew(generation);
        }
        let uris: Vec<Url> = session.documents.keys().cloned().collect();
        drop(session);
        for uri in uris {
            self.check_soon(uri);
        }
        ask::refresh(&self.profile(), self);
    }

    pub(super) fn publish(
        &self,
        uri: Url,
        diagnostics: Vec<tower_lsp::lsp_types::Diagnostic>,
        version: Option<i32>,
    ) {
        let params = PublishDiagnosticsParams { uri, diagnostics, version };
        self.client.notify::<PublishDiagnostics>(params);
    }

    /// Shows each sentence once in a session.
    pub(super) fn tell(&self, session: &mut Session, sentences: Vec<String>) {
        for sentence in sentences {
            self.tell_once(session, sentence.clone(), sentence);
        }
    }

    /// Shows one sentence a rule that failed, whatever the document: it is the same defect each time.
    pub(super) fn tell_failures(&self, session: &mut Session, checked: &Checked) {
        let file = checked.uri.path_segments().and_then(Iterator::last).unwrap_or_default();
        for failure in &checked.failures {
            let sentence = match failure.code {
                ANALYSIS => text("lsp-analysis-failed", &[("file", file)]),
                code => text("lsp-rule-failed", &[("code", code), ("file", file)]),
            };
            self.tell_once(session, failure.code.to_owned(), sentence);
        }
    }

    fn tell_once(&self, session: &mut Session, key: String, sentence: String) {
        if session.told.insert(key) {
            self.client.show(MessageType::WARNING, sentence);
        }
    }

    pub(super) fn session(&self) -> MutexGuard<'_, Session> {
        // A panic under the lock has been reported; the state is still the best there is.
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Where a document is; one without a place counts as one in the workspace's folder.
    pub(super) fn path(&self, uri: &Url) -> PathBuf {
        uri.to_file_path().unwrap_or_else(|()| self.profile.root.join("-"))
    }

    pub(super) fn next_generation(&mut self) -> u64 {
        self.generation += 1;
        self.generation
    }
}

/// Whether changed files are of settings, or may be: then every document is checked again.
fn about_settings(params: &Value) -> bool {
    let changes = params.get("changes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let is_settings = |change: &Value| {
        let uri = change.get("uri").and_then(Value::as_str).unwrap_or_default();
        settings::FILE_NAMES.iter().any(|name| uri.ends_with(name))
    };
    changes.is_empty() || changes.iter().any(is_settings)
}

/// Applies parameters of the expected shape. Anything else changes nothing.
fn read<P: DeserializeOwned>(params: Value, apply: impl FnOnce(P)) {
    if let Ok(params) = serde_json::from_value(params) {
        apply(params);
    }
}
