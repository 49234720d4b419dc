//! What can be done about findings: fix one, fix all, ignore one.
//!
//! Everything is worked out from the present text and the asked range. What a client echoes of our
//! diagnostics is not needed: some echo little, some an old state.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tower_lsp::lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, Diagnostic, Url, WorkspaceEdit,
};
use vramlens_grammars::Span;

use crate::finding::{Finding, Fix, Severity};
use crate::fixes;
use crate::lsp::document::Checked;
use crate::lsp::profile::Profile;
use crate::lsp::server::Server;
use crate::lsp::{diagnostics, edits};
use crate::texts::text;

/// All safe fixes of a document. Editors run it on save when asked to.
pub const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.vramlens");

/// What is needed to work out the edit of a "fix all" when it is chosen.
#[derive(Deserialize, Serialize)]
struct Deferred {
    uri: Url,
}

/// The actions for a range: the fixes first, ignoring last.
pub async fn offered(
    server: &Server,
    checked: &Arc<Checked>,
    params: &CodeActionParams,
) -> Vec<CodeActionOrCommand> {
    let profile = server.profile();
    let only = params.context.only.as_deref();
    let mut actions = Vec::new();
    let mut ignores = Vec::new();
    if wanted(only, &CodeActionKind::QUICKFIX) {
        for finding in on_lines_of(params, checked, &profile) {
            let diagnostic = diagnostics::diagnostic(finding, checked, &profile);
            actions.extend(finding.fix.as_ref().map(|fix| quick_fix(fix, checked, &profile, &diagnostic)));
            ignores.extend(ignore(finding, checked, &profile, &diagnostic));
        }
    }
    if wanted(only, &CodeActionKind::REFACTOR_REWRITE) {
        let opportunities = opportunities_beside(params, checked, &profile);
        actions.extend(opportunities.map(|fix| rewrite(fix, checked, &profile)));
    }
    if wanted(only, &FIX_ALL) && checked.findings.iter().any(is_safely_fixable) {
        let defer = only.is_none() && profile.resolve_edit;
        actions.extend(if defer { Some(deferred(checked)) } else { fix_all(server, checked).await });
    }
    actions.extend(ignores);
    actions.into_iter().map(CodeActionOrCommand::CodeAction).collect()
}

/// The document of an action whose edit was left for later.
pub fn resolvable(action: &CodeAction) -> Option<Url> {
    let deferred: Deferred = serde_json::from_value(action.data.clone()?).ok()?;
    Some(deferred.uri)
}

/// The action with its edit.
pub async fn resolved(server: &Server, checked: Arc<Checked>, action: CodeAction) -> CodeAction {
    let edit = fix_all(server, &checked).await.and_then(|action| action.edit);
    CodeAction { edit, ..action }
}

/// Whether an action of this kind was asked for: its own kind, or one that contains it.
fn wanted(only: Option<&[CodeActionKind]>, kind: &CodeActionKind) -> bool {
    let contains = |asked: &CodeActionKind| {
        let rest = kind.as_str().strip_prefix(asked.as_str());
        asked.as_str().is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    only.is_none_or(|only| only.iter().any(contains))
}

/// The edits of opportunities that are told elsewhere and have something to do with the asked lines: the load of a
/// model that its trainer's options say more about.
fn opportunities_beside<'a>(
    params: &CodeActionParams,
    checked: &'a Checked,
    profile: &Profile,
) -> impl Iterator<Item = &'a Fix> {
    let asked = profile.encoding.span(&checked.text, params.range);
    let is_beside = move |finding: &&Finding| {
        let shares = |span: Span| share_a_line(checked, span, asked);
        let mut related = finding.related.iter();
        !shares(finding.location.span) && related.any(|related| shares(related.location.span))
    };
    let opportunities = checked.findings.iter().filter(|finding| finding.severity == Severity::Hint);
    opportunities.filter(is_beside).filter_map(|finding| finding.fix.as_ref())
}

