//! The line at the end: how many there are, and how many can be fixed.

use crate::cli::examine::Examined;
use crate::finding::{Applicability, Finding, Severity};
use crate::texts::{counted, text};

/// How many findings, files and fixes a run had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    errors: usize,
    warnings: usize,
    notes: usize,
    files_with_findings: usize,
    files_analysed: usize,
    files_fixed: usize,
    fixed: usize,
    fixable: usize,
    fixable_unsafely: usize,
}

impl Counts {
    /// Counts over all files. When unsafe fixes are allowed they count like safe ones.
    pub fn of(examined: &[Examined], unsafe_fixes: bool) -> Self {
        let number = |counts: fn(&Finding) -> bool| {
            examined.iter().flat_map(|file| &file.findings).filter(|finding| counts(finding)).count()
        };
        let files = |counts: fn(&Examined) -> bool| examined.iter().filter(|file| counts(file)).count();
        let safe = number(|finding| has_fix(finding, Applicability::Safe));
        let not_safe = number(|finding| has_fix(finding, Applicability::Unsafe));
        Self {
            errors: number(|finding| finding.severity == Severity::Error),
            warnings: number(|finding| finding.severity == Severity::Warning),
            notes: number(|finding| finding.severity < Severity::Warning),
            files_with_findings: files(|file| !file.findings.is_empty()),
            files_analysed: files(|file| file.analysed),
            files_fixed: files(|file| !file.fixed.is_empty()),
            fixed: examined.iter().map(|file| file.fixed.len()).sum(),
            fixable: if unsafe_fixes { safe + not_safe } else { safe },
            fixable_unsafely: if unsafe_fixes { 0 } else { not_safe },
        }
    }

    /// The line after the findings; nothing when no file could be looked at.
    pub fn summary(&self) -> String {
        if self.files_analysed + self.files_with_findings == 0 {
            return String::new();
        }
        let mut parts = Vec::new();
        if self.fixed > 0 {
            parts.push(self.fixed("count-fixed"));
        }
        parts.push(self.found());
        if self.fixable > 0 {
            parts.push(counted("count-fixable", self.fixable, &[]));
        }
        match (self.fixable, self.fixable_unsafely) {
            (_, 0) => {}
            (0, count) => parts.push(counted("count-fixable-unsafely", count, &[])),
            (_, count) => parts.push(counted("count-more-fixable-unsafely", count, &[])),
        }
        format!("{}\n", parts.join("; "))
    }

    /// The line after a diff.
    pub fn would_fix(&self) -> String {
        format!("{}\n", self.fixed("count-would-fix"))
    }

    fn fixed(&self, key: &str) -> String {
        let files = counted("count-files", self.files_fixed, &[]);
        counted(key, self.fixed, &[("files", &files)])
    }

    fn found(&self) -> String {
        let kinds =
            [("count-errors", self.errors), ("count-warnings", self.warnings), ("count-notes", self.notes)];
        let found: Vec<String> = kinds
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(key, count)| counted(key, *count, &[]))
            .collect();
        if found.is_empty() {
            return text("count-nothing", &[("files", &counted("count-files", self.files_analysed, &[]))]);
        }
        let files = counted("count-files", self.files_with_findings, &[]);
        text("count-found", &[("findings", &found.join(", ")), ("files", &files)])
    }
}

fn has_fix(finding: &Finding, applicability: Applicability) -> bool {
    finding.fix.as_ref().is_some_and(|fix| fix.applicability == applicability)
}
