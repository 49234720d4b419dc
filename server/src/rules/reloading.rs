//! Models that are loaded while an older one is still there: what the rules about them share.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Fix};
use crate::knowledge::Role;
use crate::models::ModelFacts;
use crate::python::blocks::statement_around;
use crate::python::holding::{Beside, Holder, Holding};
use crate::python::library_call::{Action, Event, LibraryCall};
use crate::python::syntax::{ExprKind, Function, ImportedModule, StmtKind, Symbol};
use crate::rules::context::Context;
use crate::rules::objects::{facts_of, put_on_gpu};
use crate::rules::writing::lines::{Lines, indentation};
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// Two models with fewer parameters each seldom fill a card.
const SMALL: u64 = 500_000_000;

/// A model that is loaded onto the GPU, and an older one that is there then.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// The call that loaded the older one.
    pub old: &'a LibraryCall,
    /// The call that loads the new one.
    pub load: &'a LibraryCall,
    /// What holds the older one then.
    pub beside: &'a Beside,
    /// Where the module's own code starts to load the new one.
    pub told: Span,
}

/// Whether a call loads weights that are not known to be few.
pub fn is_large(context: &Context, call: &LibraryCall) -> bool {
    let parameters = facts_of(context, call, ModelFacts::parameters);
    let is_vision = matches!(call.role, Role::VisionModel | Role::TimmModel);
    // Classifiers of images are small as a rule.
    call.role.makes_weights() && parameters.map_or(!is_vision, |parameters| parameters >= SMALL)
}

/// Where the module's top level, or a function that nothing of it calls, starts to load a model: the load itself, or the
/// call of the function that it stands in.
pub fn told_at(context: &Context, load: &LibraryCall) -> Span {
    load.place.calls.first().map_or(load.span, |call| context.script.module.expr(*call).span)
}

/// The large models that are put on the GPU while another one is there.
pub fn pairs<'a>(context: &Context<'a>) -> Vec<Pair<'a>> {
    let script = context.script;
    let mut found = Vec::new();
    for load in script.calls.iter().filter(|load| is_large(context, load)) {
        // What is loaded in the place of something that failed has nothing beside it.
        if load.place.way.handling || put_on_gpu(load, u32::MAX).is_none() {
            continue;
        }
        let told = told_at(context, load);
        let older =
            load.life.beside.iter().filter_map(|beside| Some((beside, script.calls.get(beside.call)?)));
        found.extend(older.filter(|(_, old)| is_older(context, old, load, told)).map(|(beside, old)| Pair {
            old,
            load,
            beside,
            told,
        }));
    }
    found
}

fn is_older(context: &Context, old: &LibraryCall, load: &LibraryCall, told: Span) -> bool {
    (old.expr != load.expr || old.place.calls != load.place.calls)
        && is_large(context, old)
        && !is_part_of(context, old, load)
        && put_on_gpu(old, told.start).is_some()
}

/// Whether one object is given to the call that makes the other, as a text encoder to its pipeline.
fn is_part_of(context: &Context, old: &LibraryCall, load: &LibraryCall) -> bool {
    old.events.iter().any(|event| match event.action {
        Action::GivenTo(index) => context.script.calls.get(index).is_some_and(|call| call.expr == load.expr),
        _ => false,
    })
}

impl<'a> Pair<'a> {
    /// The load, or the call that loads, whose result is given to the name of the old object, with what still holds the
    /// old one then.
    pub fn rebound(&self) -> Option<(Span, &'a [Holder])> {
        let places = [self.load.span, self.told];
        self.old.events.iter().find_map(|event| match &event.action {
            Action::Released { deleted: false, held_by } => {
                let place = places.into_iter().find(|place| event.span.contains(*place))?;
                Some((place, held_by.as_slice()))
            }
            _ => None,
        })
    }

    /// Whether nothing uses the old object once the new one is loaded, though something has used it before.
    pub fn is_forgotten(&self, context: &Context) -> bool {
        let (old, reached) = (self.old, self.load.life.reached);
        let unused = old.life.last_use > old.life.reached && old.life.last_use < reached && !old.leaves;
        unused && !are_used_after(context, &self.beside.held_by, self.told)
    }

    /// Whether the old object was deleted before, and something holds it still.
    pub fn is_deleted(&self) -> bool {
        deletion(self.old).is_some_and(|event| event.at < self.load.life.reached)
    }
}

