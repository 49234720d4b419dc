//! Logits over a vocabulary that outlive their iteration: which names hold them, and where they could be let go.

use std::collections::BTreeSet;

use vramlens_grammars::Span;

use crate::knowledge::vocabulary::{VocabularyWord, words};
use crate::knowledge::{Knowledge, MethodEffect};
use crate::python::bindings;
use crate::python::enclosing::enclosing;
use crate::python::facts::Facts;
use crate::python::graph::LoopId;
use crate::python::logits::HeldLogits;
use crate::python::record::LogitsHeld;
use crate::python::scopes::Scope;
use crate::python::syntax::{ArgumentKind, Constant, ExprId, ExprKind, StmtId, StmtKind, Symbol};
use crate::python::usage;

/// Longer sequences are no limit but the absence of one.
const LONGEST: u64 = 10_000_000;

impl Facts<'_> {
    /// The logits that each iteration of a loop still holds when the next makes its own.
    pub(super) fn held_logits(&self) -> Vec<HeldLogits> {
        let events = self.record.logits_held.iter();
        let mut held: Vec<HeldLogits> = events
            .filter(|((forward, _), _)| !self.keeps_all(*forward))
            .filter_map(|((_, carrier), event)| self.logits_held_by(event, *carrier))
            .collect();
        held.sort_by_key(|held| (held.span, held.names.len()));
        // Of several ways of reaching one place, the one that tells most.
        held.reverse();
        held.dedup_by_key(|held| held.span);
        held.reverse();
        held
    }

    /// Whether a collection keeps the logits of every batch: then it is not the name that holds the last ones.
    fn keeps_all(&self, forward: ExprId) -> bool {
        self.record.stashes.values().any(|stash| stash.stored.logits == Some(forward))
    }

    fn logits_held_by(&self, event: &LogitsHeld, carrier: LoopId) -> Option<HeldLogits> {
        let known = self.record.loop_of(carrier)?;
        let works = known.trains_within || known.loads || known.over_data;
        if !works || known.is_calls || known.is_short || known.inside_forward {
            return None;
        }
        let in_loop = self.loop_facts(carrier)?;
        let is_inside = |stmt: StmtId| in_loop.span.contains(self.module.stmt(stmt).span);
        let mut names: Vec<(Symbol, StmtId)> = event
            .names
            .iter()
            .copied()
            .filter(|(name, stmt)| {
                is_inside(*stmt) && !self.is_number(*name, *stmt) && !self.is_given(*name, *stmt)
            })
            .collect();
        names.sort_by_key(|(_, stmt)| self.module.stmt(*stmt).span.start);
        let (_, first) = names.first()?;
        if self.feeds_back(*first, &names, in_loop.span) {
            return None;
        }
        Some(HeldLogits {
            span: self.module.stmt(*first).span,
            names: names.iter().map(|(name, _)| self.module.name(*name).to_owned()).collect(),
            model: event.model,
            vocabulary: event.vocabulary,
            tokens: self.tokens(),
            last_use: known.stmt.and_then(|stmt| self.last_use(stmt, &names)),
            in_loop,
        })
    }

    /// Whether what the forward pass is given comes out of the last one: a decoding, which goes on with its state.
    fn feeds_back(&self, bound: StmtId, names: &[(Symbol, StmtId)], around: Span) -> bool {
        let given = self.names_in(self.module.stmt(bound).span);
        let is_held = |name: &Symbol| names.iter().any(|(held, _)| held == name);
        self.module.stmts().filter(|(_, stmt)| around.contains(stmt.span)).any(|(id, stmt)| {
            let StmtKind::Assign { value, .. } = &stmt.kind else { return false };
            let fed = given.iter().any(|name| !is_held(name) && bindings::binds(self.module, id, *name));
            id != bound && fed && self.names_in(self.module.expr(*value).span).iter().any(is_held)
        })
    }

    /// Whether the statement that binds a name reads it, too: the next forward pass is given it.
    fn is_given(&self, name: Symbol, bound: StmtId) -> bool {
        match &self.module.stmt(bound).kind {
            StmtKind::Assign { value, .. } => self.names_in(self.module.expr(*value).span).contains(&name),
            _ => false,
        }
    }

    fn names_in(&self, span: Span) -> BTreeSet<Symbol> {
        let inside = self.module.exprs().filter(|(_, expr)| span.contains(expr.span));
        let name = |kind: &ExprKind| match kind {
            ExprKind::Name(name) => Some(*name),
            _ => None,
        };
        inside.filter_map(|(_, expr)| name(&expr.kind)).collect()
    }

    /// Whether the program takes one number from a name: it is a loss.
    fn is_number(&self, name: Symbol, bound: StmtId) -> bool {
        let scope = self.scope_of(bound);
        let is_target = |kind: &ExprKind| matches!(kind, ExprKind::Name(written) if *written == name);
        let mut written = self.module.exprs().filter(|(_, expr)| is_target(&expr.kind));
        let path = written.find_map(|(expr, _)| usage::path(self.module, &self.scopes, scope, expr));
        let usage = path.and_then(|path| self.usages.of(&path));
        usage.is_some_and(|usage| {
            usage.methods.iter().any(|(method, _)| {
                let effect = Knowledge::tables().method(self.module.name(*method));
                matches!(effect, Some(MethodEffect::Number | MethodEffect::Backward))
            })
        })
    }

    /// The statement of a loop's body behind which some names can be deleted: nothing reads them before they get their
    /// values, behind the loop, or in a function, and every iteration comes there with all of them bound.
    fn last_use(&self, loop_stmt: StmtId, names: &[(Symbol, StmtId)]) -> Option<StmtId> {
        let stmt = self.module.stmt(loop_stmt);
        let (StmtKind::For { body, .. } | StmtKind::While { body, .. }) = &stmt.kind else { return None };
        let inside = |span: Span| stmt.span.contains(span);
        let leaves = |kind: &StmtKind| matches!(kind, StmtKind::Continue | StmtKind::Delete(_));
        if self.module.stmts().any(|(_, inner)| inside(inner.span) && leaves(&inner.kind)) {
            return None;
        }
        let mut last = 0;
        for (name, bound) in names {
            let bound_at = self.module.stmt(*bound).span;
            let mentions = self.mentions(*name, *bound);
            let early = |mention: &Span| !inside(*mention) || mention.start < bound_at.start;
            if mentions.iter().any(early) || !self.always_bound(*bound, loop_stmt) {
                return None;
            }
            last = mentions.iter().map(|mention| mention.start).max().unwrap_or(0).max(last);
        }
        body.iter().copied().find(|inner| self.module.stmt(*inner).span.end > last)
    }

    /// Where a name is written in the function, or the module, that binds it.
    fn mentions(&self, name: Symbol, bound: StmtId) -> Vec<Span> {
        let scope = self.scope_of(bound);
        let around = match scope {
            Scope::Function(function) => Some(self.module.function(function).span),
            _ => None,
        };
        let written = self.module.exprs().filter(|(_, expr)| match expr.kind {
            ExprKind::Name(written) => written == name,
            _ => false,
        });
        written
            .map(|(_, expr)| expr.span)
            .filter(|span| around.is_none_or(|around| around.contains(*span)))
            .collect()
    }

    /// Whether every iteration of a loop comes by a statement, as far as blocks tell.
    fn always_bound(&self, bound: StmtId, loop_stmt: StmtId) -> bool {
        let around = enclosing(self.module, self.module.stmt(bound).span);
        let within = around.iter().skip_while(|inside| inside.stmt != loop_stmt).skip(1);
        within
            .map(|inside| &self.module.stmt(inside.stmt).kind)
            .all(|kind| matches!(kind, StmtKind::With { .. }))
    }

    /// The number of tokens in a batch, as far as the text has it.
    fn tokens(&self) -> Option<u64> {
        let length = self.largest_given(VocabularyWord::Length)?;
        Some(length.saturating_mul(self.largest_given(VocabularyWord::Batch).unwrap_or(1)))
    }

    /// The largest number that any call is given as an argument with one of some names.
    fn largest_given(&self, says: VocabularyWord) -> Option<u64> {
        let names: BTreeSet<Symbol> = words(says).filter_map(|word| self.module.symbol(word)).collect();
        if names.is_empty() {
            return None;
        }
        let given = self.module.exprs().filter_map(|(_, expr)| match &expr.kind {
            ExprKind::Call { arguments, .. } => Some(arguments),
            _ => None,
        });
        let named = given
            .flatten()
            .filter(|argument| matches!(argument.kind, ArgumentKind::Keyword(name) if names.contains(&name)));
        named.filter_map(|argument| self.number(argument.value)).filter(|number| *number < LONGEST).max()
    }

    /// The number that is written, or that the one assignment to a name gives it.
    fn number(&self, expr: ExprId) -> Option<u64> {
        match &self.module.expr(expr).kind {
            ExprKind::Constant(Constant::Int(number)) => u64::try_from(*number).ok(),
            ExprKind::Name(name) => {
                let mut bound =
                    self.module.stmts().filter(|(id, _)| bindings::binds(self.module, *id, *name));
                let (_, only) = bound.next()?;
                let StmtKind::Assign { value, .. } = &only.kind else { return None };
                match self.module.expr(*value).kind {
                    ExprKind::Constant(Constant::Int(number)) if bound.next().is_none() => {
                        u64::try_from(number).ok()
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
