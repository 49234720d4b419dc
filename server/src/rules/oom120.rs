//! # logits-held-across-iterations (OOM120)
//!
//! ## What it finds
//! A loop over batches in which a name still holds the logits of a language model, or the record that they are part of,
//! when the next forward pass makes its own.
//!
//! ## Why it costs memory
//! Logits have an entry for each sequence, token and word of the vocabulary: 4,096 tokens and 150,000 words are 1.1 GiB
//! in bfloat16, and twice that in float32. Python lets the old ones go when the name gets its new value, and that is
//! after the forward pass has made it. At the peak, both are there. It is information, as nearly every such loop does it
//! and how large they are is seldom in the text, and a warning where the model's vocabulary is known and the script gives
//! a length with which they take a GiB or more.
//!
//! ## Example
//! ```python
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("gpt2", dtype="auto").to("cuda")
//! model.gradient_checkpointing_enable()
//! optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
//!
//! for batch in loader:
//!     batch = batch.to("cuda")
//!     outputs = model(input_ids=batch, labels=batch, use_cache=False)
//!     outputs.loss.backward()
//!     optimizer.step()
//!     optimizer.zero_grad()
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("gpt2", dtype="auto").to("cuda")
//! model.gradient_checkpointing_enable()
//! optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
//!
//! for batch in loader:
//!     batch = batch.to("cuda")
//!     outputs = model(input_ids=batch, labels=batch, use_cache=False)
//!     outputs.loss.backward()
//!     del outputs
//!     optimizer.step()
//!     optimizer.zero_grad()
//! ```
//!
//! ## What stays silent
//! Names that are deleted or overwritten before the next forward pass; steps in a function of their own, whose names go
//! with it; `logits_to_keep`, and losses that are computed without all logits (Liger, Cut Cross-Entropy); models with a
//! few labels. A list of logits is OOM203's or OOM102's.
//!
//! ## The fix
//! Safe: deletes the names behind their last use in the loop, where nothing else reads them.
//!
//! ## References
//! Python reference, assignment statements; transformers 5.24, `modeling_outputs.py`; PyTorch FAQ, "My model reports
//! cuda runtime error(2): out of memory".

use vramlens_grammars::Span;

use crate::finding::{Applicability, Confidence, Edit, Finding, Fix, Growth, Severity};
use crate::memory::Bytes;
use crate::models::Catalog;
use crate::python::script::HeldLogits;
use crate::rules::Rule;
use crate::rules::context::{Context, Verdict, worst_of_each_place};
use crate::rules::writing::lines::{Lines, indentation};
use crate::rules::writing::removal::replacement;
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM120",
    name: "logits-held-across-iterations",
    summary: "The logits of a batch are still there when the next ones are made",
    source: include_str!("oom120.rs"),
    check,
};

/// A number of 16 bits: the least that logits are kept in.
const ENTRY_BYTES: u64 = 2;
/// From this many bytes on they can be what does not fit.
const LARGE: u64 = 1 << 30;

fn check(context: &Context) -> Vec<Finding> {
    if !context.script.mentions_device {
        return Vec::new();
    }
    let held = context.script.held_logits.iter();
    worst_of_each_place(held.map(|held| finding(context, held)).collect())
}

fn finding(context: &Context, held: &HeldLogits) -> Finding {
    let bytes = bytes(context, held);
    let large = bytes.filter(|bytes| bytes.0 >= LARGE);
    let severity = if large.is_some() { Severity::Warning } else { Severity::Information };
    let verdict = Verdict { severity, confidence: Confidence::Medium, growth: Growth::Peak };
    let quoted: Vec<String> = held.names.iter().map(|name| format!("`{name}`")).collect();
    let (names, line) = (quoted.join(", "), line(held));
    let message = match large {
        Some(bytes) => {
            let arguments = [("names", &*names), ("line", &line), ("bytes", &bytes.to_string())];
            text("logits-held-large", &arguments)
        }
        None => text("logits-held", &[("names", &names), ("line", &line)]),
    };
    let mut finding = context.finding(&RULE, verdict, held.span, message);
    finding.related.push(context.related(held.in_loop.span, text("logits-loop", &[])));
    finding.saves_bytes = bytes.map(|bytes| bytes.0);
    finding.fix = fix(context, held);
    finding
}

/// What the logits of one batch take, where the text has what it takes to tell.
fn bytes(context: &Context, held: &HeldLogits) -> Option<Bytes> {
    let loaded = || {
        let load = context.script.calls.get(held.model?)?;
        let name = load.arguments.get("pretrained_model_name_or_path", 0)?.value.text()?;
        Catalog::tables().shape(name)?.vocabulary
    };
    let vocabulary = held.vocabulary.or_else(loaded)?;
    Some(Bytes(vocabulary.saturating_mul(held.tokens?).saturating_mul(ENTRY_BYTES)))
}

fn line(held: &HeldLogits) -> String {
    format!("del {}", held.names.join(", "))
}

/// Deletes the names behind the statement that uses them last.
fn fix(context: &Context, held: &HeldLogits) -> Option<Fix> {
    let module = context.script.module;
    let last = module.stmt(held.last_use?).span;
    let lines = Lines::around(context, last.start);
    let before = lines.before(last.start);
    let rest = lines.rest(last.end).trim_start();
    if !before.trim().is_empty() || !(rest.is_empty() || rest.starts_with('#')) {
        return None;
    }
    let line = line(held);
    let content = format!("\n{}{line}", indentation(before));
    let edit: Edit = replacement(context, Span::at(lines.end(last.end)), &content);
    let message = text("logits-delete", &[("line", &line)]);
    Some(Fix { applicability: Applicability::Safe, message, edits: vec![edit] })
}
