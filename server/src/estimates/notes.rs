//! What a number rests on, collected while it is worked out.

use vramlens_grammars::{Source, Span};

use crate::estimate::Assumption;
use crate::texts::text;

/// The facts behind one estimate.
#[derive(Clone, Debug)]
pub struct Notes<'a> {
    source: &'a Source,
    doubtful: Vec<Assumption>,
    written: Vec<Assumption>,
}

impl<'a> Notes<'a> {
    /// None yet; places are in this source.
    pub fn new(source: &'a Source) -> Self {
        Self { source, doubtful: Vec::new(), written: Vec::new() }
    }

    /// Notes what is taken for something that the text does not say, why, and where it can be changed.
    pub fn add(&mut self, what: &str, taken: impl Into<String>, why: String, place: Option<Span>) {
        let assumption = self.assumption(what, taken.into(), why, place);
        if !self.doubtful.contains(&assumption) {
            self.doubtful.push(assumption);
        }
    }

    /// Notes what the text says, and where.
    pub fn written(&mut self, what: &str, said: impl Into<String>, place: Option<Span>) {
        let assumption = self.assumption(what, said.into(), text("estimate-written", &[]), place);
        let is_said =
            |earlier: &Assumption| earlier.what == assumption.what && earlier.value == assumption.value;
        if !self.written.iter().any(is_said) {
            self.written.push(assumption);
        }
    }

    /// All of them: first what is in doubt, each in the order in which it was noted. What the text also says for sure
    /// is not in doubt.
    pub fn finish(mut self) -> Vec<Assumption> {
        let is_sure = |one: &Assumption, sure: &Assumption| one.what == sure.what && one.value == sure.value;
        self.doubtful.retain(|one| !self.written.iter().any(|sure| is_sure(one, sure)));
        [self.doubtful, self.written].concat()
    }

    fn assumption(&self, what: &str, value: String, why: String, place: Option<Span>) -> Assumption {
        let change_at = place.map(|span| self.source.locate(span));
        Assumption { what: what.to_owned(), value, why, change_at }
    }
}
