//! Findings as data for other programs.

use serde::Serialize;

use crate::cli::examine::Examined;
use crate::cli::place::{Place, Places};
use crate::cli::render::{list_json, severity};
use crate::finding::{Applicability, Confidence, Edit, Finding, Fix, Growth, Related};
use crate::rules;

/// All findings as one array.
pub fn json(examined: &[Examined]) -> String {
    let mut findings = Vec::new();
    for file in examined {
        let document = Document { filename: &file.filename, places: Places::new(&file.source) };
        findings.extend(file.findings.iter().map(|finding| document.finding(finding)));
    }
    list_json(&findings)
}

/// A finding in JSON.
#[derive(Serialize)]
struct JsonFinding<'a> {
    code: &'a str,
    name: &'a str,
    severity: &'static str,
    confidence: &'static str,
    growth: &'static str,
    message: &'a str,
    filename: &'a str,
    cell: Option<u32>,
    location: Place,
    end_location: Place,
    fix: Option<JsonFix<'a>>,
    related: Vec<JsonRelated<'a>>,
    saves_bytes: Option<u64>,
    url: String,
}

/// A fix in JSON.
#[derive(Serialize)]
struct JsonFix<'a> {
    applicability: &'static str,
    message: &'a str,
    edits: Vec<JsonEdit<'a>>,
}

/// An edit in JSON.
#[derive(Serialize)]
struct JsonEdit<'a> {
    filename: &'a str,
    cell: Option<u32>,
    content: &'a str,
    location: Place,
    end_location: Place,
}

/// A related place in JSON.
#[derive(Serialize)]
struct JsonRelated<'a> {
    filename: &'a str,
    cell: Option<u32>,
    location: Place,
    message: &'a str,
}

/// A document whose findings are put into JSON.
struct Document<'a> {
    filename: &'a str,
    places: Places<'a>,
}

impl<'a> Document<'a> {
    fn finding(&self, finding: &'a Finding) -> JsonFinding<'a> {
        JsonFinding {
            code: finding.code,
            name: finding.name,
            severity: severity(finding.severity),
            confidence: confidence(finding.confidence),
            growth: growth(finding.growth),
            message: &finding.message,
            filename: self.filename,
            cell: finding.location.cell,
            location: self.places.start(finding.location),
            end_location: self.places.end(finding.location),
            fix: finding.fix.as_ref().map(|fix| self.fix(fix)),
            related: finding.related.iter().map(|related| self.related(related)).collect(),
            saves_bytes: finding.saves_bytes,
            url: rules::url(finding.code),
        }
    }

    fn fix(&self, fix: &'a Fix) -> JsonFix<'a> {
        JsonFix {
            applicability: applicability(fix.applicability),
            message: &fix.message,
            edits: fix.edits.iter().map(|edit| self.edit(edit)).collect(),
        }
    }

    fn edit(&self, edit: &'a Edit) -> JsonEdit<'a> {
        JsonEdit {
            filename: self.filename,
            cell: edit.location.cell,
            content: &edit.content,
            location: self.places.start(edit.location),
            end_location: self.places.end(edit.location),
        }
    }

    fn related(&self, related: &'a Related) -> JsonRelated<'a> {
        JsonRelated {
            filename: self.filename,
            cell: related.location.cell,
            location: self.places.start(related.location),
            message: &related.message,
        }
    }
}

fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

fn growth(growth: Growth) -> &'static str {
    match growth {
        Growth::FullGraph => "full-graph",
        Growth::Tensors => "tensors",
        Growth::NodesOnly => "nodes-only",
        Growth::Peak => "peak",
        Growth::Static => "static",
        Growth::None => "none",
    }
}

fn applicability(applicability: Applicability) -> &'static str {
    match applicability {
        Applicability::Safe => "safe",
        Applicability::Unsafe => "unsafe",
    }
}
