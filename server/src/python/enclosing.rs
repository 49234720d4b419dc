//! What a piece of code stands inside.

use vramlens_grammars::Span;

use crate::python::syntax::{ExprId, ExprKind, FunctionBody, Module, StmtId, StmtKind};
use crate::python::visit;

/// A block of a compound statement or a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inside {
    /// The statement.
    pub stmt: StmtId,
    /// Which of its blocks.
    pub block: Block,
}

/// Which block of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// The body, or the block of an `if` that runs when its condition holds.
    Body,
    /// The `else` of an `if`, of a loop or of a `try`.
    Otherwise,
    /// The block of an `except` clause, by its place.
    Handler(usize),
    /// The `finally` of a `try`.
    Finally,
    /// The block of a `case`, by its place.
    Case(usize),
}

/// The blocks that a range stands inside, the outermost first; none at the top level.
pub fn enclosing(module: &Module, range: Span) -> Vec<Inside> {
    let mut found = Vec::new();
    let mut block: &[StmtId] = &module.body;
    while let Some(stmt) = around(module, block, range) {
        let inner = blocks_of(module, stmt);
        let Some((inside, next)) =
            inner.into_iter().find(|(_, block)| around(module, block, range).is_some())
        else {
            break;
        };
        found.push(Inside { stmt, block: inside });
        block = next;
    }
    found
}

/// The statements of one block of a statement.
pub fn block(module: &Module, inside: Inside) -> &[StmtId] {
    let blocks = blocks_of(module, inside.stmt);
    blocks.into_iter().find(|(block, _)| *block == inside.block).map_or(&[], |(_, block)| block)
}

/// All calls in the statements of a block, those of functions defined there left out.
pub fn calls_in(module: &Module, block: &[StmtId]) -> Vec<ExprId> {
    let mut calls = Vec::new();
    let mut stmts: Vec<StmtId> = block.iter().rev().copied().collect();
    while let Some(stmt) = stmts.pop() {
        let parts = visit::parts(module, stmt);
        let mut exprs: Vec<ExprId> = parts.exprs.into_iter().rev().collect();
        while let Some(expr) = exprs.pop() {
            if matches!(module.expr(expr).kind, ExprKind::Call { .. }) {
                calls.push(expr);
            }
            visit::children(module, expr, &mut |child| exprs.push(child));
        }
        stmts.extend(parts.stmts.into_iter().rev());
    }
    calls
}

/// The statement of a block around a range.
fn around(module: &Module, block: &[StmtId], range: Span) -> Option<StmtId> {
    block.iter().copied().find(|stmt| module.stmt(*stmt).span.contains(range))
}

fn blocks_of(module: &Module, stmt: StmtId) -> Vec<(Block, &[StmtId])> {
    match &module.stmt(stmt).kind {
        StmtKind::If { body, orelse, .. }
        | StmtKind::While { body, orelse, .. }
        | StmtKind::For { body, orelse, .. } => {
            vec![(Block::Body, body.as_slice()), (Block::Otherwise, orelse.as_slice())]
        }
        StmtKind::With { body, .. } => vec![(Block::Body, body.as_slice())],
        StmtKind::Try { body, handlers, orelse, finally } => {
            let handlers = handlers.iter().enumerate();
            let mut blocks: Vec<(Block, &[StmtId])> = vec![(Block::Body, body.as_slice())];
            blocks.extend(handlers.map(|(place, handler)| (Block::Handler(place), handler.body.as_slice())));
            blocks.extend([(Block::Otherwise, orelse.as_slice()), (Block::Finally, finally.as_slice())]);
            blocks
        }
        StmtKind::Match { cases, .. } => {
            let cases = cases.iter().enumerate();
            cases.map(|(place, case)| (Block::Case(place), case.body.as_slice())).collect()
        }
        StmtKind::Function(function) => match &module.function(*function).body {
            FunctionBody::Block(body) => vec![(Block::Body, body.as_slice())],
            FunctionBody::Expression(_) => Vec::new(),
        },
        StmtKind::Class(class) => vec![(Block::Body, module.class(*class).body.as_slice())],
        _ => Vec::new(),
    }
}
