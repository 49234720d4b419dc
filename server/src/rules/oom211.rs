//! # pipeline-full-precision (OOM211)
//!
//! ## What it finds
//! A `pipeline(…)` of transformers on the GPU without a type: before transformers 5 its model becomes float32.
//!
//! ## Why it costs memory
//! A float32 weight takes 4 bytes, a bfloat16 one 2, and nearly all current checkpoints store 16 bits.
//!
//! ## Example
//! ```python
//! import torch
//! from transformers import pipeline
//!
//! generate = pipeline("text-generation", "meta-llama/Llama-2-7b-hf", device=0)
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! from transformers import pipeline
//!
//! generate = pipeline("text-generation", "meta-llama/Llama-2-7b-hf", device=0, torch_dtype=torch.bfloat16)
//! ```
//!
//! ## What stays silent
//! transformers 5 and later; pipelines with a type; models that are not known or have fewer than 100 million
//! parameters; pipelines on the host.
//!
//! ## The fix
//! Adds `torch_dtype=torch.bfloat16`, or `dtype=` from transformers 4.56 on. Unsafe: results change in the last digits.
//!
//! ## References
//! transformers 4.57.6 and 5.0.0, `pipelines/__init__.py`.

use crate::finding::Finding;
use crate::knowledge::Role;
use crate::rules::context::Context;
use crate::rules::{Rule, oom303};

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM211",
    name: "pipeline-full-precision",
    summary: "A pipeline of transformers loads its model in float32",
    source: include_str!("oom211.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    oom303::of_role(context, Role::TaskPipeline, &RULE)
}
