//! Encoders of text and of images, as transformers 5.24 builds them.

use super::Count;
use super::shape::{Shape, labels};
use super::sum::{Sum, embedding, layer_norm, linear, vector};
use crate::models::local::config::Config;

/// A layer of BERT and of all that came from it: biases everywhere, a norm after each half.
fn layer(shape: &Shape) -> Sum {
    shape.attention(true, true) + shape.feed_forward(true) + layer_norm(shape.hidden) * 2
}

/// What a class adds to an encoder, by what it is for. `None` for a class that is not known.
struct Heads {
    /// What only the base class has.
    pooler: Sum,
    /// What predicts masked tokens, without the tied embedding.
    masked: Sum,
    /// What classifies a text. It may hold a pooler.
    classifier: Sum,
}

impl Heads {
    fn count(&self, shape: &Shape, body: Sum, class: &str) -> Option<Count> {
        let head = if class.ends_with("ForMaskedLM") {
            self.masked
        } else if class.ends_with("ForSequenceClassification") {
            self.classifier
        } else if class.ends_with("ForTokenClassification") || class.ends_with("ForQuestionAnswering") {
            linear(shape.hidden, shape.labels, true)
        } else if class.ends_with("Model") {
            self.pooler
        } else {
            return None;
        };
        Some(Count { whole: body + head, base: body + self.pooler })
    }
}

/// `modeling_bert`.
pub fn bert(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, true)?;
    let dense = linear(shape.hidden, shape.hidden, true);
    let masked = dense + layer_norm(shape.hidden) + vector(shape.vocabulary);
    let body = tokens_with_positions(&shape, shape.hidden, config)? + layer(&shape) * shape.layers;
    if class.ends_with("ForPreTraining") {
        let base = body + dense;
        return Some(Count { whole: base + masked + linear(shape.hidden, 2, true), base });
    }
    let classifier = dense + linear(shape.hidden, shape.labels, true);
    Heads { pooler: dense, masked, classifier }.count(&shape, body, class)
}

/// `modeling_roberta`, `modeling_xlm_roberta`, `modeling_camembert`.
pub fn roberta(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, true)?;
    let dense = linear(shape.hidden, shape.hidden, true);
    let masked = dense + layer_norm(shape.hidden) + vector(shape.vocabulary);
    let body = tokens_with_positions(&shape, shape.hidden, config)? + layer(&shape) * shape.layers;
    let classifier = dense + linear(shape.hidden, shape.labels, true);
    Heads { pooler: dense, masked, classifier }.count(&shape, body, class)
}

/// `modeling_distilbert`: no types of tokens, no pooler.
pub fn distilbert(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, true)?;
    let positions = config.number(&["max_position_embeddings"])?;
    let dense = linear(shape.hidden, shape.hidden, true);
    let body = shape.tokens()
        + embedding(positions, shape.hidden)
        + layer_norm(shape.hidden)
        + layer(&shape) * shape.layers;
    let masked = dense + layer_norm(shape.hidden) + vector(shape.vocabulary);
    let classifier = dense + linear(shape.hidden, shape.labels, true);
    Heads { pooler: Sum::default(), masked, classifier }.count(&shape, body, class)
}

/// `modeling_electra`: embeddings may be narrower than the layers.
pub fn electra(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, true)?;
    let narrow = config.number(&["embedding_size"])?;
    let dense = linear(shape.hidden, shape.hidden, true);
    let body = tokens_with_positions(&shape, narrow, config)?
        + linear(narrow, shape.hidden, true).when(narrow != shape.hidden)
        + layer(&shape) * shape.layers;
    if class.ends_with("ForPreTraining") {
        return Some(Count { whole: body + dense + linear(shape.hidden, 1, true), base: body });
    }
    let masked = linear(shape.hidden, narrow, true) + layer_norm(narrow) + vector(shape.vocabulary);
    let classifier = dense + linear(shape.hidden, shape.labels, true);
    Heads { pooler: Sum::default(), masked, classifier }.count(&shape, body, class)
}

/// `modeling_deberta_v2`, as its version 3 uses it: relative positions, no types of tokens.
pub fn deberta_v2(config: Config, class: &str) -> Option<Count> {
    let shape = Shape::read(config, true)?;
    let is_covered = config.flag("share_att_key") == Some(true)
        && config.flag("relative_attention") == Some(true)
        && config.flag("position_biased_input") == Some(false)
        && config.number(&["type_vocab_size"]).unwrap_or(0) == 0
        && config.number(&["conv_kernel_size"]).unwrap_or(0) == 0
        && config.number(&["embedding_size"]).is_none_or(|size| size == shape.hidden);
    if !is_covered {
        return None;
    }
    let distances =
        config.number(&["position_buckets"]).or_else(|| config.number(&["max_position_embeddings"]))?;
    let normalizes = config.word("norm_rel_ebd").is_some_and(|words| words.contains("layer_norm"));
    let body = shape.tokens()
        + layer_norm(shape.hidden)
        + embedding(distances.saturating_mul(2), shape.hidden)
        + layer_norm(shape.hidden).when(normalizes)
        + layer(&shape) * shape.layers;
    let dense = linear(shape.hidden, shape.hidden, true);
    let masked = dense + layer_norm(shape.hidden) + vector(shape.vocabulary);
    let classifier = dense + linear(shape.hidden, shape.labels, true);
    Heads { pooler: Sum::default(), masked, classifier }.count(&shape, body, class)
}

/// Tokens, learnt positions and types of tokens, and the norm after them.
fn tokens_with_positions(shape: &Shape, features: u64, config: Config) -> Option<Sum> {
    let positions = config.number(&["max_position_embeddings"])?;
    let types = config.number(&["type_vocab_size"])?;
    let entries = shape.vocabulary.saturating_add(positions).saturating_add(types);
    Some(embedding(entries, features) + layer_norm(features))
}

/// `modeling_vit`: patches by a convolution, a token for the class, learnt positions.
pub fn vit(config: Config, class: &str) -> Option<Count> {
    let hidden = config.number(&["hidden_size"])?;
    let inner = config.number(&["intermediate_size"])?;
    let (image, patch) = (config.number(&["image_size"])?, config.number(&["patch_size"])?.max(1));
    let pixels = patch.saturating_mul(patch).saturating_mul(config.number(&["num_channels"]).unwrap_or(3));
    let places = (image / patch).saturating_pow(2).saturating_add(1);
    let bias = config.flag("qkv_bias").unwrap_or(true);
    let layer = linear(hidden, hidden, bias) * 3
        + linear(hidden, hidden, true)
        + linear(hidden, inner, true)
        + linear(inner, hidden, true)
        + layer_norm(hidden) * 2;
    let body = vector(hidden) * 2
        + embedding(pixels, hidden)
        + embedding(places, hidden)
        + layer * config.number(&["num_hidden_layers"])?
        + layer_norm(hidden);
    let pooler = linear(hidden, hidden, true);
    let head = match class {
        _ if class.ends_with("ForImageClassification") => linear(hidden, labels(config), true),
        _ if class.ends_with("Model") => pooler,
        _ => return None,
    };
    Some(Count { whole: body + head, base: body + pooler })
}