/// Whether two ranges have a line in common.
fn share_a_line(checked: &Checked, one: Span, other: Span) -> bool {
    let line = |offset: u32| checked.text.byte_to_line((offset as usize).min(checked.text.len_bytes()));
    line(one.start) <= line(other.end) && line(other.start) <= line(one.end)
}

/// The findings on the lines of the asked range; those that the range touches come first.
fn on_lines_of<'a>(params: &CodeActionParams, checked: &'a Checked, profile: &Profile) -> Vec<&'a Finding> {
    let asked = profile.encoding.span(&checked.text, params.range);
    let mut findings: Vec<&Finding> = checked.findings.iter().collect();
    findings.retain(|finding| share_a_line(checked, finding.location.span, asked));
    findings.sort_by_key(|finding| {
        let span = finding.location.span;
        span.end < asked.start || asked.end < span.start
    });
    findings
}

fn is_safely_fixable(finding: &Finding) -> bool {
    finding.fix.as_ref().is_some_and(Fix::is_safe)
}

/// An opportunity that is no diagnostic of the asked lines.
fn rewrite(fix: &Fix, checked: &Checked, profile: &Profile) -> CodeAction {
    let edit = edits::of(&fix.edits, checked, profile);
    CodeAction { title: fix.message.clone(), ..action(CodeActionKind::REFACTOR_REWRITE, edit, None) }
}

fn quick_fix(fix: &Fix, checked: &Checked, profile: &Profile, diagnostic: &Diagnostic) -> CodeAction {
    let safe = fix.is_safe();
    let title = if safe { fix.message.clone() } else { text("lsp-fix-unsafe", &[("fix", &fix.message)]) };
    CodeAction {
        title,
        is_preferred: safe.then_some(true),
        ..action(CodeActionKind::QUICKFIX, edits::of(&fix.edits, checked, profile), Some(diagnostic))
    }
}

fn ignore(
    finding: &Finding,
    checked: &Checked,
    profile: &Profile,
    diagnostic: &Diagnostic,
) -> Option<CodeAction> {
    let edit = fixes::ignore(&checked.document, finding)?;
    let title = text("lsp-ignore", &[("code", finding.code)]);
    let edit = edits::of(&[edit], checked, profile);
    Some(CodeAction { title, ..action(CodeActionKind::QUICKFIX, edit, Some(diagnostic)) })
}

/// Runs on the thread for analyses: it is an analysis a round.
async fn fix_all(server: &Server, checked: &Arc<Checked>) -> Option<CodeAction> {
    let (sender, receiver) = oneshot::channel();
    let before = Arc::clone(checked);
    server.workers.analysis.add(move || {
        let fixed = fixes::fix_all(&before.document, &before.surroundings, &before.settings.analysis, false);
        // The request may have been cancelled.
        let _ = sender.send(fixed);
    });
    let fixed = receiver.await.ok()?;
    let edit = edits::replacing(checked, fixed.document.source.text(), &server.profile())?;
    Some(CodeAction { title: text("lsp-fix-all", &[]), ..action(FIX_ALL, edit, None) })
}

fn deferred(checked: &Checked) -> CodeAction {
    let data = serde_json::to_value(Deferred { uri: checked.uri.clone() }).ok();
    CodeAction { title: text("lsp-fix-all", &[]), kind: Some(FIX_ALL), data, ..CodeAction::default() }
}

fn action(kind: CodeActionKind, edit: WorkspaceEdit, diagnostic: Option<&Diagnostic>) -> CodeAction {
    CodeAction {
        kind: Some(kind),
        edit: Some(edit),
        diagnostics: diagnostic.map(|diagnostic| vec![diagnostic.clone()]),
        ..CodeAction::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_wanted_by_itself_and_by_what_contains_it() {
        let asked = |kind: &'static str| wanted(Some(&[CodeActionKind::new(kind)]), &FIX_ALL);
        assert!(asked("source.fixAll.vramlens") && asked("source.fixAll") && asked("source") && asked(""));
        assert!(!asked("source.fix") && !asked("source.fixAll.other") && !asked("quickfix"));
        assert!(wanted(None, &FIX_ALL) && !wanted(Some(&[]), &FIX_ALL));
    }
}
