//! A script as the rules read it: facts about what it keeps, in terms of its text.
//!
//! Everything here is stated, nothing is judged: which of it is worth telling is for the rules.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use vramlens_grammars::Span;

use crate::knowledge::Knowledge;
pub use crate::python::carried::{CarriedState, HookStore, LastingGraph, Passes, RetainedGraph, StateName};
use crate::python::facts::{self, Gathered};
use crate::python::interpret;
use crate::python::library_call::{Known, LibraryCall, ProcessEvent, Shape};
pub use crate::python::logits::HeldLogits;
pub use crate::python::record::{Iterated, Over};
pub use crate::python::stashed::{Emptied, Resident, ResidentData, ShownValue, StashedTensors, WholeDataRun};
use crate::python::syntax::{Constant, Expr, ExprId, ExprKind, FunctionId, Module, StmtId, StmtKind};
use crate::python::units::{Callers, OutgoingCall};
use crate::python::visit;

/// A module with the facts about it.
#[derive(Debug)]
pub struct Script<'a> {
    /// The module's text.
    pub text: &'a str,
    /// The module's syntax, for placing fixes.
    pub module: &'a Module,
    /// Graphs that outlive the iteration that built them.
    pub kept: Vec<Kept>,
    /// Forward passes whose graph no backward ever visits.
    pub unused: Vec<UnusedForward>,
    /// States that carry the graph of one training step into the next.
    pub states: Vec<CarriedState>,
    /// Graphs of one step that an attribute or an outer name carries into the next, in the order of the text.
    pub lasting: Vec<LastingGraph>,
    /// Backwards in loops that retain a graph for no later one.
    pub retained: Vec<RetainedGraph>,
    /// What hooks keep of every forward pass.
    pub hook_stores: Vec<HookStore>,
    /// Tensors without a graph that stay on a GPU over the iterations of a loop.
    pub stashed: Vec<StashedTensors>,
    /// Data sets that are put on a GPU as a whole, in the order of the text.
    pub residents: Vec<ResidentData>,
    /// Forward passes that are given a whole data set, in the order of the text.
    pub whole_data_runs: Vec<WholeDataRun>,
    /// Logits over a vocabulary that outlive their iteration, in the order of the text.
    pub held_logits: Vec<HeldLogits>,
    /// Calls of libraries that matter to memory, in the order in which they are reached. A call in a function that is
    /// reached in several ways is there once for each.
    pub calls: Vec<LibraryCall>,
    /// What happens to the whole process, in the order in which it is reached.
    pub process: Vec<ProcessEvent>,
    /// The exception types that `except` clauses catch, by the expression that names them.
    pub(super) caught: FxHashMap<ExprId, Known>,
    /// Calls of libraries in `try` statements.
    pub(super) library_calls: FxHashSet<ExprId>,
    /// Calls of functions that other files define, each once.
    pub outgoing: Vec<OutgoingCall>,
    /// The values of statements of the module's top level that are nothing but an expression, where they are objects of
    /// `calls` or may lie on a GPU, in the order of the text.
    pub shown: Vec<ShownValue>,
    /// The shapes that calls give the tensors that they make, as far as their sizes are known.
    pub shapes: Vec<(Span, Shape)>,
    /// Blocks that are meant to fail, as tests have them: nothing in them is a mistake.
    pub meant_to_fail: Vec<Span>,
    /// Whether the budget ran out before everything was followed.
    pub exhausted: bool,
    /// Whether anything in the module speaks of a device.
    pub mentions_device: bool,
    torch_name: OnceCell<Option<&'a str>>,
}

/// How a graph is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// Added to a running total.
    Sum,
    /// Put beside what is already there in a tensor that grows.
    Concatenation,
    /// Put into a collection.
    Collection,
}

/// What a backward does to a kept graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A backward of the same iteration frees its saved activations.
    Freed(Span),
    /// A backward of the same iteration runs over it and retains it.
    Retained(Span),
    /// The total or the collection itself is sent through a backward.
    SentThrough(Span),
    /// No backward ever runs over it.
    Never,
}

