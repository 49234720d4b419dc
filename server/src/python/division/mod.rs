//! Dividing a long module into parts that have nothing to do with each other.
//!
//! Functions and classes that neither mention each other nor share anything that can change do the same whether the
//! others are there or not. So they can be looked at one by one: at the same time, and anew only when their own text
//! changes. A part is shown, besides its own statements, those of the top level that only import, name constants and
//! set up the process. Everything else of the top level, with all it mentions, is the main part.

mod header;
#[cfg(test)]
pub(crate) mod tests;
mod words;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node, Tree};
use vramlens_grammars::Span;

use header::{Reader, Statement, is_definition};
use words::{Word, words};

/// The shortest text that is divided, in bytes: some 500 lines.
const SHORTEST: usize = 24 * 1024;
/// One group in so many ends a part, so that what all parts are shown is not read too often.
const GROUPS_IN_A_PART: u32 = 4;
/// A part that has grown to this many bytes ends, too.
const LARGEST_PART: u32 = 32 * 1024;

/// A part of a module: statements of its top level, each with the comments and the space before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// What the part is shown, in the order of the text.
    pub shown: Vec<Span>,
    /// What belongs to it and to no other part, in the order of the text.
    pub own: Vec<Span>,
}

impl Part {
    /// Whether a place belongs to it.
    pub fn owns(&self, offset: u32) -> bool {
        covering(&self.own, offset).is_some()
    }
}

/// The span of a list in the order of the text that an offset lies in, by its number.
pub fn covering(spans: &[Span], offset: u32) -> Option<usize> {
    let after = spans.partition_point(|span| span.start <= offset);
    let index = after.checked_sub(1)?;
    // The end of the last one is in it.
    let end = spans.get(index)?.end;
    (offset < end || offset == end && after == spans.len()).then_some(index)
}

/// The parts of a module, the main part first; none when it is to be looked at as a whole.
pub fn divide(tree: &Tree, text: &str) -> Vec<Part> {
    if text.len() < SHORTEST {
        return Vec::new();
    }
    let statements = top_level(tree.root_node());
    let defined: usize =
        statements.iter().filter(|node| is_definition(**node)).map(|node| node.byte_range().len()).sum();
    // Where little is defined, nearly all is the main part.
    if defined < text.len() / 2 {
        return Vec::new();
    }
    let mut reader = Reader::new(text);
    let read: Vec<Statement<'_>> = statements.iter().map(|node| reader.read(*node)).collect();
    // Anything may be something that another file has, and that can change.
    if read.iter().any(|statement| statement.open) {
        return Vec::new();
    }
    let spans = tiles(&statements, text);
    let groups = Groups::of(&read, &spans, text);
    parts(&groups, &read, &spans)
}

