//! What the rules about options share that make a model return more than anybody reads.

use crate::finding::{Applicability, Fix};
use crate::knowledge::Role;
use crate::knowledge::fields::{Filling, fillings};
use crate::python::library_call::{Arguments, Known};
use crate::python::results::Reads;
use crate::python::syntax::ExprId;
use crate::rules::context::Context;
use crate::rules::writing::arguments;
use crate::texts::text;
use vramlens_grammars::Span;

/// An option that is on, where it is written.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// The option and what it fills.
    pub filling: &'static Filling,
    /// Its value.
    pub span: Span,
}

/// The options for calls with a role that are written down to be on.
pub fn asked(role: Role, arguments: &Arguments) -> Vec<Asked> {
    let is_on = |filling: &'static Filling| {
        let given = arguments.named(filling.option).filter(|given| given.value == Known::Bool(true))?;
        Some(Asked { filling, span: given.span? })
    };
    fillings(role).filter_map(is_on).collect()
}

/// Whether what an option fills is never read.
pub fn is_unread(asked: &Asked, reads: &Reads) -> bool {
    !asked.filling.fields().any(|field| reads.takes(field))
}

/// The fix that takes an option out of a call.
pub fn without_option(context: &Context, call: ExprId, asked: &Asked) -> Option<Fix> {
    let edits = vec![arguments::removed(context, call, asked.span)?];
    let message = text("option-remove", &[("option", asked.filling.option)]);
    Some(Fix { applicability: Applicability::Safe, message, edits })
}

/// The whole argument of an option in a call.
pub fn place(context: &Context, call: ExprId, asked: &Asked) -> Span {
    arguments::whole(context.script.module, call, asked.span).unwrap_or(asked.span)
}
