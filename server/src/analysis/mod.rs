//! The one pure function: from a document and the settings to findings.
//!
//! Same input, same output: no clock, no file, no global state. The editor, the terminal, the tests
//! and the benchmark all call [`analyze`]; the editor tells it what an earlier state of the document came to, which
//! changes nothing but the time it takes.

mod moving;
mod parts;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use vramlens_grammars::{Document, Location, Source};

use crate::estimate::Estimate;
use crate::estimates;
use crate::finding::Finding;
use crate::merging::merged;
use crate::python::link::link;
use crate::python::lower::lower;
use crate::python::script::Script;
use crate::python::syntax::Module;
use crate::python::units::OutgoingCall;
use crate::python::{commands, imports};
use crate::rules::context::Context;
use crate::rules::{RULES, vl002};
use crate::settings::Settings;
use crate::suppression::Suppressions;
use crate::surroundings::Surroundings;
use crate::versions;

pub use parts::Earlier;

/// Stack of a thread that analyses. Deeply nested code is walked by recursion in places; this is room for the depth cap
/// and more.
pub const STACK_BYTES: usize = 16 * 1024 * 1024;

/// What one run over a document yields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// What was found, sorted by place, then code. Suppressed and unwanted findings are gone.
    pub findings: Vec<Finding>,
    /// How much memory is needed where, sorted by place.
    pub estimates: Vec<Estimate>,
    /// Names of models that the surroundings were not asked for yet: the numbers may change once they were.
    pub unread: Vec<String>,
    /// Imports of the document, as they are spelled, that may lead to files of the workspace and were not looked up yet.
    pub unread_imports: Vec<String>,
    /// Calls of functions that other files of the workspace define.
    pub outgoing: Vec<OutgoingCall>,
    /// Whether something was found inside a function: how other files call that may make a difference.
    pub callers_matter: bool,
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

/// Analyses one document. What its own header says of versions counts before what surrounds it.
pub fn analyze(document: &Document, surroundings: &Surroundings, settings: &Settings) -> Analysis {
    analyze_after(document, surroundings, settings, None).0
}

/// Analyses a document of which an earlier state was analysed with the same surroundings and settings; what did not
/// change since is taken from there. With the analysis comes what the next one can take from it.
pub fn analyze_after(
    document: &Document,
    surroundings: &Surroundings,
    settings: &Settings,
    earlier: Option<&Earlier>,
) -> (Analysis, Earlier) {
    let source = &document.source;
    #[cfg(feature = "fault-injection")]
    crate::faults::before_rules(source.text());
    let tree = match &document.syntax {
        Ok(tree) => tree,
        Err(limit) => {
            let cell = source.pieces().first().and_then(|piece| piece.cell);
            return (wanted(vec![vl002::not_parsed(*limit, cell)], settings), Earlier::default());
        }
    };
    let header = versions::of_script(source.text());
    let view = View { source, surroundings: &surroundings.under_header(header), settings, device: false };
    if let Some(found) = parts::analyze(tree, &view, earlier) {
        return found;
    }
    let mut module = lower(tree, source.text());
    commands::add_to(&mut module, source);
    (view.look(module), Earlier::default())
}

/// What a module is looked at with.
struct View<'a> {
    source: &'a Source,
    surroundings: &'a Surroundings,
    settings: &'a Settings,
    /// Whether code that is not shown speaks of a device.
    device: bool,
}

impl View<'_> {
    /// What there is to say of a module.
    fn look(&self, mut module: Module) -> Analysis {
        let Self { source, surroundings, settings, device } = *self;
        let first_cell = source.pieces().first().and_then(|piece| piece.cell);
        let mut unread_imports = imports::of_module(&module);
        unread_imports.retain(|spelled| !surroundings.units.is_known(spelled));
        link(&mut module, source.text().len(), &surroundings.units);
        let mut script = Script::called(&module, source.text(), &surroundings.units.callers);
        script.mentions_device |= device;
        let context = Context { script: &script, source, surroundings, settings };
        let mut analysis = Analysis { unread_imports, ..Analysis::default() };
        for rule in RULES {
            analysis.run(rule.code, || (rule.check)(&context));
        }
        #[cfg(feature = "fault-injection")]
        analysis.run("FAULT", || crate::faults::rule(source.text()));
        // What stands in another file is told when that file is looked at: its places lie behind the end of this one.
        let end = u32::try_from(source.text().len()).unwrap_or(u32::MAX);
        analysis.findings.retain(|finding| {
            let span = source.span_of(finding.location);
            span.start < span.end || span.start < end
        });
        if module.too_deep {
            analysis.findings.push(vl002::too_deep(first_cell));
        }
        if script.exhausted {
            analysis.findings.push(vl002::too_tangled(first_cell));
        }
        analysis.outgoing.clone_from(&script.outgoing);
        (analysis.estimates, analysis.unread) = estimates::estimates(&context);
        let suppressions = Suppressions::collect(source.text(), &module.comments);
        let kept = |finding: &Finding| {
            let place = source.span_of(finding.location);
            let is_meant = script.meant_to_fail.iter().any(|block| block.contains(place));
            !is_meant && !suppressions.suppresses(finding.code, place)
        };
        analysis.findings.retain(kept);
        analysis.callers_matter = analysis.findings.iter().any(|finding| {
            let place = source.span_of(finding.location);
            module
                .functions()
                .any(|(_, function)| function.span.start <= place.start && place.end <= function.span.end)
        });
        let Analysis { findings, .. } = wanted(std::mem::take(&mut analysis.findings), settings);
        Analysis { findings: merged(findings, source), ..analysis }
    }
}

impl Analysis {
    /// Runs one rule. One that panics loses its own findings only.
    fn run(&mut self, code: &'static str, check: impl FnOnce() -> Vec<Finding>) {
        match catch_unwind(AssertUnwindSafe(check)) {
            Ok(findings) => self.findings.extend(findings),
            Err(panic) => self.failures.push(RuleFailure { code, message: said(&*panic) }),
        }
    }
}

/// By place, then by code.
fn order(finding: &Finding) -> (Location, &'static str) {
    (finding.location, finding.code)
}

/// What a panic said.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// The findings that the settings ask for, in order.
fn wanted(mut findings: Vec<Finding>, settings: &Settings) -> Analysis {
    findings.retain(|finding| settings.wants(finding.code));
    findings.sort_by_key(order);
    Analysis { findings, ..Analysis::default() }
}