fn top_level(root: Node<'_>) -> Vec<Node<'_>> {
    root.named_children(&mut root.walk()).filter(|node| node.kind() != "comment").collect()
}

/// The text from each statement's beginning, with what stands before it, to the end of its last line.
fn tiles(statements: &[Node<'_>], text: &str) -> Vec<Span> {
    let mut start = 0;
    let mut spans = Vec::with_capacity(statements.len());
    for (index, node) in statements.iter().enumerate() {
        let rest = text.get(node.end_byte()..).unwrap_or_default();
        let line_end = node.end_byte() + rest.find('\n').map_or(rest.len(), |end| end + 1);
        let next = statements.get(index + 1).map_or(text.len(), |next| line_end.min(next.start_byte()));
        let [from, to] = [start, next].map(|offset| u32::try_from(offset).unwrap_or(u32::MAX));
        spans.push(Span::new(from, to));
        start = next;
    }
    spans
}

/// Which statements have to do with each other.
struct Groups {
    /// For each statement, another one of its group that stands nearer to the group's first.
    next: Vec<usize>,
    /// Whether the statement is of the main part.
    main: Vec<bool>,
}

impl Groups {
    fn of(read: &[Statement<'_>], spans: &[Span], text: &str) -> Self {
        let mentioned: Vec<Vec<Word<'_>>> =
            spans.iter().map(|span| words(span.text(text)).collect()).collect();
        let mut defined: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        let mut changing: FxHashSet<&str> = FxHashSet::default();
        let mut foreign: FxHashSet<&str> = FxHashSet::default();
        for (index, statement) in read.iter().enumerate() {
            if statement.defines {
                statement.changing.iter().for_each(|name| defined.entry(*name).or_default().push(index));
            } else {
                changing.extend(&statement.changing);
            }
            foreign.extend(&statement.foreign);
        }
        changing.extend(mentioned.iter().flatten().filter(|word| word.global).map(|word| word.name));
        let mut groups = Self { next: (0..read.len()).collect(), main: vec![false; read.len()] };
        // What the top level makes from something that can change can change, too.
        for ((index, statement), mentions) in read.iter().enumerate().zip(&mentioned) {
            let touches = |word: &Word<'_>| changing.contains(word.name) || defined.contains_key(word.name);
            if !statement.defines && (statement.heavy || mentions.iter().any(touches)) {
                changing.extend(statement.plain.iter().chain(&statement.changing));
                groups.join_main(index);
            }
        }
        for (index, mentions) in mentioned.iter().enumerate() {
            if !read.get(index).is_some_and(|statement| statement.defines) && !groups.is_main(index) {
                continue;
            }
            for word in mentions {
                let others = defined.get(word.name).map(Vec::as_slice).unwrap_or_default();
                others.iter().for_each(|other| groups.join(index, *other));
                let shared = changing.contains(word.name) || foreign.contains(word.name) && !word.called;
                if shared {
                    groups.join_main(index);
                }
            }
        }
        groups
    }

    /// The first statement of the group.
    fn first(&self, mut index: usize) -> usize {
        while let Some(next) = self.next.get(index).filter(|next| **next != index) {
            index = *next;
        }
        index
    }

    fn is_main(&self, index: usize) -> bool {
        self.main.get(self.first(index)).copied().unwrap_or(true)
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        let is_main = self.is_main(one) || self.is_main(other);
        let (early, late) = (one.min(other), one.max(other));
        if let Some(next) = self.next.get_mut(late) {
            *next = early;
        }
        if let Some(main) = self.main.get_mut(early) {
            *main = is_main;
        }
    }

    fn join_main(&mut self, index: usize) {
        let first = self.first(index);
        if let Some(main) = self.main.get_mut(first) {
            *main = true;
        }
    }
}

/// Puts the groups together to parts of some size. Where one ends depends on what stands there and not on what stands
/// before, so that an edit leaves the parts after it as they are.
fn parts(groups: &Groups, read: &[Statement<'_>], spans: &[Span]) -> Vec<Part> {
    let mut members: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    let mut order = Vec::new();
    let mut main = Vec::new();
    for (index, statement) in read.iter().enumerate() {
        if !statement.defines || groups.is_main(index) {
            main.push(index);
            continue;
        }
        let first = groups.first(index);
        if first == index {
            order.push(first);
        }
        members.entry(first).or_default().push(index);
    }
    let is_shown =
        |index: usize| read.get(index).is_some_and(|statement| !statement.defines) && !groups.is_main(index);
    let shown: Vec<usize> = main.iter().copied().filter(|index| is_shown(*index)).collect();
    let mut parts = vec![part(&main, &[], spans)];
    let mut open: Vec<usize> = Vec::new();
    for first in order {
        open.extend(members.remove(&first).unwrap_or_default());
        let size: u32 =
            open.iter().filter_map(|index| spans.get(*index)).map(|span| span.end - span.start).sum();
        let name =
            read.get(first).and_then(|statement| statement.changing.first()).copied().unwrap_or_default();
        let ends = name.bytes().map(u32::from).sum::<u32>() % GROUPS_IN_A_PART == 0;
        if ends || size >= LARGEST_PART {
            parts.push(part(&std::mem::take(&mut open), &shown, spans));
        }
    }
    if !open.is_empty() {
        parts.push(part(&open, &shown, spans));
    }
    if parts.len() < 3 { Vec::new() } else { parts }
}

fn part(own: &[usize], shown: &[usize], spans: &[Span]) -> Part {
    let in_order = |indexes: &mut Vec<usize>| -> Vec<Span> {
        indexes.sort_unstable();
        indexes.iter().filter_map(|index| spans.get(*index)).copied().collect()
    };
    let mut all: Vec<usize> = own.iter().chain(shown).copied().collect();
    Part { shown: in_order(&mut all), own: in_order(&mut own.to_vec()) }
}
