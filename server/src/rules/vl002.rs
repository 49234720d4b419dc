//! # oversized-file (VL002)
//!
//! ## What it tells
//! A file is larger, or nested deeper, than vramlens reads. What lies beyond the cap was not looked at,
//! so no finding there does not mean that nothing is wrong there.
//!
//! ## Why it matters
//! The caps keep every answer fast, in the editor and on a hostile file. They are counted in bytes and
//! steps, never in time, so the same file always gives the same answer.
//!
//! ## Example
//! A script of three megabytes that a tool generated, or one list nested a thousand levels deep.
//!
//! Use instead: keep the data in a file of its own and load it. Silence the notice with
//! `ignore = ["VL002"]`, or leave the file out with `exclude`.

use vramlens_grammars::{Location, ParseLimit, Span};

use crate::finding::{Finding, Severity};
use crate::rules::Rule;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "VL002",
    name: "oversized-file",
    summary: "A file is over a cap and was not looked at, or not whole",
    source: include_str!("vl002.rs"),
    check: super::nothing,
};

/// A document that is over a cap of the parser: nothing of it was looked at.
pub fn not_parsed(limit: ParseLimit, cell: Option<u32>) -> Finding {
    let sentence = match limit {
        ParseLimit::TooLarge => {
            let mebibytes = (vramlens_grammars::parse::MAX_BYTES / (1024 * 1024)).to_string();
            text("notice-too-large", &[("mebibytes", &mebibytes)])
        }
        ParseLimit::Budget => text("notice-over-budget", &[]),
    };
    finding(sentence, cell)
}

/// A document with code nested deeper than the cap: the nested part was left out.
pub fn too_deep(cell: Option<u32>) -> Finding {
    finding(text("notice-too-deep", &[]), cell)
}

/// A document whose values could not all be followed within the budget.
pub fn too_tangled(cell: Option<u32>) -> Finding {
    finding(text("notice-too-tangled", &[]), cell)
}

/// The notice stands at the start of the document; `cell` is a notebook's first code cell.
fn finding(message: String, cell: Option<u32>) -> Finding {
    RULE.notice(Severity::Information, message, Location { cell, span: Span::at(0) })
}
