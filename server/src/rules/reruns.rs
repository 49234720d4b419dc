//! Cells that load a model and were run again while it was there, as the stored numbers of their runs show.

use vramlens_grammars::{Piece, Span};

use crate::python::bindings::{binds, reads};
use crate::python::library_call::{Device, LibraryCall};
use crate::python::syntax::{Constant, ExprId, ExprKind, Module, StmtId, StmtKind, Symbol};
use crate::rules::context::Context;
use crate::rules::objects::loads_on_gpu;
use crate::rules::reloading::{is_large, told_at};

/// A load that was run again.
#[derive(Clone, Copy, Debug)]
pub struct Rerun<'a> {
    /// Where the cell starts to load.
    pub told: Span,
    /// The name that the model gets.
    pub name: &'a str,
    /// The number of the last run of its cell.
    pub run: u32,
    /// A statement of a cell below that uses the name, and was run before.
    pub used: Span,
    /// The number of that run.
    pub used_in: u32,
}

/// The loads that were run again while nothing had let go of what they had loaded before.
pub fn reruns<'a>(context: &Context<'a>) -> Vec<Rerun<'a>> {
    if context.source.runs().next().is_none() {
        return Vec::new();
    }
    let loads = context.script.calls.iter().filter(|call| is_large(context, call));
    loads.filter_map(|load| rerun(context, load)).collect()
}

fn rerun<'a>(context: &Context<'a>, load: &LibraryCall) -> Option<Rerun<'a>> {
    let module = context.script.module;
    let told = told_at(context, load);
    let stmt = module.body.iter().copied().find(|stmt| module.stmt(*stmt).span.contains(told))?;
    let StmtKind::Assign { targets, .. } = &module.stmt(stmt).kind else { return None };
    let [target] = targets.as_slice() else { return None };
    let ExprKind::Name(name) = module.expr(*target).kind else { return None };
    let cell = context.source.piece_at(told.start)?;
    let run = cell.run?;
    if !fills_gpu(load, cell.span) || is_let_go(module, name) {
        return None;
    }
    let (used, used_in) = module.body.iter().find_map(|stmt| {
        let span = module.stmt(*stmt).span;
        let below = context.source.piece_at(span.start).filter(|piece| is_below(piece, cell))?;
        let earlier = below.run.filter(|earlier| *earlier < run)?;
        reads(module, *stmt, name).then_some((span, earlier))
    })?;
    let others = module.body.iter().filter(|other| !cell.span.contains(module.stmt(**other).span));
    let makes_anew = |other: &StmtId| binds(module, *other, name) && !reads(module, *other, name);
    (!others.copied().any(|other| makes_anew(&other))).then_some(Rerun {
        told,
        name: module.name(name),
        run,
        used,
        used_in,
    })
}

fn is_below(piece: &Piece, cell: &Piece) -> bool {
    piece.span.start > cell.span.start
}

/// Whether code of one cell loads a model and puts it on the GPU.
fn fills_gpu(load: &LibraryCall, cell: Span) -> bool {
    let moved = load.events.iter().filter(|event| event.part.is_empty() && cell.contains(event.span));
    loads_on_gpu(load)
        || moved.filter_map(|event| event.action.moves_to()).any(|device| device == Device::Gpu)
}

/// Whether a statement anywhere deletes a name or sets it to `None`.
fn is_let_go(module: &Module, name: Symbol) -> bool {
    let is_name = |expr: &ExprId| matches!(module.expr(*expr).kind, ExprKind::Name(found) if found == name);
    module.stmts().any(|(_, stmt)| match &stmt.kind {
        StmtKind::Delete(targets) => targets.iter().any(is_name),
        StmtKind::Assign { targets, value } => {
            let is_none = matches!(module.expr(*value).kind, ExprKind::Constant(Constant::None));
            is_none && targets.iter().any(is_name)
        }
        _ => false,
    })
}
