//! # step-outputs-never-cleared (OOM104)
//!
//! ## What it finds
//! A list on a Lightning module or callback that a `*_step` or `*_batch_end` hook fills for every batch and that no
//! other method ever empties.
//!
//! ## Why it costs memory
//! Up to version 1.9, Lightning collected what the steps returned, handed it to `validation_epoch_end` and dropped it.
//! Version 2 removed that: what a module wants at the end of the epoch it keeps itself, and nobody drops it. The list
//! lives as long as the module, so the tensors of every epoch stay on the GPU.
//!
//! ## Example
//! ```python
//! import torch
//! import lightning as L
//!
//! class Classifier(L.LightningModule):
//!     def __init__(self):
//!         super().__init__()
//!         self.net = torch.nn.Linear(512, 1000)
//!         self.outputs = []
//!
//!     def validation_step(self, batch, batch_idx):
//!         self.outputs.append(self.net(batch))
//!
//!     def on_validation_epoch_end(self):
//!         self.log("spread", torch.cat(self.outputs).std())
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! import lightning as L
//!
//! class Classifier(L.LightningModule):
//!     def __init__(self):
//!         super().__init__()
//!         self.net = torch.nn.Linear(512, 1000)
//!         self.outputs = []
//!
//!     def validation_step(self, batch, batch_idx):
//!         self.outputs.append(self.net(batch))
//!
//!     def on_validation_epoch_end(self):
//!         self.log("spread", torch.cat(self.outputs).std())
//!         self.outputs.clear()
//! ```
//!
//! ## What stays silent
//! `self.log(...)`, metrics of torchmetrics, and what is moved to the host before it is kept. A list that some other
//! method clears or replaces is told as information by OOM203: it holds an epoch's tensors, not those of all epochs. What
//! is kept with its graph is OOM102's.
//!
//! ## The fix
//! Safe: `clear()` at the end of the hook that ends the epoch, where the class has one and nothing in it returns early.
//!
//! ## References
//! Lightning documentation, "Migrate from 1.x to the 2.0 version: `validation_epoch_end`"; lightning 2.6.6,
//! `trainer/configuration_validator.py`.

use vramlens_grammars::Span;

use crate::finding::{Applicability, Edit, Finding, Fix, Severity};
use crate::python::script::{Emptied, StashedTensors};
use crate::python::syntax::{FunctionBody, FunctionId, StmtKind};
use crate::rules::context::{Context, worst_of_each_place};
use crate::rules::writing::lines::indentation;
use crate::rules::{Rule, stashing};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM104",
    name: "step-outputs-never-cleared",
    summary: "A Lightning hook fills a list that nothing empties",
    source: include_str!("oom104.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    worst_of_each_place(
        context.script.stashed.iter().filter_map(|stashed| finding(context, stashed)).collect(),
    )
}

fn finding(context: &Context, stashed: &StashedTensors) -> Option<Finding> {
    let Some(Emptied::Never { epoch_end }) = stashed.emptied else { return None };
    let verdict = stashing::verdict(stashed)?;
    let target = context.quote(stashed.target);
    let small = verdict.severity < Severity::Warning;
    let key = if small { "step-outputs-small" } else { "step-outputs-kept" };
    let message = text(key, &[("target", &target)]);
    let mut finding = stashing::finding(context, &RULE, stashed, (verdict, message));
    finding.fix = epoch_end.and_then(|function| clear_at_end(context, &target, function));
    Some(finding)
}

/// Writes a line that empties the list behind the last line of a method.
fn clear_at_end(context: &Context, target: &str, function: FunctionId) -> Option<Fix> {
    let module = context.script.module;
    let definition = module.function(function);
    let FunctionBody::Block(body) = &definition.body else { return None };
    let own = module.name(definition.parameters.first()?.name);
    let leaves_early = module.stmts().any(|(_, stmt)| {
        matches!(stmt.kind, StmtKind::Return(_) | StmtKind::Raise(_)) && definition.span.contains(stmt.span)
    });
    if leaves_early || !target.starts_with(&format!("{own}.")) {
        return None;
    }
    let last = module.stmt(*body.last()?).span;
    let before = context.script.text.get(..last.start as usize)?;
    let line = before.get(before.rfind('\n')? + 1..)?;
    if !line.trim().is_empty() {
        return None;
    }
    // Behind a comment on the last line, too.
    let rest = context.script.text.get(last.end as usize..)?;
    let end = last.end + u32::try_from(rest.find('\n').unwrap_or(rest.len())).ok()?;
    let edit = Edit {
        location: context.locate(Span::at(end)),
        content: format!("\n{}{target}.clear()", indentation(line)),
    };
    let message = text("step-outputs-fix", &[("target", target)]);
    Some(Fix { applicability: Applicability::Safe, message, edits: vec![edit] })
}
