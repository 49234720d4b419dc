//! Decoders with rotary positions, as transformers 5.24 builds them.

use super::Count;
use super::shape::Shape;
use super::sum::{Sum, layer_norm, linear, vector};
use crate::models::local::config::Config;

/// Llama and what is built like it: `modeling_llama`, `modeling_mistral`, `modeling_granite`, `modeling_smollm3`.
pub fn llama(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, config.word("model_type") == Some("smollm3"))?;
    let bias = config.flag("attention_bias") == Some(true);
    let layer = shape.attention(bias, bias)
        + shape.gated(config.flag("mlp_bias") == Some(true))
        + vector(shape.hidden) * 2;
    shape.with_head(stacked(&shape, layer), class)
}

/// `modeling_qwen2`: queries, keys and values have biases.
pub fn qwen2(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, false)?;
    let layer = shape.attention(true, false) + shape.gated(false) + vector(shape.hidden) * 2;
    shape.with_head(stacked(&shape, layer), class)
}

/// `modeling_qwen3`: queries and keys are normalized head by head.
pub fn qwen3(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, false)?;
    let bias = config.flag("attention_bias") == Some(true);
    let norms = vector(shape.hidden) * 2 + vector(shape.head) * 2;
    shape.with_head(stacked(&shape, shape.attention(bias, bias) + shape.gated(false) + norms), class)
}

/// `modeling_gemma`.
pub fn gemma(config: Config, class: &str) -> Option<Count> {
    gemma_with(config, class, |shape| vector(shape.hidden) * 2)
}

/// `modeling_gemma2`: norms before and after each half of a layer.
pub fn gemma2(config: Config, class: &str) -> Option<Count> {
    gemma_with(config, class, |shape| vector(shape.hidden) * 4)
}

/// `modeling_gemma3`: queries and keys are normalized head by head, too.
pub fn gemma3(config: Config, class: &str) -> Option<Count> {
    gemma_with(config, class, |shape| vector(shape.hidden) * 4 + vector(shape.head) * 2)
}

fn gemma_with(config: Config, class: &str, norms: fn(&Shape) -> Sum) -> Option<Count> {
    let shape = Shape::read(config, true)?;
    let bias = config.flag("attention_bias") == Some(true);
    let layer = shape.attention(bias, bias) + shape.gated(false) + norms(&shape);
    shape.with_head(stacked(&shape, layer), class)
}

/// `modeling_olmo2`: all queries, and all keys, are normalized together.
pub fn olmo2(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, false)?;
    let bias = config.flag("attention_bias") == Some(true);
    let norms = vector(shape.hidden) * 2 + vector(shape.queries) + vector(shape.keys);
    shape.with_head(stacked(&shape, shape.attention(bias, bias) + shape.gated(false) + norms), class)
}

/// `modeling_phi3`: one matrix for queries, keys and values, one for gate and up; the same number in all.
pub fn phi3(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, false)?;
    let layer = shape.attention(false, false) + shape.gated(false) + vector(shape.hidden) * 2;
    shape.with_head(stacked(&shape, layer), class)
}

/// `modeling_phi`: one norm a layer, biases everywhere, in the output head too.
pub fn phi(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, false)?;
    if config.flag("qk_layernorm") == Some(true)
        || !(class.ends_with("ForCausalLM") || class.ends_with("Model"))
    {
        return None;
    }
    let layer = shape.attention(true, true) + shape.feed_forward(true) + layer_norm(shape.hidden);
    let base = shape.tokens() + layer * shape.layers + layer_norm(shape.hidden);
    let count = shape.with_head(base, class)?;
    let has_head = class.ends_with("ForCausalLM");
    Some(Count { whole: count.whole + vector(shape.vocabulary).when(has_head), ..count })
}

/// `modeling_cohere`: one norm a layer, without a bias.
pub fn cohere(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, true)?;
    if config.flag("use_qk_norm") == Some(true) {
        return None;
    }
    let bias = config.flag("attention_bias") == Some(true);
    let layer = shape.attention(bias, bias) + shape.gated(false) + vector(shape.hidden);
    shape.with_head(stacked(&shape, layer), class)
}

/// `modeling_stablelm`: layer norms with biases, one a layer where its halves run side by side.
pub fn stablelm(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, false)?;
    if config.flag("qk_layernorm") == Some(true) {
        return None;
    }
    let norms = if config.flag("use_parallel_residual") == Some(true) { 1 } else { 2 };
    let bias = config.flag("use_qkv_bias") == Some(true);
    let layer = shape.attention(bias, false) + shape.gated(false) + layer_norm(shape.hidden) * norms;
    shape.with_head(shape.tokens() + layer * shape.layers + layer_norm(shape.hidden), class)
}

/// The embedding, the layers and the last norm.
pub fn stacked(shape: &Shape, layer: Sum) -> Sum {
    shape.tokens() + layer * shape.layers + vector(shape.hidden)
}

/// A router that scores each expert.
pub fn router(shape: &Shape, experts: u64) -> Sum {
    linear(shape.hidden, experts, false)
}
