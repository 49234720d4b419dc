//! # state-not-detached (OOM107)
//!
//! ## What it finds
//! A recurrent network, or anything with a memory, that is given its own last state with the graph still on it, in a
//! loop with a backward in each step: a variable, a tuple of them, or an attribute of the module.
//!
//! ## Why it costs memory
//! The state's graph is that of all steps before. The second backward runs into the first one's graph, whose saved
//! activations are gone, and PyTorch stops: "trying to backward through the graph a second time". With
//! `retain_graph=True` it goes on, and every step keeps its activations and walks through those of all steps before.
//!
//! ## Example
//! ```python
//! import torch
//! from torch import nn
//!
//! rnn = nn.GRU(32, 64).cuda()
//! head = nn.Linear(64, 10).cuda()
//! optimizer = torch.optim.Adam(rnn.parameters())
//!
//! def fit(loader, criterion):
//!     hidden = None
//!     for x, y in loader:
//!         optimizer.zero_grad()
//!         out, hidden = rnn(x.cuda(), hidden)
//!         criterion(head(out[-1]), y.cuda()).backward()
//!         optimizer.step()
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! from torch import nn
//!
//! rnn = nn.GRU(32, 64).cuda()
//! head = nn.Linear(64, 10).cuda()
//! optimizer = torch.optim.Adam(rnn.parameters())
//!
//! def fit(loader, criterion):
//!     hidden = None
//!     for x, y in loader:
//!         optimizer.zero_grad()
//!         out, hidden = rnn(x.cuda(), hidden)
//!         criterion(head(out[-1]), y.cuda()).backward()
//!         optimizer.step()
//!         hidden = hidden.detach()
//! ```
//!
//! ## What stays silent
//! A state that is detached, taken by `.data` or made anew anywhere in the loop; time steps of one batch whose backward
//! comes after them; a network whose class is in another file, which may cut the graph itself, unless the graph is
//! retained.
//!
//! ## The fix
//! Detaches the state at the end of the loop, where what is called says whether it is one tensor or a tuple. Safe: it
//! is what a backward for each step can learn from anyway.
//!
//! ## References
//! PyTorch FAQ, "Don't accumulate history across your training loop"; PyTorch issue 2769; PyTorch examples,
//! `word_language_model`.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Edit, Finding, Fix, Growth, Severity};
use crate::knowledge::states::{State, state_of};
use crate::python::script::CarriedState;
use crate::python::syntax::StmtKind;
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::lines::{Lines, indentation};
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM107",
    name: "state-not-detached",
    summary: "A state carries the graph of every step before into the next",
    source: include_str!("oom107.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let states = context.script.states.iter();
    worst_of_each_place(states.map(|state| finding(context, state)).collect())
}

fn finding(context: &Context, state: &CarriedState) -> Finding {
    let verdict =
        Verdict { severity: Severity::Error, confidence: Confidence::High, growth: Growth::FullGraph };
    let name = state.names.first().map_or(state.callee, |name| name.span);
    let name = context.quote(name);
    let key = if state.retained { "state-retained" } else { "state-carried" };
    let mut finding = context.finding(&RULE, verdict, state.span, text(key, &[("state", &name)]));
    finding.related.push(context.related(state.in_loop.span, text("state-loop", &[])));
    finding.related.push(context.related(state.backward, text("state-backward", &[])));
    finding.fix = fix(context, state);
    finding
}

/// Detaches the variables that hold the state at the end of the loop's body.
fn fix(context: &Context, state: &CarriedState) -> Option<Fix> {
    let variables = state.names.iter().all(|name| name.is_variable);
    if !variables || !state.in_loops_code {
        return None;
    }
    let names: Vec<&str> = state.names.iter().map(|name| context.script.text_of(name.span)).collect();
    let line = match (names.as_slice(), state_of(state.made_from.as_deref()?)?) {
        ([name], State::Tensor) => format!("{name} = {name}.detach()"),
        ([name], State::Tuple) => format!("{name} = tuple(part.detach() for part in {name})"),
        ([one, other], State::Tuple) => format!("{one}, {other} = {one}.detach(), {other}.detach()"),
        _ => return None,
    };
    let message = text("state-detach", &[("line", &line)]);
    Some(Fix { applicability: Applicability::Safe, message, edits: vec![at_end(context, state, &line)?] })
}

/// The edit that writes a line at the end of the loop's body.
fn at_end(context: &Context, state: &CarriedState, line: &str) -> Option<Edit> {
    let module = context.script.module;
    let (StmtKind::For { body, .. } | StmtKind::While { body, .. }) = &module.stmt(state.loop_stmt?).kind
    else {
        return None;
    };
    let last = module.stmt(*body.last()?);
    let lines = Lines::around(context, last.span.start);
    let before = lines.before(module.stmt(*body.first()?).span.start);
    if !before.trim().is_empty() {
        return None;
    }
    let content = format!("\n{}{line}", indentation(before));
    Some(replacement(context, Span::at(lines.end(last.span.end)), &content))
}
