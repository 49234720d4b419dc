//! Findings held against labels.

use std::fmt;

use vramlens::finding::{Growth, Severity};
use vramlens_grammars::Document;

use crate::folder::{Expectation, Folder, Input, Place, Report};
use crate::kinds::Kinds;

/// How far a finding may stand from the line a label names.
const LINES: usize = 2;

/// One thing that is not as it should be.
pub struct Miss {
    /// The folder.
    pub folder: String,
    /// Where in it.
    pub place: Place,
    /// What is wrong.
    pub what: String,
}

impl Miss {
    /// A miss in a folder.
    pub fn new(folder: &Folder, place: &Place, what: impl Into<String>) -> Self {
        Self { folder: folder.name.clone(), place: place.clone(), what: what.into() }
    }
}

impl fmt::Display for Miss {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cell = self.place.cell.map_or(String::new(), |cell| format!(" cell {cell}"));
        let place = format!("{}/{}{cell}:{}", self.folder, self.place.file, self.place.line);
        write!(out, "{place:<72} {}", self.what)
    }
}

/// What a folder's findings and its labels do not agree on.
pub fn judge(folder: &Folder, kinds: &Kinds) -> Vec<Miss> {
    let reports: Vec<Report> = folder.inputs.iter().flat_map(Input::reports).collect();
    let mut misses = unanswered_labels(folder, &reports, kinds);
    misses.extend(false_reports(folder, &reports, kinds));
    misses.extend(unwanted_hints(folder, &reports));
    misses
}

/// Reports below warning level of codes that the folder says must stay silent.
fn unwanted_hints(folder: &Folder, reports: &[Report]) -> Vec<Miss> {
    let silent = |report: &&Report| folder.labels.silent.iter().any(|code| code == report.code);
    let quiet = reports.iter().filter(|report| report.severity < Severity::Warning).filter(silent);
    quiet
        .map(|report| Miss::new(folder, &report.place, format!("should be silent: {}", describe(report))))
        .collect()
}

/// Labels that no report answers, or not as they say.
fn unanswered_labels(folder: &Folder, reports: &[Report], kinds: &Kinds) -> Vec<Miss> {
    let expect = &folder.labels.expect;
    let pairs = pair(expect, reports, kinds);
    let mut misses = Vec::new();
    for (index, expected) in expect.iter().enumerate() {
        let pair = pairs.iter().find(|pair| pair.expected == index);
        match pair.and_then(|pair| reports.get(pair.report)) {
            Some(report) => {
                let differences = differences(expected, report).into_iter();
                misses.extend(differences.map(|what| Miss::new(folder, &expected.place, what)));
            }
            None if is_owed(index, expect, &pairs, kinds) => {
                let Expectation { kind, severity, growth, .. } = expected;
                let what = format!("not reported: {kind} ({severity}, {growth})");
                misses.push(Miss::new(folder, &expected.place, what));
            }
            None => {}
        }
    }
    misses
}

/// Reports at warning level or above on clean lines, or where no label stands.
fn false_reports(folder: &Folder, reports: &[Report], kinds: &Kinds) -> Vec<Miss> {
    let mut misses = Vec::new();
    for report in reports.iter().filter(|report| report.severity >= Severity::Warning) {
        let why = if folder.labels.clean_lines.contains(&report.place) {
            "a clean line reported"
        } else if folder.labels.expect.iter().any(|expected| excuses(expected, report, kinds)) {
            continue;
        } else {
            "reported, and nothing is wrong"
        };
        misses.push(Miss::new(folder, &report.place, format!("{why}: {}", describe(report))));
    }
    misses
}

/// What is reported on an input and not on another version of it with the same lines, and the other way
/// round.
pub fn changes(input: &Input, other: &Document) -> Vec<Miss> {
    let (before, after) = (input.reports(), input.reports_of(other));
    let lost = before.iter().filter(|report| !after.contains(report)).map(|report| ("lost", report));
    let gained = after.iter().filter(|report| !before.contains(report)).map(|report| ("gained", report));
    let miss = |(what, report): (&str, &Report)| Miss {
        folder: input.folder.clone(),
        place: report.place.clone(),
        what: format!("{what}: {}", describe(report)),
    };
    lost.chain(gained).map(miss).collect()
}

/// Labels that name a file, line, kind, severity or growth that does not exist.
pub fn badly_labelled(folder: &Folder, kinds: &Kinds) -> Vec<Miss> {
    let miss = |place: &Place, what: &str| Miss::new(folder, place, what);
    let expect = &folder.labels.expect;
    let figures = folder.labels.estimate.iter().map(|figure| &figure.place);
    let places =
        expect.iter().map(|expected| &expected.place).chain(&folder.labels.clean_lines).chain(figures);
    let nowhere =
        places.filter(|place| !has_code(folder, place)).map(|place| miss(place, "no code on this line"));
    let unknown = expect.iter().filter(|expected| {
        !kinds.knows(&expected.kind)
            || severity(&expected.severity).is_none()
            || !GROWTHS.iter().any(|(_, name)| *name == expected.growth)
    });
    nowhere.chain(unknown.map(|expected| miss(&expected.place, "unknown kind, severity or growth"))).collect()
}

fn has_code(folder: &Folder, place: &Place) -> bool {
    let Some(input) = folder.inputs.iter().find(|input| input.file == place.file) else { return false };
    let text = input.document.source.piece_text(place.cell).unwrap_or("");
    let line = text.lines().nth(place.line.saturating_sub(1)).unwrap_or("").trim_start();
    !line.is_empty() && !line.starts_with('#')
}

/// A label and the report that answers it.
struct Pair {
    expected: usize,
    report: usize,
}

