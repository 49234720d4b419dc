//! # autocast-around-backward (OOM116)
//!
//! ## What it finds
//! A `with torch.autocast(…)` block that contains the backward, or the whole training loop.
//!
//! ## Why it costs memory
//! Autocast makes a 16-bit copy of every weight that it uses and keeps the copies until the outermost block ends: two
//! bytes for each parameter. Around the backward they stay while the gradients are made, where they would else be freed
//! layer by layer. Around the whole loop they stay all the time, and they are not made again after an
//! optimizer's step: the next forward pass uses the weights of the first.
//!
//! ## Example
//! ```python
//! import torch
//!
//! model = torch.nn.Linear(4096, 4096).cuda()
//! optimizer = torch.optim.AdamW(model.parameters())
//! with torch.autocast("cuda", dtype=torch.bfloat16):
//!     for batch in loader:
//!         loss = model(batch.cuda()).mean()
//!         loss.backward()
//!         optimizer.step()
//!         optimizer.zero_grad()
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//!
//! model = torch.nn.Linear(4096, 4096).cuda()
//! optimizer = torch.optim.AdamW(model.parameters())
//! for batch in loader:
//!     with torch.autocast("cuda", dtype=torch.bfloat16):
//!         loss = model(batch.cuda()).mean()
//!     loss.backward()
//!     optimizer.step()
//!     optimizer.zero_grad()
//! ```
//!
//! ## What stays silent
//! A block around the forward pass and the loss; one around an evaluation, where the copies save time and the
//! weights do not change; `enabled=False` and `cache_enabled=False`.
//!
//! ## The fix
//! None: which statements belong into the block is for you to say.
//!
//! ## References
//! PyTorch documentation, "Automatic Mixed Precision package", `torch.autocast`; PyTorch 2.15,
//! `aten/src/ATen/autocast_mode.cpp`.

use crate::finding::{Confidence, Finding, Growth, Severity};
use crate::knowledge::Role;
use crate::python::enclosing::Inside;
use crate::python::library_call::{Known, LibraryCall};
use crate::python::syntax::{StmtId, StmtKind};
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM116",
    name: "autocast-around-backward",
    summary: "The 16-bit copies of the weights are kept through the backward or the whole loop",
    source: include_str!("oom116.rs"),
    check,
};

/// The options that say whether autocast, and its cache of copies, are on.
const SWITCHES: [&str; 2] = ["enabled", "cache_enabled"];

fn check(context: &Context) -> Vec<Finding> {
    let backwards = context.script.calls.iter().filter(|call| call.role == Role::Backward);
    worst_of_each_place(backwards.filter_map(|backward| finding(context, backward)).collect())
}

fn finding(context: &Context, backward: &LibraryCall) -> Option<Finding> {
    let around = context.script.around_in_function(backward.span);
    let entered = |inside: &Inside| autocast_of(context, inside.stmt);
    let (place, autocast) =
        around.iter().enumerate().find_map(|(place, inside)| Some((place, entered(inside)?)))?;
    let with = around.get(place)?.stmt;
    let steps =
        around.iter().skip(place + 1).any(|inside| is_loop(context, inside)) && steps_within(context, with);
    let (severity, message) = if steps {
        (Severity::Warning, text("autocast-around-loop", &[]))
    } else {
        (Severity::Information, text("autocast-around-backward", &[]))
    };
    let verdict = Verdict { severity, confidence: Confidence::High, growth: Growth::Peak };
    let mut finding = context.finding(&RULE, verdict, autocast.span, message);
    finding.related.push(context.related(backward.span, text("autocast-backward-here", &[])));
    Some(finding)
}

/// The autocast that a statement enters, if it keeps copies.
fn autocast_of<'a>(context: &Context<'a>, stmt: StmtId) -> Option<&'a LibraryCall> {
    let StmtKind::With { items, .. } = &context.script.module.stmt(stmt).kind else { return None };
    let is_off = |call: &LibraryCall| {
        let given = SWITCHES.iter().filter_map(|switch| call.arguments.named(switch));
        given.into_iter().any(|given| given.value != Known::Bool(true))
    };
    let mut autocasts =
        context.script.calls.iter().filter(|call| call.role == Role::Autocast && !is_off(call));
    autocasts.find(|call| items.iter().any(|(item, _)| *item == call.expr))
}

fn is_loop(context: &Context, inside: &Inside) -> bool {
    let kind = &context.script.module.stmt(inside.stmt).kind;
    matches!(kind, StmtKind::For { .. } | StmtKind::While { .. })
}

/// Whether whole training steps run in a block: gradients are cleared in it, too.
fn steps_within(context: &Context, with: StmtId) -> bool {
    let block = context.script.module.stmt(with).span;
    let mut calls = context.script.calls.iter();
    calls.any(|call| call.role == Role::ZeroGrad && block.contains(call.span))
}
