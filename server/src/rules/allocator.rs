//! What the rules about the allocator's setting share: its texts, wherever a script writes them.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Fix};
use crate::knowledge::Role;
use crate::knowledge::allocator::check::repaired;
use crate::knowledge::allocator::replaces_setting;
use crate::knowledge::allocator::value::{Pair, pairs};
use crate::python::library_call::LibraryCall;
use crate::rules::context::Context;
use crate::rules::environment::{Write, allocator_writes};
use crate::rules::writing::literal;
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// A text of the allocator's setting.
#[derive(Clone, Debug)]
pub struct Setting<'a> {
    /// The text as it is written.
    pub written: &'a str,
    /// The text with what is wrong in it put right, where that is clear: what it says once it is mended.
    text: String,
    /// The expression that it is the value of.
    pub span: Span,
    /// Where the text itself stands, if it is written out in one piece.
    contents: Option<Span>,
}

/// All texts of the allocator's setting: in environment variables and in calls.
pub fn settings<'a>(context: &Context<'a>) -> Vec<Setting<'a>> {
    let written = allocator_writes(context).into_iter().filter_map(|write| Setting::of(&write, context));
    written.chain(setting_calls(context).filter_map(|(_, setting)| setting)).collect()
}

/// The calls that set it while the script runs, with the text that they are given.
pub fn setting_calls<'a>(
    context: &Context<'a>,
) -> impl Iterator<Item = (&'a LibraryCall, Option<Setting<'a>>)> {
    let calls = context.script.calls.iter();
    calls.filter(|call| call.role == Role::AllocatorCall && replaces_setting(&call.path)).map(|call| {
        let setting = call
            .arguments
            .positional
            .first()
            .and_then(|given| Some(Setting::new(context, given.value.text()?, given.span?)));
        (call, setting)
    })
}

impl<'a> Setting<'a> {
    /// The text that a variable is set to.
    pub fn of(write: &Write<'a>, context: &Context) -> Option<Self> {
        Some(Self::new(context, write.value.text()?, write.value_span.unwrap_or(write.event.span)))
    }

    fn new(context: &Context, written: &'a str, span: Span) -> Self {
        let text = repaired(written, &context.surroundings.versions);
        Self { written, text, span, contents: literal::contents(context, span, written) }
    }

    /// Its pairs of key and value.
    pub fn pairs(&self) -> Vec<(Pair, &str, &str)> {
        let all = pairs(&self.text).into_iter();
        all.map(|pair| {
            let value = pair.value.map_or("", |value| value.text(&self.text));
            let key = pair.key.text(&self.text);
            (pair, key, value)
        })
        .collect()
    }

    /// The pair with a key.
    pub fn pair(&self, key: &str) -> Option<(Pair, &str)> {
        self.pairs().into_iter().find(|(_, known, _)| *known == key).map(|(pair, _, value)| (pair, value))
    }

    /// Where a pair of it stands; the whole text where it has to be mended first.
    pub fn place(&self, pair: &Pair) -> Span {
        if self.text == self.written { self.place_of(pair.span) } else { self.span }
    }

    /// Where a part of the text as it is written stands; the whole expression where the text is not written out.
    pub fn place_of(&self, part: Span) -> Span {
        self.contents
            .map_or(self.span, |contents| Span::new(contents.start + part.start, contents.start + part.end))
    }

    /// The fix that mends it.
    pub fn mended(&self, context: &Context) -> Option<Fix> {
        self.rewritten(context, &self.text, Applicability::Safe)
    }

    /// The fix that writes another pair in the place of one.
    pub fn with_pair(&self, context: &Context, pair: &Pair, content: &str) -> Option<Fix> {
        let mut text = self.text.clone();
        if text.get(pair.span.as_range()).is_some() {
            text.replace_range(pair.span.as_range(), content);
        }
        self.rewritten(context, &text, Applicability::Unsafe)
    }

    fn rewritten(&self, context: &Context, content: &str, applicability: Applicability) -> Option<Fix> {
        let message = text("environment-rewrite", &[("value", content)]);
        Some(Fix { applicability, message, edits: vec![replacement(context, self.contents?, content)] })
    }
}