/// A graph that outlives the iteration that built it.
#[derive(Clone, Debug)]
pub struct Kept {
    /// How it is kept.
    pub keeping: Keeping,
    /// The statement or call that keeps it.
    pub span: Span,
    /// What it is kept in, as written.
    pub target: Span,
    /// The expressions whose values are kept, where they are tensors.
    pub values: Vec<KeptValue>,
    /// Where the code of the user's own function stores it, when `span` is the call that hands it over.
    pub stored_at: Option<Span>,
    /// What a backward does to it.
    pub fate: Fate,
    /// Whether it is a single number.
    pub scalar: bool,
    /// Whether it lies in host memory.
    pub host: bool,
    /// Whether tensors without a graph are kept along with it.
    pub with_tensors: bool,
    /// The forward passes that built it.
    pub built_by: Vec<Span>,
    /// Where each iteration makes a tensor of its own ask for gradients that it is built from.
    pub asking: Option<Span>,
    /// Whether each iteration starts it anew: by a forward pass, or by a call of something unknown that is given no
    /// graph.
    pub starts_inside: bool,
    /// The loop whose iterations pile up.
    pub in_loop: LoopFacts,
    /// Whether some loop around that one trains.
    pub inside_training: bool,
    /// Whether what holds it is emptied, or drops old items, inside that loop.
    pub dropped: bool,
    /// The most items that what holds it can have, if it is bounded.
    pub capacity: Option<Option<u64>>,
    /// Whether what holds it is handed to code that is not in this file.
    pub leaves: bool,
    /// Whether such code gets it as a result, to go on with.
    pub returned: bool,
    /// Where a module that built it was put in evaluation mode by code still under way.
    pub evaluating: Option<Span>,
    /// Where gradients can be switched off around the forward pass that built it.
    pub region: Region,
    /// Whether the target held a plain number before the loop.
    pub from_number: bool,
    /// Whether the program uses methods or attributes of the target.
    pub target_has_methods: bool,
}

/// An expression whose value is kept.
#[derive(Clone, Copy, Debug)]
pub struct KeptValue {
    /// Its bytes, without parentheses around it.
    pub span: Span,
    /// Whether a method call can be written directly behind it.
    pub is_primary: bool,
    /// Whether it is known to be a tensor.
    pub is_tensor: bool,
}

/// A loop.
#[derive(Clone, Copy, Debug)]
pub struct LoopFacts {
    /// Its bytes.
    pub span: Span,
    /// Whether a backward or an optimizer step runs in it, outside any loop inside it.
    pub trains: bool,
    /// Whether one runs in it or in a loop inside it.
    pub trains_within: bool,
    /// Whether it goes over data: a loader, or items that it moves to a device.
    pub over_data: bool,
    /// Whether it is the code of a method of a module.
    pub in_module: bool,
    /// What its iterations follow.
    pub over: Over,
    /// Whether it is given batches: by a loader, or items that are put on a device.
    pub loads: bool,
    /// What is iterated.
    pub iterated: Iterated,
}

/// A forward pass in a loop, recorded for a backward that never comes.
#[derive(Clone, Debug)]
pub struct UnusedForward {
    /// The call.
    pub span: Span,
    /// What is called, as written.
    pub callee: Span,
    /// The other file whose loop runs it, when `span` is the call of that file's code.
    pub elsewhere: Option<Rc<str>>,
    /// The innermost loop it runs in; the call itself, when that is in another file.
    pub in_loop: LoopFacts,
    /// Whether some loop around that one trains.
    pub inside_training: bool,
    /// Whether the next iteration is given its result with the graph.
    pub feeds_back: bool,
    /// Whether it starts from fresh random numbers.
    pub from_noise: bool,
    /// Whether a result without history is taken from it.
    pub consumed: bool,
    /// Whether its graph is kept over the iterations of a loop.
    pub is_kept: bool,
    /// Whether its result is handed, with its graph, to code that is not in this file.
    pub leaves: bool,
    /// Whether such code gets it as a result, to go on with.
    pub returned: bool,
    /// Whether only usage shows that what is called is a module, and nothing in the file trains or evaluates it.
    pub by_usage: bool,
    /// Where the module was put in evaluation mode by code still under way.
    pub evaluating: Option<Span>,
    /// What switches gradients on for the block around it, if anything does.
    pub switched_on: Option<ExprId>,
    /// Whether it runs inside the forward pass of a module of this file.
    pub inside_forward: bool,
    /// Where gradients can be switched off around it.
    pub region: Region,
}

