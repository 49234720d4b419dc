//! What each rule finds, what it stays silent about and what its fix writes.
//!
//! A test is a script with every finding written under the code it is about; a script without any has none.

mod allocator;
mod fixing;
mod frameworks;
mod offload;
mod oom101;
mod oom102;
mod oom103;
mod oom104;
mod oom105;
mod oom106;
mod oom107;
mod oom108;
mod oom110;
mod oom113;
mod oom116;
mod oom117;
mod oom118;
mod oom119;
mod oom120;
mod oom122;
mod oom123;
mod oom124;
mod oom125;
mod oom126;
mod oom127;
mod oom129;
mod oom130;
mod oom131;
mod oom201;
mod oom202;
mod oom203;
mod oom204;
mod oom205;
mod oom206;
mod oom208;
mod oom209;
mod oom212;
mod oom213;
mod oom214;
mod oom301;
mod oom302;
mod oom303;
mod oom311;
mod oom401;
mod oom402;
mod oom403;
mod oom404;
mod oom405;
mod oom411;
mod oom412;
mod oom601;
mod oom702;
mod oom907;
mod oom931;
mod oom932;
mod oom935;
mod oom954;
mod oom955;
mod oom958;
mod oom95x;
mod pages;
mod spellings;

use vramlens_grammars::{Document, Source, Span};

use crate::analysis::analyze;
use crate::annotations::{self, Annotated};
use crate::finding::{Finding, Growth, Severity};
use crate::settings::Settings;
use crate::surroundings::Surroundings;
use crate::versions::Known;

/// Compares all findings in a script with all annotations in it.
#[track_caller]
fn check(annotated: &str) {
    check_with(&[], annotated);
}

/// The same, with these versions of libraries.
#[track_caller]
fn check_with(versions: &[(&str, &str)], annotated: &str) {
    let Annotated { source, notes } = annotations::read(annotated);
    let found: Vec<(Span, String)> = findings_with(versions, &source)
        .iter()
        .map(|finding| (annotations::on_first_line(&source, finding.location.span), described(finding)))
        .collect();
    assert!(
        found == notes,
        "expected:\n{}\nfound:\n{}",
        annotations::write(&source, &notes),
        annotations::write(&source, &found)
    );
}

/// All findings in one file, which must be sound.
#[track_caller]
fn findings(source: &str) -> Vec<Finding> {
    findings_with(&[], source)
}

#[track_caller]
fn findings_with(versions: &[(&str, &str)], source: &str) -> Vec<Finding> {
    findings_around(Source::file(source.to_owned()), &surroundings(versions))
}

/// All findings in a module, which must be sound.
#[track_caller]
fn findings_in(source: Source) -> Vec<Finding> {
    findings_around(source, &Surroundings::default())
}

#[track_caller]
fn findings_around(source: Source, surroundings: &Surroundings) -> Vec<Finding> {
    let document = Document::python(source);
    assert!(is_sound(&document), "this does not parse:\n{}", document.source.text());
    let analysis = analyze(&document, surroundings, &Settings::default());
    assert_eq!(analysis.failures, [], "a rule failed on:\n{}", document.source.text());
    analysis.findings
}

/// Surroundings in which exactly these versions of libraries are installed.
fn surroundings(versions: &[(&str, &str)]) -> Surroundings {
    let mut surroundings = Surroundings::default();
    for (library, version) in versions {
        let lowest: Vec<u32> = version.split('.').filter_map(|number| number.parse().ok()).collect();
        let below = lowest.iter().copied().chain([0, 1]).collect();
        let exact = Some((*version).to_owned());
        let known = Known { lowest, below: Some(below), exact, source: ".venv".to_owned() };
        surroundings.versions.insert(library, known);
    }
    surroundings
}

fn is_sound(document: &Document) -> bool {
    document.syntax.as_ref().is_ok_and(|tree| !tree.root_node().has_error())
}

/// A finding as an annotation says it: code, severity, growth.
fn described(finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Hint => "hint",
        Severity::Information => "information",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let growth = match finding.growth {
        Growth::FullGraph => "full-graph",
        Growth::Tensors => "tensors",
        Growth::NodesOnly => "nodes-only",
        Growth::Peak => "peak",
        Growth::Static => "static",
        Growth::None => "none",
    };
    format!("{} {severity} {growth}", finding.code)
}
