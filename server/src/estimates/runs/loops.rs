//! Training by a loop of the script's own.

use vramlens_grammars::Span;

use crate::estimate::EstimateKind;
use crate::estimates::desk::Desk;
use crate::estimates::notes::Notes;
use crate::estimates::runs::uses::{Subject, Use};
use crate::estimates::runs::{inputs, optimizing, sharing};
use crate::knowledge::Role;
use crate::knowledge::objects::{ObjectEffect, object_method};
use crate::memory::step::{Optimizer, RunTask, Runner, Training};
use crate::memory::weights::Dtype;
use crate::python::library_call::{Arguments, Known, LibraryCall};
use crate::python::syntax::{BinaryOp, Constant, ExprKind, StmtKind};
use crate::texts::text;

/// Micro-batches of a step where the text says that there are several, and not how many.
const SEVERAL: u64 = 2;

/// A training step whose forward pass stands at `place`.
pub fn training<'a>(subject: Subject<'a>, place: Span, arguments: &Arguments) -> Option<Use<'a>> {
    let Subject { model, desk, .. } = subject;
    let given = inputs::given(arguments)?;
    let (trained, adapters) = optimizing::trained(model, desk, None);
    let mut notes = Notes::new(desk.source);
    let optimizer = optimizing::of_script(subject.index, desk).unwrap_or_else(|| {
        notes.add("optimizer", "AdamW", text("estimate-usual-optimizer", &[]), Some(place));
        Optimizer::AdamW
    });
    let checkpointing = model
        .events
        .iter()
        .any(|event| event.action.method().and_then(object_method) == Some(ObjectEffect::Checkpoints));
    let training = Training {
        trained,
        adapters,
        optimizer,
        accumulation: accumulation(desk, place),
        checkpointing,
        runner: runner(desk, place),
    };
    let mut run = subject.run(given, RunTask::Train(training));
    run.autocast = autocast(desk, place);
    notes.written("batch", given.batch.to_string(), Some(place));
    notes.written("length", given.length.to_string(), Some(place));
    let sharing = sharing::of_script(model, desk, &mut notes);
    Some(Use { place, hover: place, kind: EstimateKind::Train, run, sharing, notes })
}

/// The type that autocast computes in around a place.
fn autocast(desk: Desk, place: Span) -> Option<Dtype> {
    let around = |call: &&LibraryCall| {
        let statement = call.place.stmt.map(|stmt| desk.module.stmt(stmt).span);
        call.role == Role::Autocast && statement.is_some_and(|statement| statement.contains(place))
    };
    let call = desk.calls.iter().find(around)?;
    let is_off = call.arguments.named("enabled").is_some_and(|given| given.value == Known::Bool(false));
    if is_off {
        return None;
    }
    let said = call.arguments.named("dtype").or_else(|| call.arguments.positional.get(1));
    let named = said.and_then(|given| match &given.value {
        Known::Library(path) => Dtype::parse(path),
        _ => None,
    });
    Some(named.unwrap_or(Dtype::Float16))
}

/// Who holds the outputs until the next ones are there: a name, if they are bound to one whole.
fn runner(desk: Desk, place: Span) -> Runner {
    let is_bound = desk.module.stmts().any(|(_, stmt)| match &stmt.kind {
        StmtKind::Assign { value, .. } => desk.module.expr(*value).span == place,
        _ => false,
    });
    if is_bound { Runner::Script } else { Runner::ScriptWithoutOutputs }
}

/// Micro-batches of a step: more than one where a condition on a remainder stands around the optimizer's step, and not
/// around the forward pass.
fn accumulation(desk: Desk, forward: Span) -> u64 {
    let module = desk.module;
    let remainder = |condition| {
        let around = module.expr(condition).span;
        module.exprs().find_map(|(_, expr)| match &expr.kind {
            ExprKind::Binary { op: BinaryOp::Modulo, right, .. } if around.contains(expr.span) => {
                Some(match module.expr(*right).kind {
                    ExprKind::Constant(Constant::Int(count)) => u64::try_from(count).unwrap_or(SEVERAL),
                    _ => SEVERAL,
                })
            }
            _ => None,
        })
    };
    let steps = |block: Span| {
        let calls =
            desk.calls.iter().filter(|call| call.role == Role::AdamOptimizer || call.role == Role::Optimizer);
        let mut events = calls.flat_map(|call| &call.events);
        events.any(|event| event.action.method() == Some("step") && block.contains(event.span))
    };
    let counts = module.stmts().filter_map(|(_, stmt)| match &stmt.kind {
        StmtKind::If { test, .. } if !stmt.span.contains(forward) && steps(stmt.span) => remainder(*test),
        _ => None,
    });
    counts.max().unwrap_or(1)
}
