//! Taking what was found in an earlier state of a text to where it stands now.

use vramlens_grammars::{Location, Span};

use crate::analysis::Analysis;
use crate::estimate::Estimate;
use crate::finding::Finding;
use crate::python::division::covering;

/// Stretches of a text, and where each stands in a later state of the text, unchanged.
pub(super) struct Moves<'a> {
    pub(super) from: &'a [Span],
    pub(super) to: &'a [Span],
}

impl Moves<'_> {
    /// The same analysis for the later text; none when it speaks of a place outside the stretches.
    pub(super) fn moved(&self, analysis: &Analysis) -> Option<Analysis> {
        let mut moved = analysis.clone();
        let mut found = true;
        let mut place = |location: &mut Location| match self.span(location.span) {
            Some(span) => location.span = span,
            None => found = false,
        };
        moved.findings.iter_mut().for_each(|finding| each_place_of_finding(finding, &mut place));
        moved.estimates.iter_mut().for_each(|estimate| each_place_of_estimate(estimate, &mut place));
        found.then_some(moved)
    }

    fn span(&self, span: Span) -> Option<Span> {
        // What ends where a stretch does is in that one and not in the next.
        let start =
            covering(self.from, span.start).or_else(|| covering(self.from, span.start.checked_sub(1)?))?;
        let end = if span.end > span.start { covering(self.from, span.end - 1)? } else { start };
        Some(Span::new(self.at(start, span.start)?, self.at(end, span.end)?))
    }

    fn at(&self, stretch: usize, offset: u32) -> Option<u32> {
        let within = offset.checked_sub(self.from.get(stretch)?.start)?;
        Some(self.to.get(stretch)?.start + within)
    }
}

fn each_place_of_finding(finding: &mut Finding, place: &mut impl FnMut(&mut Location)) {
    place(&mut finding.location);
    finding.related.iter_mut().for_each(|related| place(&mut related.location));
    let edits = finding.fix.iter_mut().flat_map(|fix| &mut fix.edits);
    edits.for_each(|edit| place(&mut edit.location));
}

fn each_place_of_estimate(estimate: &mut Estimate, place: &mut impl FnMut(&mut Location)) {
    place(&mut estimate.location);
    estimate.hover.iter_mut().for_each(&mut *place);
    estimate.assumptions.iter_mut().filter_map(|assumption| assumption.change_at.as_mut()).for_each(place);
}
