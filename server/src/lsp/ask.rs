//! Requests of ours to the client. Each runs in a task of its own: nobody waits for the answer.

use std::sync::Arc;

use serde_json::{Value, json};
use tower_lsp::lsp_types::notification::{DidChangeConfiguration, DidChangeWatchedFiles, Notification};
use tower_lsp::lsp_types::request::{
    InlayHintRefreshRequest, RegisterCapability, WorkspaceConfiguration, WorkspaceDiagnosticRefresh,
};
use tower_lsp::lsp_types::{ConfigurationItem, ConfigurationParams, Registration, RegistrationParams};

use crate::lsp::profile::Profile;
use crate::lsp::server::Server;
use crate::workspace::settings::FILE_NAMES;
use crate::workspace::{models, units, versions};

/// Asks for the settings, when the client can be asked.
pub fn configuration(server: &Arc<Server>) {
    if !server.profile().configuration {
        return;
    }
    let item = ConfigurationItem { scope_uri: None, section: Some("vramlens".to_owned()) };
    let answer = server.client.request::<WorkspaceConfiguration>(ConfigurationParams { items: vec![item] });
    let server = Arc::clone(server);
    server.tasks.clone().spawn(async move {
        if let Some([section]) = answer.await.as_deref() {
            server.configure(section);
        }
    });
}

/// Asks to be told when settings, their files, or files that say something of versions and models change.
pub fn register(server: &Arc<Server>) {
    let profile = server.profile();
    let mut registrations = Vec::new();
    if profile.register_configuration {
        let options = json!({ "section": "vramlens" });
        registrations.push(registration(DidChangeConfiguration::METHOD, options));
    }
    if profile.register_files {
        let names =
            FILE_NAMES.iter().chain(versions::FILE_NAMES).chain(models::FILE_NAMES).chain(units::FILE_NAMES);
        let watchers: Vec<Value> = names.map(|name| json!({ "globPattern": format!("**/{name}") })).collect();
        registrations.push(registration(DidChangeWatchedFiles::METHOD, json!({ "watchers": watchers })));
    }
    if !registrations.is_empty() {
        let answer = server.client.request::<RegisterCapability>(RegistrationParams { registrations });
        server.tasks.spawn(answer);
    }
}

/// Asks the client to ask again for all that it asked for: something besides the texts has changed.
pub fn refresh(profile: &Profile, server: &Server) {
    if profile.pull {
        server.tasks.spawn(server.client.request::<WorkspaceDiagnosticRefresh>(()));
    }
    if profile.refresh_hints {
        server.tasks.spawn(server.client.request::<InlayHintRefreshRequest>(()));
    }
}

fn registration(method: &str, options: Value) -> Registration {
    Registration {
        id: format!("vramlens:{method}"),
        method: method.to_owned(),
        register_options: Some(options),
    }
}
