//! One finding for one line: where several rules meet, the one that says most speaks.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use vramlens_grammars::Source;

use crate::finding::{Finding, Growth, Severity};

/// Rules that look at the same bytes from different sides. Of their findings on one line, the worst stays; of those as
/// bad, the one that keeps most; then the one whose rule stands first here.
const FAMILIES: &[&[&str]] = &[
    // What a loop keeps, and the evaluation that keeps it.
    &[
        "OOM131", "OOM101", "OOM102", "OOM107", "OOM105", "OOM106", "OOM104", "OOM129", "OOM935", "OOM934",
        "OOM204", "OOM213", "OOM203", "OOM122", "OOM123", "OOM216", "OOM202", "OOM201", "OOM120", "OOM103",
    ],
    // Models that are there more than once.
    &["OOM312", "OOM955", "OOM311", "OOM113", "OOM114"],
    // A checkpoint beside what it is copied into.
    &["OOM301", "OOM302"],
    // A setting that comes too late.
    &["OOM401", "OOM402", "OOM951"],
];

/// Of the findings about a list that the hooks of a framework fill, the one that names the hooks says what to do.
const HOOK_LISTS: &str = "OOM104";

/// Leaves, on each line, the findings of one rule of each family.
pub fn merged(mut findings: Vec<Finding>, source: &Source) -> Vec<Finding> {
    let mut loudest: FxHashMap<(usize, usize), (Loudness, &'static str)> = FxHashMap::default();
    for finding in &findings {
        let Some((family, place)) = family(finding) else { continue };
        let loudness = (Reverse(finding.severity), finding.code != HOOK_LISTS, finding.growth, place);
        let line = (family, line(source, finding));
        let known = loudest.entry(line).or_insert((loudness, finding.code));
        *known = (*known).min((loudness, finding.code));
    }
    let speaks = |finding: &Finding| {
        let Some((family, _)) = family(finding) else { return true };
        let told = loudest.get(&(family, line(source, finding)));
        told.is_none_or(|(_, code)| *code == finding.code)
    };
    findings.retain(speaks);
    findings
}

/// How much a finding says, the most first: how bad it is, what it keeps, and its rule's place in the family.
type Loudness = (Reverse<Severity>, bool, Growth, usize);

/// The family that a finding belongs to, and its rule's place there.
fn family(finding: &Finding) -> Option<(usize, usize)> {
    FAMILIES.iter().enumerate().find_map(|(number, family)| {
        family.iter().position(|code| *code == finding.code).map(|place| (number, place))
    })
}

/// Where the line of a finding starts in the module.
fn line(source: &Source, finding: &Finding) -> usize {
    let start = source.span_of(finding.location).start as usize;
    source.text().get(..start).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::rule;

    #[test]
    fn every_code_of_a_family_is_a_rule_of_one_family() {
        let codes: Vec<&str> = FAMILIES.iter().flat_map(|family| family.iter().copied()).collect();
        for code in &codes {
            assert!(rule(code).is_some(), "{code}");
            assert_eq!(codes.iter().filter(|other| *other == code).count(), 1, "{code}");
        }
    }
}
