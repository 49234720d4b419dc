//! # whole-outputs-kept (OOM204)
//!
//! ## What it finds
//! A list that gets a model's whole output, a record with several tensors, in every iteration of a loop over data.
//!
//! ## Why it costs memory
//! A record holds everything that the model computed for its caller: logits of every token, the cache of keys and values
//! (a causal model returns it unless `use_cache=False`), hidden states and attentions where they were asked for. As long as
//! the list keeps the record, all of it stays on the GPU, even if only the logits are read later.
//!
//! ## Example
//! ```python
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
//! outputs = []
//! with torch.no_grad():
//!     for batch in loader:
//!         outputs.append(model(batch["input_ids"].cuda()))
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
//! outputs = []
//! with torch.no_grad():
//!     for batch in loader:
//!         outputs.append(model(batch["input_ids"].cuda()).logits.cpu())
//! ```
//!
//! ## What stays silent
//! A field of the record that is moved to the host; a record that only lives as long as the iteration. A field that stays
//! on the GPU is OOM203's.
//!
//! ## The fix
//! None: which field is needed is not in the text.
//!
//! ## References
//! transformers 5.24, `modeling_outputs.py`.

use crate::finding::Finding;
use crate::python::script::StashedTensors;
use crate::rules::context::{Context, worst_of_each_place};
use crate::rules::{Rule, stashing};
use crate::texts::text;

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM204",
    name: "whole-outputs-kept",
    summary: "A list keeps all that a model returned, not only what is needed",
    source: include_str!("oom204.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let whole = context.script.stashed.iter().filter(|stashed| stashed.whole && stashed.emptied.is_none());
    worst_of_each_place(whole.filter_map(|stashed| finding(context, stashed)).collect())
}

fn finding(context: &Context, stashed: &StashedTensors) -> Option<Finding> {
    let verdict = stashing::verdict(stashed)?;
    let message = text("stashed-records", &[("target", &stashing::target(context, stashed))]);
    Some(stashing::finding(context, &RULE, stashed, (verdict, message)))
}
