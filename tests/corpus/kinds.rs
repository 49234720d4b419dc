//! Which of our codes say what a label's kind says.

use std::collections::BTreeMap;

use vramlens::rules;

use crate::folder::Expectation;

/// The codes of each kind.
pub struct Kinds(BTreeMap<&'static str, Vec<&'static str>>);

impl Kinds {
    /// Reads the table beside this file.
    pub fn read() -> Self {
        let rows = include_str!("kinds.tsv").lines().skip(1);
        let split = rows.filter_map(|row| row.split_once('\t'));
        Self(split.map(|(kind, codes)| (kind, codes.split(' ').collect())).collect())
    }

    /// Whether the table has this kind.
    pub fn knows(&self, kind: &str) -> bool {
        self.0.contains_key(kind)
    }

    /// Whether a report with this code says what the kind says.
    pub fn allows(&self, kind: &str, code: &str) -> bool {
        self.codes(kind).contains(&code)
    }

    /// Whether one of the rules that exist can report what a label expects. Other labels are not asked
    /// for yet; a report beside one is nobody's miss.
    pub fn judges(&self, expected: &Expectation) -> bool {
        match &expected.rule {
            Some(code) => rules::rule(code).is_some(),
            None => self.codes(&expected.kind).iter().any(|code| rules::rule(code).is_some()),
        }
    }

    fn codes(&self, kind: &str) -> &[&'static str] {
        self.0.get(kind).map_or(&[], Vec::as_slice)
    }
}
