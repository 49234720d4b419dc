//! Applying what the findings propose: one text's edits, and every fix of a document until none is left.
//!
//! Pure, like the analysis. `check --fix` and the editor's "fix all" are this one function, so that
//! they can never differ.

mod ignore;

use std::collections::BTreeSet;

use vramlens_grammars::notebook::source_of;
use vramlens_grammars::{Document, Source};

use crate::analysis;
use crate::finding::{Edit, Finding, Fix};
use crate::settings::Settings;
use crate::surroundings::Surroundings;

pub use self::ignore::ignore;

/// Fixes that overlap wait for the next round; after this many rounds we stop and keep what we have.
const MAX_ROUNDS: usize = 10;

/// A document after its fixes.
#[derive(Clone, Debug)]
pub struct Fixed {
    /// The document with every fix applied.
    pub document: Document,
    /// The codes of the fixes applied, in the order of application, one entry a fix.
    pub applied: Vec<&'static str>,
    /// The edits, round by round: each round counts in what the one before it left.
    pub rounds: Vec<Vec<Edit>>,
}

impl Fixed {
    /// Does to another text what was done to the document. The text must agree with it in length, as a
    /// notebook's code as written agrees with the module that the analysis reads.
    pub fn apply_to(&self, written: &Source) -> Source {
        self.rounds.iter().fold(written.clone(), |source, edits| apply_to_source(&source, edits))
    }
}

/// Applies every fix of a document, again and again until nothing is left to fix. Unsafe fixes only
/// when asked for. A round that would break the syntax of a sound document, or would leave as much of what it
/// fixes as before, is not taken.
pub fn fix_all(
    document: &Document,
    surroundings: &Surroundings,
    settings: &Settings,
    include_unsafe: bool,
) -> Fixed {
    let mut fixed = Fixed { document: document.clone(), applied: Vec::new(), rounds: Vec::new() };
    let mut findings = analysis::analyze(&fixed.document, surroundings, settings).findings;
    for _ in 0..MAX_ROUNDS {
        let round = Round::choose(&findings, include_unsafe);
        if round.edits.is_empty() {
            break;
        }
        let source = edited(&fixed.document.source, &round.edits);
        let next = Document::python(source);
        if breaks_syntax(&fixed.document, &next) || next.source == fixed.document.source {
            break;
        }
        let left = analysis::analyze(&next, surroundings, settings).findings;
        let fixable = |findings| fixable(findings, &round.codes, include_unsafe);
        if fixable(&left) >= fixable(&findings) {
            // What a fix does not remove, it must not be tried on again.
            break;
        }
        findings = left;
        fixed.document = next;
        fixed.applied.extend(round.codes);
        fixed.rounds.push(round.edits);
    }
    fixed
}

/// Applies edits to one text. The edits must not overlap; their cells are not looked at. An edit that
/// does not fit the text is left out. New lines end as the text's lines do.
pub fn apply<'a>(text: &str, edits: impl IntoIterator<Item = &'a Edit>) -> String {
    let ends_with_return = text.split_once('\n').is_some_and(|(line, _)| line.ends_with('\r'));
    let mut edits: Vec<&Edit> = edits.into_iter().collect();
    edits.sort_by_key(|edit| edit.location.span.start);
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        let range = edit.location.span.as_range();
        if text.get(range.clone()).is_none() {
            continue;
        }
        let Some(kept) = text.get(done..range.start) else { continue };
        result.push_str(kept);
        if ends_with_return {
            result.push_str(&edit.content.replace("\r\n", "\n").replace('\n', "\r\n"));
        } else {
            result.push_str(&edit.content);
        }
        done = range.end;
    }
    result.push_str(text.get(done..).unwrap_or(""));
    result
}

/// The module after some edits, its commands blank again.
pub fn edited(source: &Source, edits: &[Edit]) -> Source {
    if source.commands().is_empty() {
        return apply_to_source(source, edits);
    }
    let written = apply_to_source(&source.with_commands_written(), edits);
    let cells = written.pieces().iter();
    source_of(cells.filter_map(|piece| Some((piece.cell?, piece.span.text(written.text())))))
        .with_runs(source.runs())
}

/// Applies edits to a module, each in the piece that its location names.
pub fn apply_to_source(source: &Source, edits: &[Edit]) -> Source {
    let pieces: Vec<(Option<u32>, String)> = source
        .pieces()
        .iter()
        .map(|piece| {
            let text = piece.span.text(source.text());
            (piece.cell, apply(text, edits.iter().filter(|edit| edit.location.cell == piece.cell)))
        })
        .collect();
    match pieces.as_slice() {
        [(None, text)] => Source::file(text.clone()),
        cells => Source::cells(cells.iter().filter_map(|(cell, text)| Some(((*cell)?, text.as_str()))))
            .with_runs(source.runs()),
    }
}

