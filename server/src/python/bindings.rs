//! Which names a statement uses, and which it binds.

use crate::python::syntax::{ExprId, ExprKind, Module, StmtId, StmtKind, Symbol};
use crate::python::visit;

/// The names that a statement without blocks uses.
pub fn used(module: &Module, stmt: StmtId) -> Vec<Symbol> {
    let mut names = Vec::new();
    let mut pending = visit::parts(module, stmt).exprs;
    while let Some(expr) = pending.pop() {
        if let ExprKind::Name(name) = &module.expr(expr).kind
            && !names.contains(name)
        {
            names.push(*name);
        }
        visit::children(module, expr, &mut |child| pending.push(child));
    }
    names.sort_unstable();
    names
}

/// Whether a statement, or one in its blocks, reads a name where it runs; what it defines may never run.
pub fn reads(module: &Module, stmt: StmtId, name: Symbol) -> bool {
    let is_bound = match &module.stmt(stmt).kind {
        StmtKind::Assign { targets, .. } => targets.as_slice(),
        _ => &[],
    };
    let is_target = |expr: ExprId| is_bound.contains(&expr);
    let parts = visit::parts(module, stmt);
    let mut pending: Vec<ExprId> = parts.exprs.into_iter().filter(|expr| !is_target(*expr)).collect();
    while let Some(expr) = pending.pop() {
        if matches!(module.expr(expr).kind, ExprKind::Name(found) if found == name) {
            return true;
        }
        visit::children(module, expr, &mut |child| pending.push(child));
    }
    parts.stmts.into_iter().any(|inner| reads(module, inner, name))
}

/// Whether a statement, or one in its blocks, binds a name in its own scope.
pub fn binds(module: &Module, stmt: StmtId, name: Symbol) -> bool {
    let own = match &module.stmt(stmt).kind {
        StmtKind::Import(modules) => modules.iter().any(|imported| match imported.alias {
            Some(alias) => alias == name,
            None => imported.path.split('.').next() == Some(module.name(name)),
        }),
        StmtKind::ImportFrom(import) => {
            import.names.iter().any(|(imported, alias)| alias.unwrap_or(*imported) == name)
        }
        StmtKind::Assign { targets, .. } => targets.iter().any(|target| is_bound(module, *target, name)),
        StmtKind::AugmentedAssign { target, .. }
        | StmtKind::AnnotatedAssign { target, .. }
        | StmtKind::For { target, .. } => is_bound(module, *target, name),
        StmtKind::With { items, .. } => {
            items.iter().filter_map(|(_, target)| *target).any(|target| is_bound(module, target, name))
        }
        StmtKind::Delete(targets) => targets.iter().any(|target| is_bound(module, *target, name)),
        StmtKind::Function(function) => module.function(*function).name == name,
        StmtKind::Class(class) => module.class(*class).name == name,
        _ => false,
    };
    own || visit::parts(module, stmt).stmts.into_iter().any(|inner| binds(module, inner, name))
}

/// The names that a statement, or one in its blocks, binds in its own scope.
pub fn bound(module: &Module, stmt: StmtId) -> Vec<Symbol> {
    let mut names = Vec::new();
    let mut targets: Vec<ExprId> = Vec::new();
    match &module.stmt(stmt).kind {
        StmtKind::Import(modules) => names.extend(modules.iter().filter_map(|imported| {
            imported.alias.or_else(|| module.symbol(imported.path.split('.').next().unwrap_or_default()))
        })),
        StmtKind::ImportFrom(import) => {
            names.extend(import.names.iter().map(|(name, alias)| alias.unwrap_or(*name)));
        }
        StmtKind::Assign { targets: assigned, .. } => targets.extend(assigned),
        StmtKind::AugmentedAssign { target, .. }
        | StmtKind::AnnotatedAssign { target, .. }
        | StmtKind::For { target, .. } => targets.push(*target),
        StmtKind::With { items, .. } => targets.extend(items.iter().filter_map(|(_, target)| *target)),
        StmtKind::Function(function) => names.push(module.function(*function).name),
        StmtKind::Class(class) => names.push(module.class(*class).name),
        _ => {}
    }
    while let Some(target) = targets.pop() {
        match &module.expr(target).kind {
            ExprKind::Name(name) => names.push(*name),
            ExprKind::Tuple(parts) | ExprKind::List(parts) => targets.extend(parts),
            ExprKind::Starred(inner) => targets.push(*inner),
            _ => {}
        }
    }
    names.extend(visit::parts(module, stmt).stmts.into_iter().flat_map(|inner| bound(module, inner)));
    names
}

/// Whether an assignment target binds a name.
fn is_bound(module: &Module, target: ExprId, name: Symbol) -> bool {
    match &module.expr(target).kind {
        ExprKind::Name(bound) => *bound == name,
        ExprKind::Tuple(parts) | ExprKind::List(parts) => {
            parts.iter().any(|part| is_bound(module, *part, name))
        }
        ExprKind::Starred(inner) => is_bound(module, *inner, name),
        _ => false,
    }
}

/// The module that a statement imports a name from, and a statement that imports it alone.
pub fn import_of(module: &Module, stmt: StmtId, name: Symbol) -> Option<(String, String)> {
    match &module.stmt(stmt).kind {
        StmtKind::Import(modules) => modules.iter().find_map(|imported| match imported.alias {
            Some(alias) if alias == name => {
                let line = format!("import {} as {}", imported.path, module.name(alias));
                Some((imported.path.clone(), line))
            }
            None if imported.path.split('.').next() == Some(module.name(name)) => {
                Some((imported.path.clone(), format!("import {}", imported.path)))
            }
            _ => None,
        }),
        StmtKind::ImportFrom(import) if import.level == 0 => {
            let (imported, alias) =
                import.names.iter().find(|(imported, alias)| alias.unwrap_or(*imported) == name)?;
            let renamed = alias.map_or(String::new(), |alias| format!(" as {}", module.name(alias)));
            let line = format!("from {} import {}{renamed}", import.module, module.name(*imported));
            Some((import.module.clone(), line))
        }
        _ => None,
    }
}

/// The number of names that an import binds.
pub fn imported_names(module: &Module, stmt: StmtId) -> usize {
    match &module.stmt(stmt).kind {
        StmtKind::Import(modules) => modules.len(),
        StmtKind::ImportFrom(import) => import.names.len(),
        _ => 0,
    }
}