/// Code around which gradients can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Region {
    /// A whole function, which trains nothing.
    Function(FunctionId),
    /// One statement.
    Statement(StmtId),
    /// Nothing that can be wrapped.
    Nothing,
}

impl<'a> Script<'a> {
    /// Reads a lowered module that no other file is known to call.
    pub fn read(module: &'a Module, text: &'a str) -> Self {
        Self::called(module, text, &BTreeMap::new())
    }

    /// Reads a lowered module whose functions other files call like this.
    pub fn called(module: &'a Module, text: &'a str, callers: &BTreeMap<String, Callers>) -> Self {
        let mut outcome = interpret::follow(module, callers);
        let outgoing = std::mem::take(&mut outcome.outgoing);
        let Gathered {
            kept,
            unused,
            states,
            lasting,
            retained,
            hook_stores,
            stashed,
            residents,
            whole_data_runs,
            held_logits,
            calls,
            process,
            caught,
            guarded_library_calls,
            shown,
            shapes,
            meant_to_fail,
            exhausted,
        } = facts::gather(module, outcome);
        let mentions_device = Knowledge::tables().device_words().any(|word| module.mentions(word));
        Self {
            text,
            module,
            kept,
            unused,
            states,
            lasting,
            retained,
            hook_stores,
            stashed,
            residents,
            whole_data_runs,
            held_logits,
            calls,
            process,
            caught,
            library_calls: guarded_library_calls,
            outgoing,
            shown,
            shapes,
            meant_to_fail,
            exhausted,
            mentions_device,
            torch_name: OnceCell::new(),
        }
    }

