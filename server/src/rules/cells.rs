//! What a notebook does with the cells of its code.

use vramlens_grammars::Span;

use crate::python::script::ShownValue;
use crate::rules::context::Context;

/// The name under which `IPython` keeps what its cells show.
pub const SHOWN: &str = "Out";

/// The values that cells show when they are run, and that `IPython` keeps: those of their last statements, where these
/// are expressions without a semicolon behind them.
pub fn shown<'a>(context: &Context<'a>) -> impl Iterator<Item = &'a ShownValue> {
    let script = context.script;
    let is_emptied = script.module.mentions(SHOWN)
        || context.source.commands().iter().any(|command| command.text.starts_with("%reset"));
    script.shown.iter().filter(move |shown| !is_emptied && is_last_of_cell(context, shown.span))
}

/// Whether a statement is what its cell ends with, and nothing keeps it from being shown.
fn is_last_of_cell(context: &Context, span: Span) -> bool {
    let Some(piece) = context.source.piece_at(span.start).filter(|piece| piece.cell.is_some()) else {
        return false;
    };
    let module = context.script.module;
    let is_statement = module.body.iter().any(|stmt| module.stmt(*stmt).span == span);
    let behind = |start: u32| span.end <= start && start < piece.span.end;
    let goes_on = module.body.iter().any(|stmt| behind(module.stmt(*stmt).span.start));
    let is_ended =
        Span::new(span.end, piece.span.end).text(context.script.text).trim_start().starts_with(';');
    let changes = context.source.commands().iter().any(|command| {
        let is_whole = command.text.starts_with("%%") && piece.span.contains(command.span);
        is_whole || behind(command.span.start)
    });
    is_statement && !goes_on && !is_ended && !changes
}
