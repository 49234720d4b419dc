//! The one pure function: from a document and the settings to findings.
//!
//! Same input, same output: no clock, no file, no global state. The editor, the terminal, the tests
//! and the benchmark all call [`analyze`].

use vramlens_grammars::{Document, Span};

use crate::finding::{Applicability, Confidence, Edit, Finding, Fix, Growth, Related, Severity};
use crate::settings::Settings;

/// What one run over a document yields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// What was found, sorted by place, then code. Suppressed and unwanted findings are gone.
    pub findings: Vec<Finding>,
    /// Rules that failed on this document: their codes and what they said. A defect of ours.
    pub failures: Vec<RuleFailure>,
}

/// A rule that panicked. The findings of the other rules stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFailure {
    /// The rule's code.
    pub code: &'static str,
    /// What the panic said.
    pub message: String,
}

/// Analyses one document.
pub fn analyze(document: &Document, settings: &Settings) -> Analysis {
    // A stand-in until the interpreter lands: `total_loss += loss` anywhere is OOM101.
    let mut findings = Vec::new();
    let text = document.source.text();
    #[cfg(feature = "fault-injection")]
    crate::faults::before_rules(text);
    let matches = text.match_indices("total_loss += loss");
    for (start, found) in matches.filter(|(at, found)| !text[at + found.len()..].starts_with('.')) {
        let start = u32::try_from(start).unwrap_or(0);
        let span = Span::new(start, start + u32::try_from(found.len()).unwrap_or(0));
        let location = document.source.locate(span);
        let end = document.source.locate(Span::at(span.end));
        findings.push(Finding {
            code: "OOM101",
            name: "loss-accumulated-with-graph",
            severity: Severity::Warning,
            confidence: Confidence::High,
            growth: Growth::NodesOnly,
            message: "`total_loss` keeps the autograd graph of every step alive".to_owned(),
            location,
            related: vec![Related {
                location: document.source.locate(Span::new(0, 1)),
                message: "a related place".to_owned(),
            }],
            fix: Some(Fix {
                applicability: Applicability::Safe,
                message: "Add `.item()`".to_owned(),
                edits: vec![Edit { location: end, content: ".item()".to_owned() }],
            }),
            saves_bytes: None,
        });
    }
    findings.retain(|finding| settings.wants(finding.code));
    #[cfg(feature = "fault-injection")]
    let failures = std::panic::catch_unwind(|| crate::faults::rule(text))
        .map_err(|_| RuleFailure { code: "FAULT", message: String::new() })
        .err()
        .into_iter()
        .collect();
    #[cfg(not(feature = "fault-injection"))]
    let failures = Vec::new();
    Analysis { findings, failures }
}
