//! # sampling-with-gradients (OOM216)
//!
//! ## What it finds
//! A loop that gives a network its own last result again and again, with gradients on and no backward to use them: the
//! denoising steps of a diffusion model, a decoder that writes token after token, a rollout.
//!
//! ## Why it costs memory
//! Each step's result has the graph of all steps before, so nothing that a step saved for a backward can be freed before
//! the loop ends. A thousand denoising steps keep a thousand U-Net passes; a decoder keeps one pass for each token.
//! `eval()` changes nothing about that.
//!
//! ## Example
//! ```python
//! import torch
//! from torch import nn
//!
//! denoiser = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64)).cuda()
//!
//! def sample(steps):
//!     x = torch.randn(16, 64).cuda()
//!     for step in range(steps):
//!         x = x - 0.01 * denoiser(x)
//!     return x.cpu()
//! ```
//!
//! Use instead:
//! ```python
//! import torch
//! from torch import nn
//!
//! denoiser = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64)).cuda()
//!
//! @torch.no_grad()
//! def sample(steps):
//!     x = torch.randn(16, 64).cuda()
//!     for step in range(steps):
//!         x = x - 0.01 * denoiser(x)
//!     return x.cpu()
//! ```
//!
//! ## What stays silent
//! Loops under `no_grad` or `inference_mode`, steps that detach what they pass on, rollouts that a loss goes back
//! through, layers of one network, loops of a handful of steps, `generate()` and pipelines, which switch gradients off
//! themselves. A loop over a loader that carries a state along is OOM201 or OOM202.
//!
//! ## The fix
//! As for OOM201.
//!
//! ## References
//! PyTorch documentation, "Autograd mechanics: locally disabling gradient computation".

use crate::finding::Finding;
use crate::rules::context::{Context, worst_of_each_place};
use crate::rules::{Rule, no_grad};

/// The rule as the registry knows it.
pub const RULE: Rule = Rule {
    code: "OOM216",
    name: "sampling-with-gradients",
    summary: "A loop feeds a network its own result with gradients on",
    source: include_str!("oom216.rs"),
    check,
};

fn check(context: &Context) -> Vec<Finding> {
    let forwards = no_grad::first_of_each_loop(context.script);
    let sampling = forwards.into_iter().filter(|forward| no_grad::is_sampling(forward));
    worst_of_each_place(sampling.filter_map(|forward| no_grad::finding(context, &RULE, forward)).collect())
}
