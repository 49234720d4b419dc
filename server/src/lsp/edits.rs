//! Edits in the form that the client takes.

use std::collections::HashMap;

use tower_lsp::lsp_types::{
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextEdit,
    WorkspaceEdit,
};
use vramlens_grammars::Span;

use crate::finding::Edit;
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

/// What has to be replaced in `before`, and by what, to make it `after`. Cuts lie between characters,
/// and never between the two halves of a line break.
fn difference<'a>(before: &str, after: &'a str) -> Option<(Span, &'a str)> {
    if before == after {
        return None;
    }
    let mut start = common(before.chars(), after.chars());
    if splits_break(before, start) || splits_break(after, start) {
        start -= 1;
    }
    let (left, right) = (before.get(start..)?, after.get(start..)?);
    let mut tail = common(left.chars().rev(), right.chars().rev());
    if splits_break(left, left.len() - tail) || splits_break(right, right.len() - tail) {
        tail -= 1;
    }
    let span = Span::new(u32::try_from(start).ok()?, u32::try_from(before.len() - tail).ok()?);
    Some((span, right.get(..right.len() - tail)?))
}

/// How many bytes two texts have in common before they differ.
fn common(left: impl Iterator<Item = char>, right: impl Iterator<Item = char>) -> usize {
    let same = left.zip(right).take_while(|(left, right)| left == right);
    same.map(|(character, _)| character.len_utf8()).sum()
}

/// Whether a cut at `offset` parts a carriage return from its line feed.
fn splits_break(text: &str, offset: usize) -> bool {
    text.get(..offset).is_some_and(|head| head.ends_with('\r'))
        && text.get(offset..).is_some_and(|tail| tail.starts_with('\n'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_difference_is_small() {
        assert_eq!(difference("abc", "abc"), None);
        assert_eq!(difference("a += b\n", "a += b.item()\n"), Some((Span::at(6), ".item()")));
        assert_eq!(difference("a\r\nb", "a\nb"), Some((Span::new(1, 3), "\n")));
        assert_eq!(difference("aé😀b", "aé😁b"), Some((Span::new(3, 7), "😁")));
        assert_eq!(difference("aa", "aaa"), Some((Span::at(2), "a")));
    }

    proptest! {
        #[test]
        fn the_difference_makes_one_text_the_other(before in "[ab\r\né😀]{0,12}", after in "[ab\r\né😀]{0,12}") {
            let made = match difference(&before, &after) {
                None => before.clone(),
                Some((span, content)) => {
                    let (head, tail) = (before.get(..span.start as usize), before.get(span.end as usize..));
                    format!("{}{content}{}", head.unwrap_or("!"), tail.unwrap_or("!"))
                }
            };
            prop_assert_eq!(made, after);
        }
    }
}
