//! What a rule is given, and how it words and places what it finds.

use vramlens_grammars::{Location, Source, Span};

use crate::finding::{Confidence, Finding, Fix, Growth, Related, Severity};
use crate::models::Catalog;
use crate::python::library_call::LibraryCall;
use crate::python::script::Script;
use crate::rules::Rule;
use crate::settings::Settings;
use crate::surroundings::{LocalModel, Surroundings};
use crate::texts::text;

/// One script, as rules see it.
#[derive(Debug)]
pub struct Context<'a> {
    /// The facts.
    pub script: &'a Script<'a>,
    /// The module's text and the map back to its document.
    pub source: &'a Source,
    /// What surrounds the document.
    pub surroundings: &'a Surroundings,
    /// What the user chose.
    pub settings: &'a Settings,
}

/// What a rule decides about one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// How bad it is.
    pub severity: Severity,
    /// How sure we are.
    pub confidence: Confidence,
    /// What happens to device memory.
    pub growth: Growth,
}

impl Context<'_> {
    /// Where a range of the module stands in the document.
    pub fn locate(&self, span: Span) -> Location {
        self.source.locate(span)
    }

    /// Whether a range stands in a command of a notebook, where the module's text is blank.
    pub fn is_in_command(&self, span: Span) -> bool {
        self.source.commands().iter().any(|command| command.span.contains(span))
    }

    /// Whether a range stands in a cell of a notebook.
    pub fn is_in_cell(&self, span: Span) -> bool {
        self.source.piece_at(span.start).is_some_and(|piece| piece.cell.is_some())
    }

    /// A second place that belongs to a finding.
    pub fn related(&self, span: Span, message: String) -> Related {
        Related { location: self.locate(self.first_line(span)), message }
    }

    /// A finding of `rule` at `span`.
    pub fn finding(&self, rule: &Rule, verdict: Verdict, span: Span, message: String) -> Finding {
        // Where nothing speaks of a device, it may all be host memory.
        let most = if self.script.mentions_device { Severity::Error } else { Severity::Warning };
        let verdict = Verdict { severity: verdict.severity.min(most), ..verdict };
        rule.finding(verdict, message, self.locate(span))
    }

    /// A finding of `rule` at `span` about something that is there for the GPU alone.
    pub fn sure_finding(&self, rule: &Rule, verdict: Verdict, span: Span, message: String) -> Finding {
        rule.finding(verdict, message, self.locate(span))
    }

    /// A library with its version and where that is written, as far as it is known.
    pub fn installed(&self, library: &str, name: &str) -> String {
        let known = self.surroundings.versions.get(library);
        let exact = known.and_then(|known| Some((known.exact.as_deref()?, known.source.as_str())));
        match exact {
            Some((version, source)) => {
                text("library-version", &[("name", name), ("version", version), ("source", source)])
            }
            None => text("library-installed", &[("name", name)]),
        }
    }

    /// How many parameters the model has that a call loads, if that is known: from its files, or from the catalog.
    pub fn parameters_of(&self, call: &LibraryCall) -> Option<u64> {
        let name = call.arguments.get("pretrained_model_name_or_path", 0)?.value.text()?;
        match self.surroundings.models.get(name) {
            Some(LocalModel::Found(facts)) => Some(facts.parameters()),
            _ => Catalog::tables().find(name).map(|facts| facts.parameters()),
        }
    }

    /// The first line of a range, for a message.
    pub fn quote_line(&self, span: Span) -> String {
        self.quote(self.first_line(span))
    }

    /// A statement's text on one line, for a message.
    pub fn quote(&self, span: Span) -> String {
        let text = self.script.text_of(span);
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ").replace('`', "'")
    }

    /// The first line of a range: loops are long.
    fn first_line(&self, span: Span) -> Span {
        let line = self.script.text_of(span).lines().next().unwrap_or_default();
        Span::new(span.start, span.start + u32::try_from(line.len()).unwrap_or_default())
    }
}

/// Keeps, of findings at one place, the worst.
pub fn worst_of_each_place(mut findings: Vec<Finding>) -> Vec<Finding> {
    let badness =
        |finding: &Finding| (finding.severity, finding.confidence, finding.fix.as_ref().map(Fix::is_safe));
    findings.sort_by(|one, other| {
        one.location.cmp(&other.location).then_with(|| badness(other).cmp(&badness(one)))
    });
    findings.dedup_by(|later, earlier| later.location == earlier.location);
    findings
}
