//! Findings as the protocol's diagnostics.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::json;
use tower_lsp::lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString,
    Url,
};

use crate::finding::{Finding, Severity};
use crate::lsp::document::Checked;
use crate::lsp::profile::Profile;
use crate::rules;
use crate::texts::text;

/// The name that editors show beside our diagnostics.
pub const SOURCE: &str = "vramlens";

/// A document's diagnostics.
pub fn of(checked: &Checked, profile: &Profile) -> Vec<Diagnostic> {
    checked.findings.iter().map(|finding| diagnostic(finding, checked, profile)).collect()
}

/// One finding's diagnostic.
pub fn diagnostic(finding: &Finding, checked: &Checked, profile: &Profile) -> Diagnostic {
    let mut message = finding.message.clone();
    let related = if profile.related_information {
        related_information(finding, checked, profile)
    } else {
        message.push_str(&related_lines(finding, checked, profile));
        None
    };
    Diagnostic {
        range: profile.encoding.range(&checked.text, finding.location.span),
        severity: Some(severity(finding.severity)),
        code: Some(NumberOrString::String(finding.code.to_owned())),
        code_description: code_description(finding, profile),
        source: Some(SOURCE.to_owned()),
        message,
        related_information: related,
        tags: None,
        data: Some(json!({ "code": finding.code, "version": checked.version })),
    }
}

/// A name for a set of diagnostics: the same set has the same name. The version in `data` is left out,
/// since a client may well keep a set across versions.
pub fn result_id(diagnostics: &[Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    for diagnostic in diagnostics {
        let bare = Diagnostic { data: None, ..diagnostic.clone() };
        serde_json::to_string(&bare).unwrap_or_default().hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Hint => DiagnosticSeverity::HINT,
        Severity::Information => DiagnosticSeverity::INFORMATION,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Error => DiagnosticSeverity::ERROR,
    }
}

fn code_description(finding: &Finding, profile: &Profile) -> Option<CodeDescription> {
    let href = Url::parse(&rules::url(finding.code)).ok().filter(|_| profile.code_description)?;
    Some(CodeDescription { href })
}

fn related_information(
    finding: &Finding,
    checked: &Checked,
    profile: &Profile,
) -> Option<Vec<DiagnosticRelatedInformation>> {
    let related = finding.related.iter().map(|related| {
        let range = profile.encoding.range(&checked.text, related.location.span);
        let location = Location { uri: checked.uri.clone(), range };
        DiagnosticRelatedInformation { location, message: related.message.clone() }
    });
    Some(related.collect()).filter(|related: &Vec<_>| !related.is_empty())
}

/// The other places as lines of the message, for clients that cannot link to them.
fn related_lines(finding: &Finding, checked: &Checked, profile: &Profile) -> String {
    let related = finding.related.iter().map(|related| {
        let range = profile.encoding.range(&checked.text, related.location.span);
        let line = (range.start.line + 1).to_string();
        format!("\n{}", text("lsp-related-line", &[("line", &line), ("message", &related.message)]))
    });
    related.collect()
}
