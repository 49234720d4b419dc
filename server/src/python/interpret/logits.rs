//! Logits over a vocabulary: which forward passes make them, and which names still hold the last ones when the same pass
//! makes the next.

use crate::knowledge::Role;
use crate::knowledge::outputs::{OutputSize, output_size};
use crate::knowledge::vocabulary::{VocabularyWord, counts_vocabulary, words};
use crate::python::graph::{LoopId, NodeKind};
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::{Interpreter, imported_modules};
use crate::python::record::LogitsHeld;
use crate::python::syntax::{Constant, ExprId, ExprKind, Module, StmtId, StmtKind, Symbol};
use crate::python::value::{ObjectId, ObjectKind, Place, Value};

/// The layer that makes logits.
const HEAD: &str = "torch.nn.Linear";
/// Layers with as many outputs make an entry for each word of a vocabulary: data sets have fewer classes, as a rule.
const VOCABULARY: i64 = 30_000;
/// The field of a model's output that has them.
const LOGITS: &str = "logits";

/// Whether a field of a model's output has logits.
pub(super) fn names_logits(field: &str) -> bool {
    field.ends_with(LOGITS)
}

/// What a module's imports say of language models.
#[derive(Clone, Copy, Default)]
pub(super) struct LanguageModels {
    /// Whether it imports classes of them and reads logits.
    mentioned: bool,
    /// Whether their loss is computed without having all logits.
    fused: bool,
}

impl LanguageModels {
    /// Reads a module's imports.
    pub(super) fn read(module: &Module) -> Self {
        let is_one = |name: &str| output_size(name) == Some(OutputSize::Vocabulary);
        let imports = |kind: &StmtKind| match kind {
            StmtKind::ImportFrom(import) => import.names.iter().any(|(name, _)| is_one(module.name(*name))),
            _ => false,
        };
        let mentioned =
            module.symbol(LOGITS).is_some() && module.stmts().any(|(_, stmt)| imports(&stmt.kind));
        let fuses = |name: &str| words(VocabularyWord::FusesLoss).any(|word| word == name);
        Self { mentioned, fused: imported_modules(module).any(fuses) }
    }
}

impl Interpreter<'_> {
    /// A layer is made: it may be the one that makes logits.
    pub(super) fn note_head(&mut self, module: ObjectId, path: &str, arguments: &Arguments) {
        if path != HEAD {
            return;
        }
        let outputs =
            self.keyword(arguments, "out_features").or_else(|| arguments.positional.get(1).cloned());
        let number = match outputs.as_ref().and_then(Value::usual_constant) {
            Some(Constant::Int(number)) => Some(*number),
            _ => None,
        };
        let is_named = arguments.expr(1).is_some_and(|expr| self.counts_words(expr));
        if is_named || number.is_some_and(|number| number >= VOCABULARY) {
            self.record.heads.insert(module, number.and_then(|number| u64::try_from(number).ok()));
        }
    }

    /// Whether an expression is named like the number of words of a vocabulary.
    fn counts_words(&self, expr: ExprId) -> bool {
        match self.module.expr(expr).kind {
            ExprKind::Name(name) | ExprKind::Attribute { name, .. } => {
                counts_vocabulary(self.module.name(name))
            }
            _ => false,
        }
    }

    /// The forward pass itself, if it makes logits over a vocabulary. What still holds the last ones is noted.
    pub(super) fn logits_of_forward(
        &mut self,
        expr: ExprId,
        id: ObjectId,
        arguments: &Arguments,
    ) -> Option<ExprId> {
        let keeps_few = |name: &str| words(VocabularyWord::KeepsFew).any(|word| word == name);
        let few = arguments.keywords.iter().any(|(name, _)| keeps_few(self.module.name(*name)));
        if few || self.language_models.fused || !self.makes_logits(id) {
            return None;
        }
        if self.loops.iter().any(|open| open.pass > 0) {
            self.note_logits_held(expr, id);
        }
        Some(expr)
    }

    fn makes_logits(&self, id: ObjectId) -> bool {
        if self.record.heads.contains_key(&id) {
            return true;
        }
        let noted = self.happenings.maker(id).and_then(|maker| self.happenings.noted.get(maker));
        match noted {
            Some(noted) => {
                let class = noted.path.rsplit('.').nth(1).unwrap_or_default();
                noted.role == Role::Model && output_size(class) == Some(OutputSize::Vocabulary)
            }
            None => self.language_models.mentioned && self.record.by_usage.contains(&id),
        }
    }

    /// A name gets logits.
    pub(super) fn note_logits_bound(&mut self, name: Symbol, value: &Value, stmt: StmtId) {
        if self.logits_in(value).is_some() {
            self.record.logits_bound.insert(Place::Variable(self.home_frame(name), name), stmt);
        }
    }

    /// The forward pass that made logits which a value is, or which it holds as a record or a tuple.
    fn logits_in(&self, value: &Value) -> Option<ExprId> {
        if value.objects().is_empty() {
            return value.stored.logits.filter(|_| !self.is_loss(value));
        }
        let is_list = |id: &ObjectId| {
            let kind = self.object(*id).map(|object| &object.kind);
            !matches!(kind, Some(ObjectKind::Tuple | ObjectKind::Dict | ObjectKind::Instance(_)))
        };
        if value.objects().iter().any(is_list) {
            return None;
        }
        let mut logits = None;
        self.each_held(value, &mut |held| {
            logits = logits.or(held.stored.logits.filter(|_| !self.is_loss(held)));
        });
        logits
    }

    /// Whether a value is one number. All that a forward pass of this file returns shares its graph, which says nothing of
    /// one part.
    fn is_loss(&self, value: &Value) -> bool {
        let is_whole = |node| self.graph.node(node).kind == NodeKind::Forward;
        self.is_scalar(value) && !value.graph.iter().any(is_whole)
    }

    fn note_logits_held(&mut self, forward: ExprId, model: ObjectId) {
        let frames = self.frames_in_sight();
        let names = frames.into_iter().flat_map(|frame| {
            self.state.variables(frame).into_iter().map(move |name| (name, Place::Variable(frame, name)))
        });
        let mut held: Vec<(LoopId, Symbol, StmtId)> = Vec::new();
        for (name, place) in names {
            let Some(value) = self.state.get(&place).filter(|value| self.logits_in(value) == Some(forward))
            else {
                continue;
            };
            let carries = |open: &&super::OpenLoop| {
                let before = open.head.get(&place);
                open.pass > 0 && before.is_some_and(|before| before.stored.logits == value.stored.logits)
            };
            let carrier = self.loops.iter().rev().find(carries).map(|open| open.id);
            let bound = self.record.logits_bound.get(&place).copied();
            held.extend(carrier.zip(bound).map(|(carrier, bound)| (carrier, name, bound)));
        }
        let maker = self.happenings.maker(model);
        let vocabulary = self.record.heads.get(&model).copied().flatten();
        for (carrier, name, bound) in held {
            let known = self.record.logits_held.entry((forward, carrier)).or_insert_with(|| LogitsHeld {
                names: Vec::new(),
                model: maker,
                vocabulary,
            });
            if !known.names.contains(&(name, bound)) {
                known.names.push((name, bound));
            }
        }
    }
}
