//! Parsing with a budget: bounded in bytes and steps, never in time.
//!
//! The parser takes a time that grows with the text on almost any input. The exceptions are bounded
//! here: garbage in which it searches for a way on, long runs of comments or continued lines that its
//! scanner reads again and again, and stairs of blocks that its scanner has no room for.

use std::cell::Cell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

/// Documents over this many bytes are not analysed.
pub const MAX_BYTES: usize = 2 * 1024 * 1024;

/// What one parse may spend. Two megabytes of real code cost a fifth of it, of broken code two thirds.
const BUDGET: u32 = 640_000;

/// What a piece of text handed to the scanner costs. A piece read twice costs twice.
const READ_COST: u32 = 1;

/// What a round of the parser's progress report costs, and after the first error.
const ROUND_COST: u32 = 10;
const BROKEN_ROUND_COST: u32 = 40;

/// How much text the scanner is handed at once.
const READ_BYTES: usize = 256;

/// Different indentations one text may have. The scanner keeps a stack of them with room for 383 next
/// to all the string quotes it may hold, and stops the whole process when it is over that.
const MAX_INDENTATIONS: usize = 300;

/// The cap a document went over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseLimit {
    /// The text is longer than [`MAX_BYTES`].
    TooLarge,
    /// The parser spent its budget on this text.
    Budget,
}

/// Parses Python. `previous` is the tree of the text before an edit, with the edit applied to it.
///
/// The result is that of parsing anew: how the parser recovers from an error depends on what it reuses,
/// so nothing is reused of or for broken code.
///
/// # Errors
/// The cap that the text goes over.
pub fn python(text: &str, previous: Option<&Tree>) -> Result<Tree, ParseLimit> {
    if text.len() > MAX_BYTES {
        return Err(ParseLimit::TooLarge);
    }
    if too_many_indentations(text.as_bytes()) {
        return Err(ParseLimit::Budget);
    }
    let reusable = previous.filter(|tree| !tree.root_node().has_error());
    let again = reusable.and_then(|tree| parse_within(text, Some(tree), &Budget::new(BUDGET)));
    match again.filter(|tree| !tree.root_node().has_error()) {
        Some(tree) => Ok(tree),
        None => parse_within(text, None, &Budget::new(BUDGET)).ok_or(ParseLimit::Budget),
    }
}

/// Parses until the budget is spent. The parser stops at its next report only: ending the text for it
/// at once would start a costly recovery.
fn parse_within(text: &str, previous: Option<&Tree>, budget: &Budget) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_python::LANGUAGE.into()).ok()?;
    let mut read = |offset: usize, _| {
        let end = text.len().min(offset.saturating_add(READ_BYTES));
        budget.spend(READ_COST);
        text.as_bytes().get(offset..end).unwrap_or_default()
    };
    let mut report = |state: &ParseState| {
        budget.spend(if state.has_error() { BROKEN_ROUND_COST } else { ROUND_COST });
        if budget.is_spent() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut report);
    parser.parse_with_options(&mut read, previous, Some(options))
}

/// What is left to spend.
struct Budget {
    left: Cell<Option<u32>>,
}

impl Budget {
    fn new(amount: u32) -> Self {
        Self { left: Cell::new(Some(amount)) }
    }

    fn spend(&self, cost: u32) {
        self.left.set(self.left.get().and_then(|left| left.checked_sub(cost)));
    }

    fn is_spent(&self) -> bool {
        self.left.get().is_none()
    }
}

/// Whether lines start at so many different columns that the scanner's stack of them could overflow.
/// The stack only ever grows to a larger column, so it is never higher than their number.
fn too_many_indentations(text: &[u8]) -> bool {
    let mut seen = vec![false; usize::from(u16::MAX) + 1];
    let mut different = 0;
    let mut carried = 0;
    for line in text.split(|byte| *byte == b'\n') {
        let (width, code) = indentation(line, carried);
        carried = if matches!(code, b"\\" | b"\\\r") { width } else { 0 };
        if let Some(seen @ false) = seen.get_mut(usize::from(width)) {
            *seen = true;
            different += 1;
        }
    }
    different > MAX_INDENTATIONS
}

/// The width of the white space a line starts with, as the scanner counts it, and what stands after it.
/// `carried` is the width of lines before it that hold nothing but a backslash.
fn indentation(line: &[u8], carried: u16) -> (u16, &[u8]) {
    let mut width = carried;
    let mut rest = line;
    while let [byte, after @ ..] = rest {
        match byte {
            b' ' => width = width.wrapping_add(1),
            b'\t' => width = width.wrapping_add(8),
            b'\r' | b'\x0c' => width = 0,
            _ => break,
        }
        rest = after;
    }
    (width, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `line` as often as the size cap allows.
    fn filled(line: &str) -> String {
        line.repeat(MAX_BYTES / line.len())
    }

    /// What is spent on a text, which may be more than a parse is given.
    fn spent(text: &str) -> u32 {
        let budget = Budget::new(u32::MAX);
        assert!(parse_within(text, None, &budget).is_some());
        budget.left.get().map_or(u32::MAX, |left| u32::MAX - left)
    }

    #[test]
    fn a_text_at_the_cap_is_parsed_and_one_over_it_is_not() {
        let line = "loss = criterion(model(inputs), targets)  # one step of many\n";
        assert!(python(&filled(line), None).is_ok());
        assert_eq!(python(&filled("x").replace('x', "xx"), None).err(), Some(ParseLimit::TooLarge));
    }

    #[test]
    fn text_that_is_read_again_and_again_costs_more_than_it_is_long() {
        let (once, twice) = (spent(&"\\\n".repeat(2_000)), spent(&"\\\n".repeat(4_000)));
        assert!(twice >= once * 3, "{once} {twice}");
    }

    #[test]
    fn a_spent_budget_stops_the_parser() {
        let text = "x = f(a, b))\n".repeat(1_000);
        assert!(parse_within(&text, None, &Budget::new(500)).is_none());
    }

    #[test]
    fn long_comments_and_continued_lines_of_real_code_are_parsed() {
        let licence = "# Licensed under the Apache License, Version 2.0 (the \"License\");\n".repeat(500);
        let continued = format!("x = 1{}\n", " + \\\n    1".repeat(500));
        assert!(python(&licence, None).is_ok());
        assert!(python(&continued, None).is_ok());
    }

    #[test]
    fn what_is_spent_grows_with_the_text_and_not_faster() {
        let line = "for x in y: total += f(x)[1], {'a': b.c}\n";
        let (once, four_times) = (spent(&line.repeat(1_000)), spent(&line.repeat(4_000)));
        assert!(four_times <= once * 5, "{once} {four_times}");
    }

    #[test]
    fn garbage_costs_more_than_code() {
        let code = "x = f(a, b)\n".repeat(1_000);
        let garbage = "x = f(a, b))\n".repeat(1_000);
        assert!(spent(&garbage) > spent(&code));
    }

    #[test]
    fn stairs_of_blocks_do_not_stop_the_process() {
        let stairs = |steps: usize, step: &str| -> String {
            let lines: Vec<String> = (0..steps).map(|height| step.repeat(height) + "if 'a':\n").collect();
            lines.concat()
        };
        assert_eq!(python(&stairs(700, " "), None).err(), Some(ParseLimit::Budget));
        assert_eq!(python(&stairs(700, " \\\n"), None).err(), Some(ParseLimit::Budget));
        assert!(python(&stairs(290, "\t"), None).is_ok());
    }
}