    /// The text of a range.
    pub fn text_of(&self, span: Span) -> &'a str {
        span.text(self.text)
    }

    /// Whether a statement in a range sets an attribute of this name, of whatever.
    pub fn sets_attribute_in(&self, name: &str, range: Span) -> bool {
        let Some(name) = self.module.symbol(name) else { return false };
        let is_it = |target: &ExprId| matches!(self.module.expr(*target).kind, ExprKind::Attribute { name: set, .. } if set == name);
        let sets = |kind: &StmtKind| match kind {
            StmtKind::Assign { targets, .. } => targets.iter().any(is_it),
            _ => false,
        };
        self.module.stmts().any(|(_, stmt)| range.contains(stmt.span) && sets(&stmt.kind))
    }

    /// The range of the statements of a block.
    pub fn span_of(&self, block: &[StmtId]) -> Span {
        let span = |stmt: &StmtId| self.module.stmt(*stmt).span;
        let start = block.first().map_or(0, |first| span(first).start);
        Span::new(start, block.last().map_or(start, |last| span(last).end))
    }

    /// Whether the module uses an attribute of this name, of whatever.
    pub fn reads_attribute(&self, name: &str) -> bool {
        let Some(name) = self.module.symbol(name) else { return false };
        let is_use =
            |expr: &Expr| matches!(expr.kind, ExprKind::Attribute { name: used, .. } if used == name);
        self.module.exprs().any(|(_, expr)| is_use(expr))
    }

    /// Whether the module sets an attribute of this name to `None` anywhere, of whatever.
    pub fn resets_attribute(&self, name: &str) -> bool {
        let Some(name) = self.module.symbol(name) else { return false };
        let is_it = |target: &ExprId| matches!(self.module.expr(*target).kind, ExprKind::Attribute { name: set, .. } if set == name);
        let is_none =
            |value: ExprId| matches!(self.module.expr(value).kind, ExprKind::Constant(Constant::None));
        self.module.stmts().any(|(_, stmt)| match &stmt.kind {
            StmtKind::Assign { targets, value } => targets.iter().any(is_it) && is_none(*value),
            _ => false,
        })
    }

    /// Whether the module says anything of which process of several it is.
    pub fn mentions_rank(&self) -> bool {
        let words = Knowledge::tables().rank_words();
        let is_text = |expr: &Expr| match &expr.kind {
            ExprKind::Constant(Constant::Text(text)) => words.contains(&text.as_str()),
            _ => false,
        };
        words.iter().any(|word| self.module.symbol(word).is_some())
            || self.module.exprs().any(|(_, expr)| is_text(expr))
    }

    /// A text that is a path on a drive of Windows.
    pub fn windows_path(&self) -> Option<Span> {
        let is_path = |text: &str| {
            let mut letters = text.chars();
            letters.next().is_some_and(|drive| drive.is_ascii_alphabetic())
                && letters.next() == Some(':')
                && matches!(letters.next(), Some('\\' | '/'))
                && letters.next().is_some_and(|letter| letter != '/')
        };
        let mut texts = self.module.exprs();
        texts.find_map(|(_, expr)| match &expr.kind {
            ExprKind::Constant(Constant::Text(text)) if is_path(text) => Some(expr.span),
            _ => None,
        })
    }

    /// The name under which the module knows PyTorch at its top level.
    pub fn torch_name(&self) -> Option<&'a str> {
        *self.torch_name.get_or_init(|| self.find_torch_name())
    }

    fn find_torch_name(&self) -> Option<&'a str> {
        let imported = self.top_level().into_iter().find_map(|stmt| match &self.module.stmt(stmt).kind {
            StmtKind::Import(modules) => modules.iter().find_map(|imported| match imported.alias {
                Some(alias) if imported.path == "torch" => Some(self.module.name(alias)),
                None if imported.path.split('.').next() == Some("torch") => Some("torch"),
                _ => None,
            }),
            _ => None,
        });
        let by_star = interpret::has_star_import(self.module) && self.module.mentions("torch");
        imported.or_else(|| by_star.then_some("torch"))
    }

    /// The statements that run when the module does, in blocks, too, such as `try`.
    fn top_level(&self) -> Vec<StmtId> {
        let mut statements = Vec::new();
        let mut pending: Vec<StmtId> = self.module.body.iter().rev().copied().collect();
        while let Some(stmt) = pending.pop() {
            statements.push(stmt);
            pending.extend(visit::parts(self.module, stmt).stmts.into_iter().rev());
        }
        statements
    }

    /// Where an import can be added for code at an offset: behind the last import at the top level above it, or else
    /// behind the docstring, or else before the first statement.
    pub fn import_place(&self, offset: u32) -> ImportPlace {
        let above = |stmt: &&StmtId| self.module.stmt(**stmt).span.end <= offset;
        let is_import = |stmt: &&StmtId| {
            matches!(self.module.stmt(**stmt).kind, StmtKind::Import(_) | StmtKind::ImportFrom(_))
        };
        let is_docstring = |stmt: &&StmtId| match self.module.stmt(**stmt).kind {
            StmtKind::Expr(expr) => {
                matches!(self.module.expr(expr).kind, ExprKind::Constant(Constant::Text(_)))
            }
            _ => false,
        };
        let import = self.module.body.iter().filter(above).rfind(is_import);
        let behind = import.or_else(|| self.module.body.first().filter(is_docstring));
        let first = self.module.body.first().map_or(0, |stmt| self.module.stmt(*stmt).span.start);
        behind
            .map_or(ImportPlace::Before(first), |stmt| ImportPlace::Behind(self.module.stmt(*stmt).span.end))
    }
}

/// Where an import can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportPlace {
    /// On a line of its own behind the statement that ends here.
    Behind(u32),
    /// On a line of its own before the statement that starts here.
    Before(u32),
}
