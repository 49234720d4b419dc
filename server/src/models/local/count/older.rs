//! Decoders with learnt or no positions, layer norms and biases, as transformers 5.24 builds them.

use super::Count;
use super::shape::Shape;
use super::sum::{Sum, embedding, layer_norm, linear, matrix, vector};
use crate::models::local::config::Config;

/// `modeling_gpt2`.
pub fn gpt2(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, true)?;
    with_positions(&shape, shape.attention(true, true), config, class)
}

/// `modeling_gpt_bigcode`: all queries may share one head of keys and values.
pub fn gpt_bigcode(config: Config, class: &str) -> Option<Count> {
    let mut shape = Shape::read(config, true)?;
    if config.flag("multi_query").unwrap_or(true) {
        shape.keys = shape.head;
    }
    with_positions(&shape, shape.attention(true, true), config, class)
}

/// `modeling_gpt_neo`: only the output of the attention has a bias.
pub fn gpt_neo(config: Config, class: &str) -> Option<Count> {
    let read = Shape::read(config, true);
    let heads = config.number(&["num_heads"])?.max(1);
    let shape = match read {
        Some(shape) => shape,
        None => of_gpt_neo(config, heads)?,
    };
    with_positions(&shape, shape.attention(false, true), config, class)
}

/// GPT-Neo's configuration has names of its own.
fn of_gpt_neo(config: Config, heads: u64) -> Option<Shape> {
    let hidden = config.number(&["hidden_size"])?;
    Some(Shape {
        layers: config.number(&["num_layers"])?,
        hidden,
        queries: hidden,
        keys: hidden,
        head: hidden / heads,
        inner: config.number(&["intermediate_size"]).unwrap_or(hidden.saturating_mul(4)),
        vocabulary: config.number(&["vocab_size"])?,
        labels: super::shape::labels(config),
        tied: config.flag("tie_word_embeddings").unwrap_or(true),
    })
}

/// Learnt positions, two norms a layer and one at the end, biases in the feed-forward layers.
fn with_positions(shape: &Shape, attention: Sum, config: Config, class: &str) -> Option<Count> {
    let positions = config.number(&["n_positions", "max_position_embeddings"])?;
    let layer = attention + shape.feed_forward(true) + layer_norm(shape.hidden) * 2;
    let base =
        shape.tokens() + embedding(positions, shape.hidden) + layer * shape.layers + layer_norm(shape.hidden);
    shape.with_head(base, class)
}

/// `modeling_gpt_neox`.
pub fn gpt_neox(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, false)?;
    let bias = config.flag("attention_bias").unwrap_or(true);
    let layer = shape.attention(bias, bias) + shape.feed_forward(true) + layer_norm(shape.hidden) * 2;
    shape.with_head(shape.tokens() + layer * shape.layers + layer_norm(shape.hidden), class)
}

/// `modeling_gptj`, `modeling_codegen`: one norm a layer; the output head has a bias.
pub fn gptj(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, false)?;
    let layer = shape.attention(false, false) + shape.feed_forward(true) + layer_norm(shape.hidden);
    let base = shape.tokens() + layer * shape.layers + layer_norm(shape.hidden);
    let has_head = class.ends_with("ForCausalLM");
    let count = shape.with_head(base, class).filter(|_| has_head || class.ends_with("Model"))?;
    Some(Count { whole: count.whole + vector(shape.vocabulary).when(has_head), ..count })
}

/// `modeling_opt`: two positions more than the configuration says; embeddings may be narrower than the layers.
pub fn opt(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, true)?;
    let bias = config.flag("enable_bias").unwrap_or(true);
    let narrow = config.number(&["word_embed_proj_dim"]).unwrap_or(shape.hidden);
    if !shape.tied {
        return None;
    }
    let norm = layer_norm(shape.hidden).when(config.flag("layer_norm_elementwise_affine").unwrap_or(true));
    let ends_with_norm = config.flag("do_layer_norm_before").unwrap_or(true)
        && config.flag("_remove_final_layer_norm") != Some(true);
    let layer = shape.attention(bias, bias) + shape.feed_forward(bias) + norm * 2;
    let base = embedding(shape.vocabulary, narrow)
        + embedding(config.number(&["max_position_embeddings"])? + 2, shape.hidden)
        + (matrix(narrow, shape.hidden) * 2).when(narrow != shape.hidden)
        + layer * shape.layers
        + norm.when(ends_with_norm);
    shape.with_head(base, class)
}

/// `modeling_bloom`: the embedding is followed by a norm.
pub fn bloom(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, true)?;
    let layer = shape.attention(true, true) + shape.feed_forward(true) + layer_norm(shape.hidden) * 2;
    shape.with_head(shape.tokens() + layer * shape.layers + layer_norm(shape.hidden) * 2, class)
}

/// `modeling_falcon`: three generations of attention.
pub fn falcon(config: Config, class: &str) -> Option<Count> {
    let mut shape = Shape::read(config, true)?;
    let is_new = config.flag("new_decoder_architecture") == Some(true);
    let side_by_side = config.flag("parallel_attn").unwrap_or(true);
    if is_new {
        shape.keys = config.number(&["num_kv_heads"])?.saturating_mul(shape.head);
    } else if config.flag("multi_query").unwrap_or(true) {
        shape.keys = shape.head;
    }
    let norms = match config.number(&["num_ln_in_parallel_attn"]) {
        Some(norms) if is_new => norms,
        None if is_new => 2,
        _ if side_by_side => 1,
        _ => 2,
    };
    let bias = config.flag("bias") == Some(true);
    let up_and_down = linear(shape.hidden, shape.inner, bias) + linear(shape.inner, shape.hidden, bias);
    let layer = shape.attention(bias, bias) + up_and_down + layer_norm(shape.hidden) * norms;
    shape.with_head(shape.tokens() + layer * shape.layers + layer_norm(shape.hidden), class)
}