/// The fixes that can be applied together.
#[derive(Default)]
struct Round {
    edits: Vec<Edit>,
    codes: Vec<&'static str>,
}

impl Round {
    fn choose(findings: &[Finding], include_unsafe: bool) -> Self {
        let mut round = Self::default();
        let mut taken = BTreeSet::new();
        for finding in findings {
            let Some(fix) = applicable(finding, include_unsafe) else { continue };
            if fits(fix, &taken) {
                taken.extend(fix.edits.iter().cloned());
                round.codes.push(finding.code);
            }
        }
        round.edits = taken.into_iter().collect();
        round
    }
}

/// Whether a fix can stand beside the edits already taken. An edit that is there already, such as the
/// same import added by two fixes, counts once.
fn fits(fix: &Fix, taken: &BTreeSet<Edit>) -> bool {
    fix.edits.iter().all(|edit| taken.contains(edit) || taken.iter().all(|other| !collide(edit, other)))
}

/// Whether two edits touch the same text. Two different insertions at one place collide too: their
/// order would be a guess.
fn collide(left: &Edit, right: &Edit) -> bool {
    let (first, second) = (left.location.span, right.location.span);
    let apart = first.end <= second.start && first.start < second.start
        || second.end <= first.start && second.start < first.start;
    left.location.cell == right.location.cell && !apart
}

/// The number of findings of some rules whose fixes may be applied. A fix may bring out what another rule finds: a graph
/// that is no longer kept leaves its tensors behind.
fn fixable(findings: &[Finding], codes: &[&str], include_unsafe: bool) -> usize {
    let of_rules = findings.iter().filter(|finding| codes.contains(&finding.code));
    of_rules.filter(|finding| applicable(finding, include_unsafe).is_some()).count()
}

/// The fix of a finding, if it may be applied.
fn applicable(finding: &Finding, include_unsafe: bool) -> Option<&Fix> {
    finding.fix.as_ref().filter(|fix| include_unsafe || fix.is_safe())
}

fn breaks_syntax(before: &Document, after: &Document) -> bool {
    let sound =
        |document: &Document| document.syntax.as_ref().is_ok_and(|tree| !tree.root_node().has_error());
    sound(before) && !sound(after)
}

#[cfg(test)]
mod tests {
    use vramlens_grammars::{Location, Span};

    use super::*;

    fn edit(cell: Option<u32>, start: u32, end: u32, content: &str) -> Edit {
        Edit { location: Location { cell, span: Span::new(start, end) }, content: content.to_owned() }
    }

    #[test]
    fn edits_apply_in_any_order_given() {
        let edits = [edit(None, 4, 5, "E"), edit(None, 0, 1, ""), edit(None, 2, 2, "++")];
        assert_eq!(apply("abcdef", &edits), "b++cdEf");
    }

    #[test]
    fn edits_that_do_not_fit_are_left_out() {
        assert_eq!(apply("é", &[edit(None, 1, 2, "x"), edit(None, 9, 12, "y")]), "é");
    }

    #[test]
    fn new_lines_end_as_the_others_do() {
        let edits = [edit(None, 0, 0, "x = 1\ny = 2\r\n")];
        assert_eq!(apply("a\r\nb\r\n", &edits), "x = 1\r\ny = 2\r\na\r\nb\r\n");
        assert_eq!(apply("a\nb\n", &[edit(None, 0, 0, "x\n")]), "x\na\nb\n");
    }

    #[test]
    fn cells_are_edited_each_on_its_own() {
        let source = Source::cells([(1, "a = 1"), (4, "b = 2")]);
        let changed = apply_to_source(&source, &[edit(Some(4), 4, 5, "3"), edit(Some(1), 0, 1, "c")]);
        assert_eq!(changed, Source::cells([(1, "c = 1"), (4, "b = 3")]));
    }

    #[test]
    fn touching_replacements_stand_together_but_overlaps_and_rival_insertions_do_not() {
        assert!(!collide(&edit(None, 0, 2, ""), &edit(None, 2, 4, "")));
        assert!(!collide(&edit(None, 0, 2, ""), &edit(Some(0), 0, 2, "")));
        assert!(collide(&edit(None, 0, 3, ""), &edit(None, 2, 4, "")));
        assert!(collide(&edit(None, 2, 2, "a"), &edit(None, 2, 2, "b")));
        assert!(collide(&edit(None, 2, 2, "a"), &edit(None, 2, 4, "b")));
        assert!(!collide(&edit(None, 2, 4, "a"), &edit(None, 4, 4, "b")));
    }
}
