//! What a number rests on, collected while it is worked out.

use vramlens_grammars::{Source, Span};

use crate::estimate::Assumption;

/// The facts behind one estimate.
#[derive(Clone, Debug)]
pub struct Notes<'a> {
    source: &'a Source,
    list: Vec<Assumption>,
}

impl<'a> Notes<'a> {
    /// None yet; places are in this source.
    pub fn new(source: &'a Source) -> Self {
        Self { source, list: Vec::new() }
    }

    /// Notes what is taken for something, why, and where it can be changed.
    pub fn add(&mut self, what: &str, taken: impl Into<String>, why: String, place: Option<Span>) {
        let change_at = place.map(|span| self.source.locate(span));
        let assumption = Assumption { what: what.to_owned(), value: taken.into(), why, change_at };
        if !self.list.contains(&assumption) {
            self.list.push(assumption);
        }
    }

    /// All of them, in the order in which they were noted.
    pub fn finish(self) -> Vec<Assumption> {
        self.list
    }
}
