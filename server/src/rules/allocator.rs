//! What the rules about the allocator's setting share: its texts, wherever a script writes them.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Fix};
use crate::knowledge::Role;
use crate::knowledge::allocator::replaces_setting;
use crate::knowledge::allocator::value::{Pair, pairs};
use crate::python::library_call::LibraryCall;
use crate::rules::context::Context;
use crate::rules::environment::{Write, allocator_writes};
use crate::rules::writing::literal;
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// A text of the allocator's setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The text.
    pub text: &'a str,
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
    let script = context.script;
    let calls = script.calls.iter();
    calls.filter(|call| call.role == Role::AllocatorCall && replaces_setting(&call.path)).map(|call| {
        let setting = call.arguments.positional.first().and_then(|given| {
            let (text, span) = (given.value.text()?, given.span?);
            Some(Setting { text, span, contents: literal::contents(script, span, text) })
        });
        (call, setting)
    })
}

impl<'a> Setting<'a> {
    /// The text that a variable is set to.
    pub fn of(write: &Write<'a>, context: &Context) -> Option<Self> {
        let span = write.value_span.unwrap_or(write.event.span);
        Some(Self { text: write.value.text()?, span, contents: write.contents(context) })
    }

    /// Its pairs of key and value.
    pub fn pairs(&self) -> Vec<(Pair, &'a str, &'a str)> {
        let all = pairs(self.text).into_iter();
        all.map(|pair| {
            let value = pair.value.map_or("", |value| value.text(self.text));
            let key = pair.key.text(self.text);
            (pair, key, value)
        })
        .collect()
    }

    /// The pair with a key.
    pub fn pair(&self, key: &str) -> Option<(Pair, &'a str)> {
        self.pairs().into_iter().find(|(_, known, _)| *known == key).map(|(pair, _, value)| (pair, value))
    }

    /// Where a part of the text stands; the whole expression where the text is not written out.
    pub fn place(&self, part: Span) -> Span {
        self.contents
            .map_or(self.span, |contents| Span::new(contents.start + part.start, contents.start + part.end))
    }

    /// The fix that writes something else in the place of a part of it.
    pub fn rewritten(
        &self,
        context: &Context,
        part: Span,
        content: &str,
        applicability: Applicability,
    ) -> Option<Fix> {
        self.contents?;
        let message = text("environment-rewrite", &[("value", content)]);
        let edits = vec![replacement(context, self.place(part), content)];
        Some(Fix { applicability, message, edits })
    }

    /// All of the text.
    pub fn whole(&self) -> Span {
        Span::new(0, u32::try_from(self.text.len()).unwrap_or(u32::MAX))
    }
}
