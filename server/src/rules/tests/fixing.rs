//! Checks a fix: it writes exactly what is expected, keeps the syntax whole and leaves nothing to fix.

use vramlens_grammars::notebook::source_of;
use vramlens_grammars::{Document, Source};

use super::is_sound;
use crate::analysis::analyze;
use crate::finding::{Applicability, Finding};
use crate::fixes::{edited, fix_all};
use crate::settings::Settings;
use crate::surroundings::Surroundings;

/// The one fix in `before` is safe and gives `after`.
#[track_caller]
pub fn check_fix(before: &str, after: &str) {
    check_sources(file(before), &file(after), Applicability::Safe);
}

/// The one fix in `before` needs a second look and gives `after`.
#[track_caller]
pub fn check_unsafe_fix(before: &str, after: &str) {
    check_sources(file(before), &file(after), Applicability::Unsafe);
}

/// The one fix in the cells of a notebook is safe and gives `after`.
#[track_caller]
pub fn check_fix_in_cells(before: &[&str], after: &[&str]) {
    check_sources(cells(before), &cells(after), Applicability::Safe);
}

/// The one finding in `source` has no fix.
#[track_caller]
pub fn check_no_fix(source: &str) {
    let finding = only_finding(&Document::python(file(source)));
    assert_eq!(finding.fix, None, "nothing can be written here");
}

fn file(text: &str) -> Source {
    Source::file(text.strip_prefix('\n').unwrap_or(text).to_owned())
}

/// Cells of a notebook, with a cell of prose between each two of them.
fn cells(texts: &[&str]) -> Source {
    source_of((0..).step_by(2).zip(texts.iter().map(|text| text.trim_matches('\n'))))
}

#[track_caller]
fn check_sources(before: Source, after: &Source, applicability: Applicability) {
    let document = Document::python(before);
    let finding = only_finding(&document);
    let Some(fix) = &finding.fix else { panic!("there is no fix: {finding:?}") };
    let fixed = edited(&document.source, &fix.edits);
    assert!(fixed == *after, "expected:\n{}\nfixed:\n{}\nedits: {:?}", after.text(), fixed.text(), fix.edits);
    assert_eq!(fix.applicability, applicability);
    let fixed = Document::python(fixed);
    assert!(is_sound(&fixed), "the fix breaks the syntax");
    let left: Vec<Finding> = analyze(&fixed, &Surroundings::default(), &Settings::default()).findings;
    assert!(left.iter().all(|left| left.code != finding.code), "the fix removes its finding: {left:?}");
    let again = fix_all(&document, &Surroundings::default(), &Settings::default(), true).document;
    assert_eq!(again.source, *after, "a second round changes nothing");
}

#[track_caller]
fn only_finding(document: &Document) -> Finding {
    assert!(is_sound(document), "this does not parse:\n{}", document.source.text());
    let findings = analyze(document, &Surroundings::default(), &Settings::default()).findings;
    let [finding] = findings.as_slice() else { panic!("exactly one finding is expected: {findings:#?}") };
    finding.clone()
}
