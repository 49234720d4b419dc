//! Moving a statement of the top level above an earlier one, with what it needs.

use vramlens_grammars::Span;

use crate::finding::Edit;
use crate::knowledge::environment::is_standard_module;
use crate::python::bindings::{binds, import_of, imported_names, used};
use crate::python::syntax::{Module, StmtId, Symbol};
use crate::rules::context::Context;
use crate::rules::writing::lines::Lines;
use crate::rules::writing::removal::replacement;

/// The edits that move a statement of the top level above another one. The comments right above it go with it, and
/// imports of Python's own modules that it needs. `None` when it shares a line with another statement, or needs
/// something else that is only there later.
pub fn above(context: &Context, stmt: StmtId, target: StmtId) -> Option<Vec<Edit>> {
    let module = context.script.module;
    let place = place_above(context, target)?;
    let moved = whole_lines(context, stmt)?;
    let needed = needed_imports(context, stmt, place)?;
    let statement = moved.text(context.script.text).trim_end_matches(['\r', '\n']);
    let lines = needed.iter().map(|import| import.line.as_str()).chain([statement]);
    let content: String = lines.flat_map(|line| [line, "\n"]).collect();
    let mut regions = vec![moved];
    for import in needed.iter().filter(|import| imported_names(module, import.stmt) == 1) {
        regions
            .extend(whole_lines(context, import.stmt).filter(|lines| starts_at(module, import.stmt, *lines)));
    }
    let mut edits = vec![replacement(context, Span::at(insertion(context, place)), &content)];
    edits.extend(
        joined(regions)
            .into_iter()
            .map(|region| replacement(context, Lines::around(context, region.start).without_gap(region), "")),
    );
    edits.sort();
    Some(edits)
}

/// An import that a moved statement needs above it.
struct Needed {
    stmt: StmtId,
    line: String,
}

/// Where the line of a statement starts, if a statement starts there.
fn place_above(context: &Context, target: StmtId) -> Option<u32> {
    let module = context.script.module;
    let span = module.stmt(target).span;
    let place = Lines::around(context, span.start).start(span.start);
    module.body.iter().any(|stmt| module.stmt(*stmt).span.start == place).then_some(place)
}

/// Where to insert above a line: above the comments that belong to it, unless they open the file or cell.
fn insertion(context: &Context, place: u32) -> u32 {
    let lines = Lines::around(context, place);
    let comments = lines.comments_above(place);
    if comments > lines.piece().start { comments } else { place }
}

/// The lines of a statement with the comments right above it; `None` when it shares them with another statement.
fn whole_lines(context: &Context, stmt: StmtId) -> Option<Span> {
    let span = context.script.module.stmt(stmt).span;
    let lines = Lines::around(context, span.start);
    let rest = lines.rest(span.end).trim_start();
    let alone = lines.before(span.start).is_empty() && (rest.is_empty() || rest.starts_with('#'));
    let fits = span.end <= lines.piece().end;
    (alone && fits).then(|| Span::new(lines.comments_above(span.start), lines.next(span.end)))
}

/// Whether a statement's lines start with it and hold no comment.
fn starts_at(module: &Module, stmt: StmtId, lines: Span) -> bool {
    let span = module.stmt(stmt).span;
    span.start == lines.start && !module.comments.iter().any(|comment| lines.contains(comment.span))
}

/// The imports that a statement needs and that stand below a place; `None` when it needs something else from there.
fn needed_imports(context: &Context, stmt: StmtId, place: u32) -> Option<Vec<Needed>> {
    let module = context.script.module;
    let start = module.stmt(stmt).span.start;
    let mut needed: Vec<Needed> = Vec::new();
    for name in used(module, stmt) {
        let binding = |stmt: &&StmtId| module.stmt(**stmt).span.start < start && binds(module, **stmt, name);
        let (above, below): (Vec<StmtId>, Vec<StmtId>) =
            module.body.iter().filter(binding).partition(|stmt| module.stmt(**stmt).span.start < place);
        let Some(last) = below.last() else { continue };
        if below.iter().any(|stmt| standard_import(module, *stmt, name).is_none()) {
            return None;
        }
        if above.iter().any(|stmt| import_of(module, *stmt, name).is_some()) {
            continue;
        }
        let line = standard_import(module, *last, name)?;
        if needed.iter().all(|import| import.line != line) {
            needed.push(Needed { stmt: *last, line });
        }
    }
    Some(needed)
}

/// The statement that imports a name alone, if it comes from a module of Python's own.
fn standard_import(module: &Module, stmt: StmtId, name: Symbol) -> Option<String> {
    let (path, line) = import_of(module, stmt, name)?;
    is_standard_module(&path).then_some(line)
}

/// Ranges in order, with those that touch made one.
fn joined(mut ranges: Vec<Span>) -> Vec<Span> {
    ranges.sort_unstable();
    let mut joined: Vec<Span> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}
