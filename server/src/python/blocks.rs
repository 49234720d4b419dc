//! The blocks of statements of a module.

use vramlens_grammars::Span;

use crate::python::syntax::{FunctionBody, Module, StmtId, StmtKind};

/// All blocks: the module's own, and those of its functions, classes and compound statements.
pub fn blocks(module: &Module) -> Vec<&[StmtId]> {
    let mut blocks: Vec<&[StmtId]> = vec![&module.body];
    for (_, function) in module.functions() {
        if let FunctionBody::Block(block) = &function.body {
            blocks.push(block);
        }
    }
    blocks.extend(module.classes().map(|(_, class)| class.body.as_slice()));
    for (_, stmt) in module.stmts() {
        match &stmt.kind {
            StmtKind::If { body, orelse, .. }
            | StmtKind::While { body, orelse, .. }
            | StmtKind::For { body, orelse, .. } => blocks.extend([body.as_slice(), orelse.as_slice()]),
            StmtKind::With { body, .. } => blocks.push(body),
            StmtKind::Try { body, handlers, orelse, finally } => {
                blocks.extend([body.as_slice(), orelse.as_slice(), finally.as_slice()]);
                blocks.extend(handlers.iter().map(|handler| handler.body.as_slice()));
            }
            StmtKind::Match { cases, .. } => blocks.extend(cases.iter().map(|case| case.body.as_slice())),
            _ => {}
        }
    }
    blocks
}

/// The innermost statement around a range.
pub fn statement_around(module: &Module, range: Span) -> Option<StmtId> {
    let around = module.stmts().filter(|(_, stmt)| stmt.span.contains(range));
    around.min_by_key(|(_, stmt)| stmt.span.end - stmt.span.start).map(|(id, _)| id)
}

/// Whether whatever reaches the first of two ranges goes on to the second, as far as blocks tell: they stand in
/// statements of the same block.
pub fn share_block(module: &Module, first: Span, second: Span) -> bool {
    let (Some(first), Some(second)) = (statement_around(module, first), statement_around(module, second))
    else {
        return false;
    };
    blocks(module).iter().any(|block| block.contains(&first) && block.contains(&second))
}
