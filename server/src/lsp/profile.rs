//! What a client can do, read once from its `initialize` request.
//!
//! Read leniently, by path: a field of an unexpected shape counts as absent, so that an unusual client
//! is served with less and not turned away.

use std::path::PathBuf;

use serde_json::Value;
use tower_lsp::lsp_types::Url;

use crate::lsp::position::Encoding;
use crate::report::Markup;

/// Where a client offers position encodings.
pub const ENCODINGS: &str = "/capabilities/general/positionEncodings";

/// Where clients offered them before the protocol had a place for it.
pub const OLD_ENCODINGS: &str = "/capabilities/offsetEncoding";

/// What a client can do, and who it is.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is one thing that a client can or cannot do")]
pub struct Profile {
    /// What positions count.
    pub encoding: Encoding,
    /// Whether diagnostics are pulled by the client; else they are pushed. Never both.
    pub pull: bool,
    /// Whether edits may name the version they were made for.
    pub document_changes: bool,
    /// Whether a diagnostic may point to other places.
    pub related_information: bool,
    /// Whether a diagnostic may link to its rule's page.
    pub code_description: bool,
    /// Whether an action may be sent without its edit, which is asked for when it is chosen.
    pub resolve_edit: bool,
    /// What a hover is written in.
    pub markup: Markup,
    /// Whether the client can be asked to ask for inlay hints again.
    pub refresh_hints: bool,
    /// Whether settings can be asked for.
    pub configuration: bool,
    /// Whether we may ask to be told of changed settings.
    pub register_configuration: bool,
    /// Whether we may ask to be told of changed files.
    pub register_files: bool,
    /// The client's process.
    pub process: Option<u32>,
    /// The folder that relative settings of the editor count from.
    pub root: PathBuf,
}

impl Profile {
    /// Reads the parameters of an `initialize` request.
    pub fn new(params: &Value) -> Self {
        let value = |path: &str| params.pointer(path);
        let yes = |path: &str| value(path).and_then(Value::as_bool).unwrap_or(false);
        let offered = value(ENCODINGS).or_else(|| value(OLD_ENCODINGS)).and_then(Value::as_array);
        let resolved = value("/capabilities/textDocument/codeAction/resolveSupport/properties");
        Self {
            encoding: Encoding::negotiate(offered.into_iter().flatten().filter_map(Value::as_str)),
            pull: value("/capabilities/textDocument/diagnostic").is_some_and(Value::is_object)
                && (yes("/capabilities/workspace/diagnostics/refreshSupport")
                    || yes("/capabilities/workspace/diagnostic/refreshSupport")),
            document_changes: yes("/capabilities/workspace/workspaceEdit/documentChanges"),
            related_information: yes("/capabilities/textDocument/publishDiagnostics/relatedInformation")
                || yes("/capabilities/textDocument/diagnostic/relatedInformation"),
            code_description: value("/capabilities/textDocument/publishDiagnostics/codeDescriptionSupport")
                .and_then(Value::as_bool)
                .unwrap_or(true),
            resolve_edit: yes("/capabilities/textDocument/codeAction/dataSupport")
                && resolved.and_then(Value::as_array).is_some_and(|names| names.iter().any(|n| n == "edit")),
            markup: markup(value("/capabilities/textDocument/hover/contentFormat")),
            refresh_hints: yes("/capabilities/workspace/inlayHint/refreshSupport"),
            configuration: yes("/capabilities/workspace/configuration"),
            register_configuration: yes("/capabilities/workspace/didChangeConfiguration/dynamicRegistration"),
            register_files: yes("/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration"),
            process: value("/processId").and_then(Value::as_u64).and_then(|id| u32::try_from(id).ok()),
            root: root(params).unwrap_or_default(),
        }
    }
}

/// The first form that the client names and we know; without a word about it, the plain one.
fn markup(formats: Option<&Value>) -> Markup {
    let mut formats = formats.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let known = |format| match format {
        "markdown" => Some(Markup::Markdown),
        "plaintext" => Some(Markup::Plain),
        _ => None,
    };
    formats.find_map(known).unwrap_or_default()
}

/// The first workspace folder, or what older clients say instead.
fn root(params: &Value) -> Option<PathBuf> {
    let uri = params.pointer("/workspaceFolders/0/uri").or_else(|| params.get("rootUri"));
    let folder = uri.and_then(Value::as_str).and_then(|uri| Url::parse(uri).ok()?.to_file_path().ok());
    folder.or_else(|| params.get("rootPath").and_then(Value::as_str).map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_client_that_says_nothing_gets_the_plain_forms() {
        for params in [json!({}), json!(null), json!({"rootUri": null, "capabilities": {"general": 3}})] {
            let profile = Profile::new(&params);
            assert_eq!(profile.encoding, Encoding::Utf16);
            assert!(!profile.pull && !profile.document_changes && !profile.resolve_edit);
        }
    }

    #[test]
    fn pulling_needs_refresh_too() {
        let pull = json!({"capabilities": {"textDocument": {"diagnostic": {}}}});
        assert!(!Profile::new(&pull).pull);
        let both = json!({"capabilities": {
            "textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": true}}}});
        assert!(Profile::new(&both).pull);
    }

    #[test]
    fn the_first_form_of_a_hover_that_is_known_counts() {
        let markup = |formats: serde_json::Value| {
            let hover = json!({"hover": {"contentFormat": formats}});
            Profile::new(&json!({"capabilities": {"textDocument": hover}})).markup
        };
        assert_eq!(markup(json!(["markdown", "plaintext"])), Markup::Markdown);
        assert_eq!(markup(json!(["plaintext", "markdown"])), Markup::Plain);
        assert_eq!(markup(json!(["asciidoc", "markdown"])), Markup::Markdown);
        assert_eq!([markup(json!([])), markup(json!("markdown")), markup(json!(null))], [Markup::Plain; 3]);
    }

    #[test]
    fn older_neovim_names_encodings_in_its_own_place() {
        let params = json!({"capabilities": {"offsetEncoding": ["utf-8", "utf-16"]}});
        assert_eq!(Profile::new(&params).encoding, Encoding::Utf8);
    }
}