/// Gives each label at most one report and each report at most one label, the nearest first.
fn pair(expect: &[Expectation], reports: &[Report], kinds: &Kinds) -> Vec<Pair> {
    let mut candidates = Vec::new();
    for (expected_index, expected) in expect.iter().enumerate() {
        for (report_index, report) in reports.iter().enumerate() {
            if let Some(distance) = distance(&expected.place, &report.place)
                && kinds.allows(&expected.kind, report.code)
            {
                candidates.push((distance, expected_index, report_index));
            }
        }
    }
    candidates.sort_unstable();
    let mut pairs: Vec<Pair> = Vec::new();
    for (_, expected, report) in candidates {
        if pairs.iter().all(|pair| pair.expected != expected && pair.report != report) {
            pairs.push(Pair { expected, report });
        }
    }
    pairs
}

/// Whether a label without a report is a miss.
fn is_owed(index: usize, expect: &[Expectation], pairs: &[Pair], kinds: &Kinds) -> bool {
    let Some(expected) = expect.get(index) else { return false };
    let answered = pairs.iter().filter_map(|pair| expect.get(pair.expected)?.group.as_ref());
    let group_answered =
        expected.group.is_some() && answered.into_iter().any(|group| expected.group.as_ref() == Some(group));
    !expected.optional && !group_answered && kinds.judges(expected)
}

/// Whether a report stands where a label expects one like it, or one that no rule can give yet.
fn excuses(expected: &Expectation, report: &Report, kinds: &Kinds) -> bool {
    distance(&expected.place, &report.place).is_some()
        && (kinds.allows(&expected.kind, report.code) || !kinds.judges(expected))
}

/// How many lines apart two places are, if one can stand for the other.
pub fn distance(left: &Place, right: &Place) -> Option<usize> {
    let distance = left.line.abs_diff(right.line);
    (left.file == right.file && left.cell == right.cell && distance <= LINES).then_some(distance)
}

fn differences(expected: &Expectation, report: &Report) -> Vec<String> {
    let mut differences = Vec::new();
    if growth(report.growth) != expected.growth {
        differences.push(format!("growth should be {}: {}", expected.growth, describe(report)));
    }
    let levels = severity(&expected.severity).map_or(0, |level| level.abs_diff(report.severity as u8));
    if levels > 1 {
        differences.push(format!("severity should be {}: {}", expected.severity, describe(report)));
    }
    differences
}

fn describe(report: &Report) -> String {
    format!("{} {:?} {}", report.code, report.severity, growth(report.growth)).to_lowercase()
}

fn severity(name: &str) -> Option<u8> {
    let names = ["hint", "information", "warning", "error"];
    names.iter().zip(0..).find(|(known, _)| **known == name).map(|(_, level)| level)
}

const GROWTHS: [(Growth, &str); 6] = [
    (Growth::FullGraph, "full-graph"),
    (Growth::Tensors, "tensors"),
    (Growth::NodesOnly, "nodes-only"),
    (Growth::Peak, "peak"),
    (Growth::Static, "static"),
    (Growth::None, "none"),
];

fn growth(growth: Growth) -> &'static str {
    GROWTHS.iter().find(|(known, _)| *known == growth).map_or("", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: &str = r#"
        expect = [
            { file = "a.py", line = 10, kind = "accumulating-loss", severity = "error", growth = "full-graph", group = "1" },
            { file = "a.py", line = 14, kind = "accumulating-loss", severity = "error", growth = "full-graph", group = "1" },
            { file = "a.py", line = 30, kind = "accumulating-loss", severity = "warning", growth = "nodes-only" },
        ]
        clean_lines = [{ file = "a.py", line = 40 }]
    "#;

    fn misses(reports: &[Report]) -> Vec<String> {
        let labels = toml::from_str(LABELS).unwrap_or_else(|error| panic!("{error}"));
        let folder = Folder { name: "case".to_owned(), inputs: Vec::new(), labels };
        let kinds = Kinds::read();
        let mut misses = unanswered_labels(&folder, reports, &kinds);
        misses.extend(false_reports(&folder, reports, &kinds));
        misses.iter().map(|miss| format!("{} {}", miss.place.line, miss.what)).collect()
    }

    fn report(line: usize, severity: Severity, growth: Growth) -> Report {
        let place = Place { file: "a.py".to_owned(), cell: None, line };
        Report { place, code: "OOM101", severity, growth }
    }

    #[test]
    fn a_near_report_answers_its_label_and_its_group() {
        let first = report(12, Severity::Warning, Growth::FullGraph);
        assert_eq!(misses(&[first, report(30, Severity::Information, Growth::NodesOnly)]), [""; 0]);
    }

    #[test]
    fn what_is_missing_wrong_or_too_much_is_named() {
        let wrong = report(10, Severity::Hint, Growth::Peak);
        let trap = report(40, Severity::Warning, Growth::NodesOnly);
        let extra = report(50, Severity::Error, Growth::FullGraph);
        let quiet = report(60, Severity::Information, Growth::FullGraph);
        assert_eq!(
            misses(&[wrong, trap, extra, quiet]),
            [
                "10 growth should be full-graph: oom101 hint peak",
                "10 severity should be error: oom101 hint peak",
                "30 not reported: accumulating-loss (warning, nodes-only)",
                "40 a clean line reported: oom101 warning nodes-only",
                "50 reported, and nothing is wrong: oom101 error full-graph",
            ]
        );
    }

    #[test]
    fn one_report_does_not_answer_two_labels() {
        let near_both = report(29, Severity::Warning, Growth::NodesOnly);
        assert_eq!(misses(&[near_both]).len(), 2);
    }
}
