//! Calls of libraries and changes to the process, as the rules read them.

use vramlens_grammars::Span;

use crate::python::happenings::{Happenings, History, Noted, Occurrence};
use crate::python::holding::Life;
use crate::python::library_call::{CallPlace, Event, LibraryCall, ProcessEvent};
use crate::python::syntax::{ExprKind, Module};

/// The noted calls with what is done to what they make; `is_trained` says whether the file trains what a call makes.
pub(super) fn calls(
    module: &Module,
    happenings: &Happenings,
    reached: impl Fn(usize, &Noted) -> (CallPlace, Life),
    is_trained: impl Fn(&Noted) -> bool,
) -> Vec<LibraryCall> {
    let mut occurrences: Vec<Vec<(u32, &Occurrence)>> = vec![Vec::new(); happenings.noted.len()];
    for (number, occurrence) in (0..).zip(&happenings.occurrences) {
        if let Some(own) = occurrences.get_mut(occurrence.noted) {
            own.push((number, occurrence));
        }
    }
    let mut calls = Vec::new();
    for (number, (noted, own)) in happenings.noted.iter().zip(&occurrences).enumerate() {
        let (place, life) = reached(number, noted);
        calls.push(LibraryCall {
            role: noted.role,
            path: noted.path.clone(),
            expr: noted.call,
            span: module.expr(noted.call).span,
            callee: callee_span(module, noted),
            place,
            arguments: noted.arguments.clone(),
            receiver: noted.receiver,
            life,
            events: events(noted, own),
            leaves: noted.object.is_some_and(|object| happenings.left.contains(&object)),
            trained: is_trained(noted),
        });
    }
    calls
}

fn callee_span(module: &Module, noted: &Noted) -> Span {
    match &module.expr(noted.call).kind {
        ExprKind::Call { callee, .. } => module.expr(*callee).span,
        _ => module.expr(noted.call).span,
    }
}

/// What is done to what a noted call makes, out of its own occurrences and their numbers.
fn events(noted: &Noted, own: &[(u32, &Occurrence)]) -> Vec<Event> {
    let end = noted.end.clone().unwrap_or_default();
    let index_of = |event: u32| own.iter().position(|(number, _)| *number == event);
    own.iter()
        .map(|(number, occurrence)| Event {
            action: occurrence.action.clone(),
            part: occurrence.part.clone(),
            span: occurrence.span,
            expr: occurrence.expr,
            before: occurrence.before.events().iter().copied().filter_map(index_of).collect(),
            certain: end.events().contains(number),
            at: occurrence.at,
        })
        .collect()
}

/// What happens to the process.
pub(super) fn process(module: &Module, happenings: &Happenings) -> Vec<ProcessEvent> {
    let index = |history: &History| history.events().iter().map(|event| *event as usize).collect();
    happenings
        .changes
        .iter()
        .map(|change| ProcessEvent {
            what: change.what.clone(),
            span: change.span,
            stmt: change.stmt,
            before: index(&change.before),
            at_top_level: module.body.contains(&change.stmt),
        })
        .collect()
}
