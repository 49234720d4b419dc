//! What must hold of every fix.

use vramlens::finding::{Finding, Fix};
use vramlens::fixes;
use vramlens::settings::Settings;
use vramlens_grammars::{Document, Span};

use crate::folder::{Input, Place};
use crate::judge::Miss;
use crate::tree::visit;

/// Applies each fix alone: the text still parses, the finding is gone, no other came, and strings and
/// comments are what they were.
pub fn single_fixes(input: &Input) -> Vec<Miss> {
    let before = input.findings();
    let mut misses = Vec::new();
    for finding in &before {
        let Some(fix) = &finding.fix else { continue };
        let broken = wrong_with(fix, &input.document)
            .or_else(|| wrong_after(finding, &before, input, &applied(&input.document, fix)));
        misses.extend(broken.map(|what| miss(input, finding, what)));
    }
    misses
}

/// Applies all fixes: the text still parses, and nothing is left to fix.
pub fn all_fixes(input: &Input) -> Vec<Miss> {
    let fix_all =
        |document: &Document| fixes::fix_all(document, &input.surroundings, &Settings::default(), true);
    let fixed = fix_all(&input.document).document;
    let again = fix_all(&fixed).document;
    let mut misses = Vec::new();
    for finding in input.findings_of(&fixed).iter().filter(|finding| finding.fix.is_some()) {
        misses.push(miss(input, finding, "still to be fixed after fixing everything"));
    }
    let whole = Place { file: input.file.clone(), cell: None, line: 1 };
    let mut whole_miss = |what: &str| {
        misses.push(Miss { folder: input.folder.clone(), place: whole.clone(), what: what.to_owned() });
    };
    if errors(&fixed) > errors(&input.document) {
        whole_miss("does not parse after fixing everything");
    }
    if again.source != fixed.source {
        whole_miss("fixing everything twice is not fixing it once");
    }
    misses
}

/// What is wrong with the edits themselves.
fn wrong_with(fix: &Fix, document: &Document) -> Option<&'static str> {
    let ordered = fix.edits.windows(2).all(|pair| match pair {
        [left, right] => {
            left.location.cell < right.location.cell
                || left.location.cell == right.location.cell
                    && left.location.span.end <= right.location.span.start
        }
        _ => true,
    });
    let fitting = fix.edits.iter().all(|edit| {
        let piece = document.source.piece_text(edit.location.cell);
        piece.is_some_and(|text| text.get(edit.location.span.as_range()).is_some())
    });
    match (fix.edits.is_empty(), ordered, fitting) {
        (true, _, _) => Some("the fix has no edits"),
        (_, false, _) => Some("the edits are out of order or overlap"),
        (_, _, false) => Some("an edit does not fit the text"),
        _ => None,
    }
}

/// What is wrong with the text after the fix.
fn wrong_after(finding: &Finding, before: &[Finding], input: &Input, new: &Document) -> Option<&'static str> {
    let (old, after) = (&input.document, input.findings_of(new));
    let count = |findings: &[Finding], code| findings.iter().filter(|finding| finding.code == code).count();
    if errors(new) > errors(old) {
        return Some("the fix breaks the syntax");
    }
    if count(&after, finding.code) >= count(before, finding.code) {
        return Some("the finding is still there after its fix");
    }
    let is_new = |left: &&Finding| {
        count(&after, left.code) > count(before, left.code) && !stands_behind(left.code, finding.code)
    };
    if after.iter().any(|left| is_new(&left)) {
        return Some("the fix brings a new finding");
    }
    let touched = |kind, touches: Touches| !touches.allows(texts(old, kind), texts(new, kind));
    if touched("string", strings_of(finding.code)) || touched("comment", comments_of(finding.code)) {
        return Some("the fix changes a string or a comment");
    }
    None
}

/// Whether one rule's finding comes out when another's is fixed: a graph that is no longer kept leaves its tensors on the
/// GPU, and a list that is emptied after every epoch still holds one.
fn stands_behind(behind: &str, before: &str) -> bool {
    let keeps_graph = matches!(before, "OOM101" | "OOM102" | "OOM201" | "OOM202" | "OOM214" | "OOM216");
    match behind {
        "OOM129" | "OOM204" => keeps_graph,
        "OOM203" => keeps_graph || before == "OOM104",
        _ => false,
    }
}

/// What a fix may do to strings, or to comments.
#[derive(Clone, Copy)]
enum Touches {
    /// Nothing.
    Nothing,
    /// Write new ones: an option that it adds is a string.
    More,
    /// Move them, or take them away with the statement they belong to.
    Place,
    /// Rewrite them: they are the mistake.
    Text,
}

impl Touches {
    fn allows(self, old: Vec<String>, new: Vec<String>) -> bool {
        match self {
            Self::Nothing => old == new,
            Self::More => is_within(&old, new),
            Self::Place => is_within(&new, old),
            Self::Text => true,
        }
    }
}

/// Whether each of `some` is one of `all`, as often.
fn is_within(some: &[String], mut all: Vec<String>) -> bool {
    some.iter().all(|text| {
        let place = all.iter().position(|other| other == text);
        place.map(|place| all.swap_remove(place)).is_some()
    })
}

/// The settings of the allocator are strings; fixes of what is in the wrong place move or delete statements.
fn strings_of(code: &str) -> Touches {
    match code {
        "OOM403" | "OOM404" | "OOM405" | "OOM406" | "OOM409" | "OOM412" | "OOM301" | "OOM907" => {
            Touches::Text
        }
        "OOM110" | "OOM117" | "OOM931" => Touches::More,
        _ => comments_of(code),
    }
}

fn comments_of(code: &str) -> Touches {
    match code.get(..4) {
        Some("OOM4" | "OOM5") => Touches::Place,
        _ => Touches::Nothing,
    }
}

fn applied(document: &Document, fix: &Fix) -> Document {
    Document::python(fixes::apply_to_source(&document.source, &fix.edits))
}

fn errors(document: &Document) -> usize {
    let mut count = 0;
    if let Ok(tree) = &document.syntax {
        visit(tree.root_node(), &mut |node| {
            count += usize::from(node.is_error() || node.is_missing());
        });
    }
    count
}

/// The texts of all nodes of one kind, in order.
fn texts(document: &Document, kind: &str) -> Vec<String> {
    let mut texts = Vec::new();
    if let Ok(tree) = &document.syntax {
        visit(tree.root_node(), &mut |node| {
            if node.kind() == kind {
                texts.push(document.source.text().get(node.byte_range()).unwrap_or("").to_owned());
            }
        });
    }
    texts
}

fn miss(input: &Input, finding: &Finding, what: &str) -> Miss {
    let text = input.document.source.piece_text(finding.location.cell).unwrap_or("");
    let line = Span::new(0, finding.location.span.start).text(text).matches('\n').count() + 1;
    let place = Place { file: input.file.clone(), cell: finding.location.cell, line };
    Miss { folder: input.folder.clone(), place, what: format!("{what}: {}", finding.code) }
}