/// Where a name of an object was last deleted or set to `None`.
pub fn deletion(call: &LibraryCall) -> Option<&Event> {
    let is_it = |event: &&Event| matches!(event.action, Action::Released { deleted: true, .. });
    call.events.iter().filter(is_it).max_by_key(|event| event.at)
}

/// Whether code behind a place, or a function, uses something that keeps an object or has it as an item. What is bound
/// to the object itself counts as a use of the object.
pub fn are_used_after(context: &Context, holders: &[Holder], place: Span) -> bool {
    let others = holders.iter().filter(|holder| holder.how != Holding::Bound);
    let names = others.filter_map(|holder| {
        let name = holder.name.split('.').next().unwrap_or_default();
        context.script.module.symbol(name)
    });
    names.into_iter().any(|name| is_used_after(context, name, place))
}

fn is_used_after(context: &Context, name: Symbol, place: Span) -> bool {
    let module = context.script.module;
    let is_given = |function: &Function| function.parameters.iter().any(|parameter| parameter.name == name);
    let in_function = |span: Span| {
        module.functions().any(|(_, function)| {
            function.span.contains(span) && !function.span.contains(place) && !is_given(function)
        })
    };
    module.exprs().any(|(_, expr)| {
        matches!(expr.kind, ExprKind::Name(found) if found == name)
            && (expr.span.start >= place.end || in_function(expr.span))
    })
}

/// The names of holders, for a message.
pub fn names(held_by: &[Holder]) -> String {
    let quoted: Vec<String> = held_by.iter().map(|holder| format!("`{}`", holder.name)).collect();
    quoted.join(", ")
}

/// The fix that writes `name = None` above the statement that loads into a name.
pub fn let_go_first(context: &Context, load: Span, message: impl Fn(&str) -> String) -> Option<Fix> {
    above_load(context, load, |name| vec![format!("{name} = None")], message)
}

/// The fix that lets an old model go and gives its memory back above the statement that loads into its name.
pub fn free_first(context: &Context, load: Span) -> Option<Fix> {
    let import = |name: &str| imported_before(context, name, load.start);
    let imports: Vec<String> = ["gc", "torch"]
        .into_iter()
        .filter(|name| !import(name))
        .map(|name| format!("import {name}"))
        .collect();
    let lines = |name: &str| {
        let freeing =
            [format!("{name} = None"), "gc.collect()".to_owned(), "torch.cuda.empty_cache()".to_owned()];
        imports.iter().cloned().chain(freeing).collect()
    };
    above_load(context, load, lines, |_| text("old-model-free", &[]))
}

/// Whether the module's top level imports a package under its own name above a place.
pub fn imported_before(context: &Context, name: &str, place: u32) -> bool {
    let module = context.script.module;
    let above = module.body.iter().map(|stmt| module.stmt(*stmt)).filter(|stmt| stmt.span.end <= place);
    let is_it =
        |imported: &ImportedModule| imported.alias.is_none() && imported.path.split('.').next() == Some(name);
    above.into_iter().any(|stmt| matches!(&stmt.kind, StmtKind::Import(all) if all.iter().any(is_it)))
}

/// Writes lines above the statement that loads into a name, made from that name. `None` where the statement reads the
/// name, or something else stands on its line.
fn above_load(
    context: &Context,
    load: Span,
    lines: impl Fn(&str) -> Vec<String>,
    message: impl Fn(&str) -> String,
) -> Option<Fix> {
    let module = context.script.module;
    let id = statement_around(module, load)?;
    let stmt = module.stmt(id);
    let StmtKind::Assign { targets, .. } = &stmt.kind else { return None };
    let [target] = targets.as_slice() else { return None };
    let ExprKind::Name(name) = module.expr(*target).kind else { return None };
    let before = Lines::around(context, stmt.span.start).before(stmt.span.start);
    let value = Span::new(module.expr(*target).span.end, stmt.span.end).text(context.script.text);
    let mut words = value.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    if words.any(|word| word == module.name(name)) || !before.trim().is_empty() {
        return None;
    }
    let lines = lines(module.name(name));
    let content: String = lines.iter().flat_map(|line| [line, "\n", indentation(before)]).collect();
    let edits = vec![replacement(context, Span::at(stmt.span.start), &content)];
    Some(Fix { applicability: Applicability::Safe, message: message(&lines.join("; ")), edits })
}
