//! Findings with the lines of code they stand in.

use std::borrow::Cow;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Message, Renderer, Snippet};
use vramlens_grammars::{Location, Span};

use crate::cli::examine::Examined;
use crate::cli::place::{Places, name_with_cell};
use crate::finding::{Applicability, Confidence, Finding, Fix, Growth, Severity};
use crate::rules;
use crate::texts::{harmless, text};

/// Every finding with its lines, what happens to memory, and what to do.
pub fn full(examined: &[Examined]) -> String {
    let renderer = Renderer::styled();
    let mut reports = String::new();
    for file in examined {
        let document = Document { filename: &file.filename, places: Places::new(&file.source) };
        for finding in &file.findings {
            reports.push_str(&renderer.render(&[document.report(finding)]));
            reports.push_str("\n\n");
        }
    }
    reports
}

/// A document whose findings are shown.
struct Document<'a> {
    filename: &'a str,
    places: Places<'a>,
}

impl<'a> Document<'a> {
    fn report(&self, finding: &'a Finding) -> Group<'a> {
        let title = level(finding.severity)
            .primary_title(finding.message.as_str())
            .id(finding.code)
            .id_url(rules::url(finding.code));
        title
            .elements(self.snippets(finding))
            .elements(finding.fix.as_ref().map(fix))
            .elements(growth(finding).map(|sentence| note(&sentence)))
            .element(note(&text("full-explain", &[("code", finding.code)])))
    }

    /// The finding's lines, with related places in the same piece marked in them; related places
    /// elsewhere follow with their own lines.
    fn snippets(&self, finding: &'a Finding) -> Vec<Snippet<'a, Annotation<'a>>> {
        let here = finding.location;
        let mut marks = vec![Mark { location: here, kind: AnnotationKind::Primary, label: None }];
        marks.extend(finding.related.iter().map(|related| Mark {
            location: related.location,
            kind: AnnotationKind::Context,
            label: Some(&related.message),
        }));
        let (near, mut far): (Vec<Mark<'_>>, Vec<Mark<'_>>) =
            marks.into_iter().partition(|mark| mark.location.cell == here.cell);
        far.sort_by_key(|mark| mark.location);
        let others = far.chunk_by(|left, right| left.location.cell == right.location.cell);
        std::iter::once(near.as_slice()).chain(others).map(|marks| self.snippet(marks)).collect()
    }

    /// The lines of one piece that hold all the marks.
    fn snippet(&self, marks: &[Mark<'a>]) -> Snippet<'a, Annotation<'a>> {
        let cell = marks.first().and_then(|mark| mark.location.cell);
        let spans: Vec<Span> = marks.iter().map(|mark| mark.location.span).collect();
        let (lines, start, first_row) = self.places.excerpt(cell, &spans);
        let annotations = marks.iter().map(|mark| {
            let span = mark.location.span;
            let range = (span.start - start) as usize..(span.end - start) as usize;
            mark.kind.span(range).label(mark.label)
        });
        Snippet::source(with_line_feeds(lines))
            .path(harmless(&name_with_cell(self.filename, cell)))
            .line_start(first_row)
            .annotations(annotations)
    }
}

/// The lines with a line feed for each carriage return that ends a line by itself, which the renderer
/// would not take for a line end. Every byte keeps its place.
fn with_line_feeds(lines: &str) -> Cow<'_, str> {
    if !lines.replace("\r\n", "").contains('\r') {
        return Cow::Borrowed(lines);
    }
    Cow::Owned(lines.replace("\r\n", " \n").replace('\r', "\n"))
}

/// A marked stretch of code.
struct Mark<'a> {
    location: Location,
    kind: AnnotationKind,
    label: Option<&'a str>,
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO,
        Severity::Hint => Level::HELP.with_name("hint"),
    }
}

fn note(sentence: &str) -> Message<'static> {
    Level::NOTE.message(harmless(sentence))
}

fn fix(fix: &Fix) -> Message<'static> {
    let key = match fix.applicability {
        Applicability::Safe => "full-fix-safe",
        Applicability::Unsafe => "full-fix-unsafe",
    };
    Level::HELP.message(harmless(&text(key, &[("fix", &fix.message)])))
}

/// What happens to memory, and how sure that is.
fn growth(finding: &Finding) -> Option<String> {
    let growth = match finding.growth {
        Growth::FullGraph => text("full-growth-full-graph", &[]),
        Growth::Tensors => text("full-growth-tensors", &[]),
        Growth::NodesOnly => text("full-growth-nodes-only", &[]),
        Growth::Peak => text("full-growth-peak", &[]),
        Growth::Static => text("full-growth-static", &[]),
        Growth::None => return None,
    };
    let confidence = match finding.confidence {
        Confidence::High => text("full-confidence-high", &[]),
        Confidence::Medium => text("full-confidence-medium", &[]),
        Confidence::Low => text("full-confidence-low", &[]),
    };
    Some(text("full-memory", &[("growth", &growth), ("confidence", &confidence)]))
}
