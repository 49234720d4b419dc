//! Edits in the form that the client takes.

use std::collections::HashMap;

use tower_lsp::lsp_types::{
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextEdit,
    WorkspaceEdit,
};

use crate::finding::Edit;
use crate::lsp::difference::difference;
use crate::lsp::document::Checked;
use crate::lsp::profile::Profile;

/// A document's edits.
pub fn of(edits: &[Edit], checked: &Checked, profile: &Profile) -> WorkspaceEdit {
    let edits = edits.iter().map(|edit| {
        let range = profile.encoding.range(&checked.text, edit.location.span);
        TextEdit { range, new_text: edit.content.clone() }
    });
    workspace_edit(edits.collect(), checked, profile)
}

/// The smallest single edit that makes a document read `wanted`; `None` when it does already.
pub fn replacing(checked: &Checked, wanted: &str, profile: &Profile) -> Option<WorkspaceEdit> {
    let (span, content) = difference(checked.document.source.text(), wanted)?;
    let range = profile.encoding.range(&checked.text, span);
    Some(workspace_edit(vec![TextEdit { range, new_text: content.to_owned() }], checked, profile))
}

fn workspace_edit(edits: Vec<TextEdit>, checked: &Checked, profile: &Profile) -> WorkspaceEdit {
    let uri = checked.uri.clone();
    if profile.document_changes {
        let text_document = OptionalVersionedTextDocumentIdentifier { uri, version: Some(checked.version) };
        let edits = edits.into_iter().map(OneOf::Left).collect();
        let changes = DocumentChanges::Edits(vec![TextDocumentEdit { text_document, edits }]);
        WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() }
    } else {
        WorkspaceEdit::new(HashMap::from([(uri, edits)]))
    }
}
