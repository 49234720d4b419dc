//! # unusable-setting (VL001)
//!
//! ## What it tells
//! A setting in `vramlens.toml` or in the table `[tool.vramlens]` of `pyproject.toml` has a name that
//! vramlens does not know, or a value that it cannot use. The rest of the file counts; when the file is
//! not TOML, none of it does.
//!
//! ## Why it matters
//! A misspelled setting that is dropped in silence looks like a rule that does not work.
//!
//! ## Example
//! ```toml
//! [tool.vramlens]
//! selct = ["OOM101"]
//! ```
//!
//! Use instead:
//! ```toml
//! [tool.vramlens]
//! select = ["OOM101"]
//! ```

use vramlens_grammars::Location;

use crate::finding::{Finding, Severity};
use crate::rules::Rule;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "VL001",
    name: "unusable-setting",
    summary: "A setting has an unknown name or an unusable value",
    source: include_str!("vl001.rs"),
    check: super::nothing,
};

/// A setting, at `location` in its file, that is not used, and why.
pub fn finding(message: String, severity: Severity, location: Location) -> Finding {
    RULE.notice(severity, message, location)
}
