//! Tensors that stay on a GPU over the iterations of a loop.

use rustc_hash::FxHashSet;
use vramlens_grammars::Span;

use crate::knowledge::{AttributeEffect, CallEffect, Knowledge, StorageEffect};
use crate::python::facts::Facts;
use crate::python::graph::{LoopId, Moment};
use crate::python::record::{Loop, Stash, Stashed};
use crate::python::scopes::Scope;
use crate::python::script::{Emptied, Keeping, KeptValue, Over, ResidentData, ShownValue, StashedTensors};
use crate::python::storage::{Origin, Size, Storage};
use crate::python::syntax::{ExprId, ExprKind, FunctionId, StmtKind};
use crate::python::usage;
use crate::python::value::{ObjectId, Place};

/// Collections in collections deeper than this are not looked for.
const DEEPEST: usize = 4;

impl Facts<'_> {
    /// The values of statements of the module's top level that are nothing but an expression.
    pub(super) fn shown_values(&self) -> Vec<ShownValue> {
        let own = self.record.shown.iter().filter(|(expr, _)| self.module.is_own_expr(**expr));
        let mut shown: Vec<ShownValue> = own
            .map(|(expr, shown)| ShownValue { span: self.module.expr(*expr).span, value: *shown })
            .collect();
        shown.sort_by_key(|shown| shown.span.start);
        shown
    }

    pub(super) fn stashed(&self) -> Vec<StashedTensors> {
        let mut stashes: Vec<&Stash> = self.record.stashes.values().collect();
        stashes.sort_by_key(|stash| (stash.span, stash.object));
        stashes.into_iter().filter_map(|stash| self.stashed_tensors(stash)).collect()
    }

    pub(super) fn residents(&self) -> Vec<ResidentData> {
        let workers = self.record.workers.filter(|span| self.module.is_own_span(*span));
        let known = self.record.residents.iter().filter(|(span, _)| self.module.is_own_span(**span));
        let mut residents: Vec<ResidentData> =
            known.map(|(span, what)| ResidentData { span: *span, what: *what, workers }).collect();
        residents.sort_by_key(|resident| resident.span);
        residents
    }

    fn stashed_tensors(&self, stash: &Stash) -> Option<StashedTensors> {
        if stash.bounded || !self.module.is_own_span(stash.span) {
            return None;
        }
        let alive = stash.loops.iter().rev().filter(|open| stash.alive_after.contains(*open));
        let mut alive = alive.copied().filter(|open| self.piles_up(*open));
        let innermost = alive.next()?;
        let loads = |open: &LoopId| self.record.loop_of(*open).is_some_and(|known| known.loads);
        let carrier = [innermost].into_iter().chain(alive).filter(loads).last().unwrap_or(innermost);
        if stash.in_module && self.loop_facts(carrier)?.over != Over::Batches {
            // A module that goes over the items of one batch.
            return None;
        }
        let sizes: Vec<Storage> = stash.values.iter().map(|value| self.size_of(value)).collect();
        let largest = sizes.iter().map(|stored| stored.size).max().unwrap_or(stash.stored.size);
        // What follows looks at all of the text, for the few that are worth it.
        let is_large = largest > Size::Data && loads(&carrier);
        if is_large && self.is_measured(stash) {
            return None;
        }
        let large = stash.values.iter().zip(&sizes).filter(|(_, stored)| stored.size > Size::Small);
        Some(StashedTensors {
            keeping: if stash.object.is_some() { Keeping::Collection } else { Keeping::Concatenation },
            span: stash.span,
            target: stash.target,
            values: large
                .map(|(value, _)| KeptValue { is_tensor: value.is_tensor, ..self.kept_value(value.expr) })
                .collect(),
            stored: Storage { size: largest, ..stash.stored },
            whole: self.is_record(stash),
            in_loop: self.loop_facts(carrier)?,
            inside_step: self.around(&stash.moment, carrier, |around| around.trains || around.loads),
            beside_training: self.around(&stash.moment, carrier, |around| around.trains_within),
            dropped: stash.object.is_some_and(|object| self.is_dropped(object, carrier)),
            looked_up: stash.object.is_some_and(|object| self.record.looked_up.contains(&(object, carrier))),
            is_emptied: stash.object.is_some_and(|object| self.record.emptied.contains_key(&object)),
            with_graph: stash.graph.iter().any(|node| self.carrying.contains(&node)),
            ends_on_host: is_large && self.ends_on_host(stash),
            emptied: self.emptied(stash, carrier),
        })
    }

    /// Whether it is all that a model returned: a record of which some field is read, or that the model is known for.
    fn is_record(&self, stash: &Stash) -> bool {
        let reads_field = |value: &Stashed| {
            let scope = stash.function.map_or(Scope::Module, Scope::Function);
            let path = usage::path(self.module, &self.scopes, scope, value.expr);
            let usage = path.and_then(|path| self.usages.of(&path));
            usage.is_some_and(|usage| {
                let called = |name| usage.methods.iter().any(|(method, _)| *method == name);
                let mut fields = usage.attributes.iter().filter(|name| !called(**name));
                fields.any(|name| is_field(self.module.name(*name)))
            })
        };
        match stash.values.as_slice() {
            [value] => value.stored.origin == Origin::Record || stash.whole && reads_field(value),
            _ => false,
        }
    }

    /// Whether a condition around it looks at how much the collection holds.
    fn is_measured(&self, stash: &Stash) -> bool {
        let path = |expr| usage::path(self.module, &self.scopes, Scope::Module, expr);
        let target = self.module.exprs().find(|(_, expr)| expr.span == stash.target);
        let Some(target) = target.and_then(|(expr, _)| path(expr)) else { return false };
        let is_length = |expr: &ExprKind| match expr {
            ExprKind::Call { callee, arguments } => {
                let counts = matches!(&self.module.expr(*callee).kind,
                    ExprKind::Name(name) if self.module.name(*name) == "len");
                counts && arguments.iter().any(|given| path(given.value).as_ref() == Some(&target))
            }
            _ => false,
        };
        let measures = |test: Span| {
            self.module.exprs().any(|(_, expr)| test.contains(expr.span) && is_length(&expr.kind))
        };
        self.module.stmts().filter(|(_, stmt)| stmt.span.contains(stash.span)).any(|(_, stmt)| {
            match &stmt.kind {
                StmtKind::If { test, .. } | StmtKind::While { test, .. } => {
                    measures(self.module.expr(*test).span)
                }
                _ => false,
            }
        })
    }

    /// Whether something holds for a loop around another one.
    fn around(&self, moment: &Moment, inner: LoopId, holds: impl Fn(&Loop) -> bool) -> bool {
        let around = moment.iter().take_while(|(open, _)| *open != inner);
        around.filter_map(|(open, _)| self.record.loop_of(*open)).any(holds)
    }

    /// The storage of a kept value: what a module is given, too, is no label.
    fn size_of(&self, value: &Stashed) -> Storage {
        let is_input = value.name.as_ref().is_some_and(|name| self.record.inputs.contains(name));
        let size = if is_input { value.stored.size.max(Size::Large) } else { value.stored.size };
        Storage { size, ..value.stored }
    }

    fn is_dropped(&self, object: ObjectId, carrier: LoopId) -> bool {
        self.holders_of(object).iter().any(|(holder, place)| {
            self.record.drops.contains(&(*holder, carrier))
                || place.as_ref().is_some_and(|place| self.record.resets.contains(&(place.clone(), carrier)))
        })
    }

    /// A collection and those that it is kept in, each with the places it was put in.
    fn holders_of(&self, object: ObjectId) -> Vec<(ObjectId, Option<Place>)> {
        let mut holders = vec![(object, None)];
        let mut pending = vec![object];
        for _ in 0..DEEPEST {
            let mut next = Vec::new();
            for held in pending {
                for place in self.record.collection_holders.get(&held).into_iter().flatten() {
                    holders.push((held, Some(place.clone())));
                    if let Place::Item(owner, _) | Place::Items(owner) = place {
                        holders.push((*owner, None));
                        next.push(*owner);
                    }
                }
            }
            pending = next;
        }
        holders
    }

    /// When what a framework's hook fills is emptied; `None` for anything else.
    fn emptied(&self, stash: &Stash, carrier: LoopId) -> Option<Emptied> {
        let hook = self.record.loop_of(carrier)?.function.is_none().then_some(stash.function).flatten()?;
        let class = self.scopes.class_of(hook)?;
        let epoch_end = *self.record.step_hooks.get(&hook)?;
        let is_other = |function: &FunctionId| {
            *function != hook && self.module.name(self.module.function(*function).name) != "__init__"
        };
        let empties =
            |functions: Option<&FxHashSet<FunctionId>>| functions.into_iter().flatten().any(is_other);
        let emptied = self.holders_of(stash.object?).iter().any(|(holder, place)| {
            empties(self.record.emptied.get(holder))
                || place.as_ref().is_some_and(|place| empties(self.record.replaced.get(place)))
        });
        if emptied {
            return Some(Emptied::Elsewhere);
        }
        let methods = self.scopes.methods(class);
        let ends =
            |method: &&(_, FunctionId)| self.module.name(self.module.function(method.1).name) == epoch_end;
        Some(Emptied::Never { epoch_end: methods.iter().find(ends).map(|(_, function)| *function) })
    }

    /// Whether all that the program does with a collection, besides filling it, takes its tensors to host memory.
    fn ends_on_host(&self, stash: &Stash) -> bool {
        let path = |expr| usage::path(self.module, &self.scopes, Scope::Module, expr);
        let target = self.module.exprs().find(|(_, expr)| expr.span == stash.target);
        let Some(target) = target.and_then(|(expr, _)| path(expr)) else { return false };
        let around = stash.function.map(|function| self.module.function(function).span);
        let is_near = |span: Span| around.is_none_or(|around| around.contains(span));
        let fine = self.spans_of_host(&target);
        let mentions = self.module.exprs().filter(|(expr, _)| path(*expr).as_ref() == Some(&target));
        let mut outside = mentions.map(|(_, expr)| expr.span).filter(|span| is_near(*span));
        outside.all(|mention| fine.iter().any(|span| span.contains(mention)))
    }

    /// What a chain of methods, or a concatenation, is made of: where it is a collection, that is all it takes from it.
    fn converted(&self, expr: ExprId) -> ExprId {
        let mut current = expr;
        while let ExprKind::Call { callee, arguments } = &self.module.expr(current).kind {
            let ExprKind::Attribute { object, name, .. } = &self.module.expr(*callee).kind else { break };
            let function = format!("torch.{}", self.module.name(*name));
            let concatenates = Knowledge::tables().call(&function) == Some(CallEffect::Concatenation);
            let first = arguments.first().filter(|_| concatenates);
            current = first.map_or(*object, |argument| argument.value);
        }
        current
    }

    /// The ranges in which a collection may be named without its tensors going on as they are: where it is filled,
    /// measured or assigned, and what is converted right there.
    fn spans_of_host(&self, target: &usage::Path) -> Vec<Span> {
        let path = |expr| usage::path(self.module, &self.scopes, Scope::Module, expr);
        let mut spans = Vec::new();
        for (_, expr) in self.module.exprs() {
            let ExprKind::Call { callee, arguments } = &expr.kind else { continue };
            match &self.module.expr(*callee).kind {
                ExprKind::Attribute { object, name, .. } => {
                    let converts = matches!(
                        Knowledge::tables().storage(self.module.name(*name)),
                        Some(StorageEffect::Host | StorageEffect::None)
                    );
                    let source = if converts { self.converted(*object) } else { *object };
                    if path(source).as_ref() == Some(target) {
                        spans.push(self.module.expr(source).span);
                    }
                }
                ExprKind::Name(name) if self.module.name(*name) == "len" => {
                    spans.extend(arguments.iter().map(|argument| self.module.expr(argument.value).span));
                }
                _ => {}
            }
        }
        for (_, stmt) in self.module.stmts() {
            if let StmtKind::Assign { targets, value } = &stmt.kind
                && let [only] = targets.as_slice()
                && path(*only).as_ref() == Some(target)
            {
                spans.extend([self.module.expr(*only).span, self.module.expr(*value).span]);
            }
        }
        spans
    }
}

/// Whether an attribute is a field of a record, not one of a tensor.
fn is_field(name: &str) -> bool {
    matches!(Knowledge::tables().attribute(name), None | Some(AttributeEffect::Scalar))
        && Knowledge::tables().method(name).is_none()
}
