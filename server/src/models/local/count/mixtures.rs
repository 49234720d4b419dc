//! Mixtures of experts, as transformers 5.24 builds them.

use super::Count;
use super::decoders::{router, stacked};
use super::shape::{Shape, gated};
use super::sum::{matrix, vector};
use crate::models::local::config::Config;

/// `modeling_mixtral`.
pub fn mixtral(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, false)?;
    let experts = config.number(&["num_local_experts"])?;
    let mixture = router(&shape, experts) + shape.gated(false).as_experts() * experts;
    let layer = shape.attention(false, false) + mixture + vector(shape.hidden) * 2;
    shape.with_head(stacked(&shape, layer), class)
}

/// `modeling_qwen2_moe`: routed experts, and one for all tokens with a gate of its own.
pub fn qwen2_moe(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, false)?;
    let shared = gated(shape.hidden, config.number(&["shared_expert_intermediate_size"])?, false);
    let mixture = routed(&shape, config)? + shared + matrix(shape.hidden, 1);
    let bias = config.flag("qkv_bias").unwrap_or(true);
    let layer = shape.attention(bias, false) + mixture + vector(shape.hidden) * 2;
    shape.with_head(stacked(&shape, layer), class)
}

/// `modeling_qwen3_moe`.
pub fn qwen3_moe(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, false)?;
    let bias = config.flag("attention_bias") == Some(true);
    let norms = vector(shape.hidden) * 2 + vector(shape.head) * 2;
    let layer = shape.attention(bias, bias) + routed(&shape, config)? + norms;
    shape.with_head(stacked(&shape, layer), class)
}

/// The routed experts of a layer, where every layer has them.
fn routed(shape: &Shape, config: Config) -> Option<super::Sum> {
    let dense = config.get(&["mlp_only_layers"]).and_then(|layers| layers.as_array());
    if config.number(&["decoder_sparse_step"]).unwrap_or(1) != 1
        || dense.is_some_and(|layers| !layers.is_empty())
    {
        return None;
    }
    let experts = config.number(&["num_experts"])?;
    let expert = gated(shape.hidden, config.number(&["moe_intermediate_size"])?, false);
    Some(router(shape, experts) + expert.as_experts() * experts)
}
