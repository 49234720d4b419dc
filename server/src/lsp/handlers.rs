//! What is answered to each request.

use std::sync::Arc;

use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::{
    CodeAction, CodeActionKind, CodeActionOptions, CodeActionParams, CodeActionProviderCapability,
    CodeActionResponse, DiagnosticOptions, DiagnosticServerCapabilities, DocumentDiagnosticParams,
    DocumentDiagnosticReport, DocumentDiagnosticReportResult, FullDocumentDiagnosticReport, Hover,
    HoverParams, HoverProviderCapability, InitializeParams, InitializeResult, InlayHint, InlayHintParams,
    OneOf, RelatedFullDocumentDiagnosticReport, RelatedUnchangedDocumentDiagnosticReport, SaveOptions,
    ServerCapabilities, ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, UnchangedDocumentDiagnosticReport, WorkDoneProgressOptions,
};
use tower_lsp::{LanguageServer, LspService};

use crate::lsp::actions::{self, FIX_ALL};
use crate::lsp::profile::Profile;
use crate::lsp::server::Server;
use crate::lsp::{diagnostics, hints, hover};

/// The handlers of all requests. They read the session and never change it.
pub struct Handlers {
    server: Arc<Server>,
}

impl Handlers {
    /// Handlers for a session.
    pub fn new(server: Arc<Server>) -> Self {
        Self { server }
    }

    /// The framework's service around these handlers. Its own handle to the client is not used: it
    /// ends the process when an answer comes late.
    pub fn into_service(self) -> LspService<Self> {
        let service = LspService::build(|_| self);
        #[cfg(feature = "fault-injection")]
        let service = service.custom_method("vramlens/fault", Self::fault);
        service.finish().0
    }

    /// A handler that fails, for the tests.
    #[cfg(feature = "fault-injection")]
    #[allow(clippy::unused_async, clippy::panic, reason = "this is what it is for")]
    async fn fault(&self) -> Result<()> {
        panic!("a fault that was asked for")
    }
}

#[tower_lsp::async_trait]
impl LanguageServer for Handlers {
    async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
        let server_info = ServerInfo {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        };
        let capabilities = capabilities(&self.server.profile());
        Ok(InitializeResult { capabilities, server_info: Some(server_info) })
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        let checked = self.server.checked(&params.text_document.uri).await;
        let items = checked.map(|checked| diagnostics::of(&checked, &self.server.profile()));
        let items = items.unwrap_or_default();
        let result_id = diagnostics::result_id(&items);
        let report = if params.previous_result_id.as_ref() == Some(&result_id) {
            DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
                related_documents: None,
                unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
            })
        } else {
            DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
                related_documents: None,
                full_document_diagnostic_report: FullDocumentDiagnosticReport {
                    result_id: Some(result_id),
                    items,
                },
            })
        };
        Ok(report.into())
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let place = params.text_document_position_params;
        let Some(checked) = self.server.checked(&place.text_document.uri).await else { return Ok(None) };
        Ok(hover::at(&checked, place.position, &self.server.profile()))
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        let Some(checked) = self.server.checked(&params.text_document.uri).await else { return Ok(None) };
        Ok(Some(hints::within(&checked, params.range, &self.server.profile())))
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let Some(checked) = self.server.checked(&params.text_document.uri).await else { return Ok(None) };
        Ok(Some(actions::offered(&self.server, &checked, &params).await))
    }

    async fn code_action_resolve(&self, action: CodeAction) -> Result<CodeAction> {
        let uri = actions::resolvable(&action).ok_or_else(|| Error::invalid_params("unknown action"))?;
        let Some(checked) = self.server.checked(&uri).await else { return Ok(action) };
        Ok(actions::resolved(&self.server, checked, action).await)
    }
}

/// What the server can do for this client. Nothing is promised that is not there.
fn capabilities(profile: &Profile) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(SaveOptions { include_text: Some(false) }.into()),
        ..TextDocumentSyncOptions::default()
    };
    let actions = CodeActionOptions {
        code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, CodeActionKind::REFACTOR_REWRITE, FIX_ALL]),
        resolve_provider: Some(profile.resolve_edit),
        work_done_progress_options: WorkDoneProgressOptions::default(),
    };
    let pull = DiagnosticOptions {
        identifier: Some(diagnostics::SOURCE.to_owned()),
        inter_file_dependencies: false,
        workspace_diagnostics: false,
        work_done_progress_options: WorkDoneProgressOptions::default(),
    };
    ServerCapabilities {
        position_encoding: Some(profile.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(actions)),
        diagnostic_provider: profile.pull.then_some(DiagnosticServerCapabilities::Options(pull)),
        ..ServerCapabilities::default()
    }
}
