//! The dimensions that most language models share.

use super::Count;
use super::sum::{Sum, embedding, linear, matrix};
use crate::models::local::config::Config;

/// The dimensions of a decoder.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Layers.
    pub layers: u64,
    /// Features of the residual stream.
    pub hidden: u64,
    /// Features of all query heads together.
    pub queries: u64,
    /// Features of all key heads together, and of all value heads.
    pub keys: u64,
    /// Features of one head.
    pub head: u64,
    /// Features inside the feed-forward layer.
    pub inner: u64,
    /// Entries of the vocabulary.
    pub vocabulary: u64,
    /// Labels of a classifier.
    pub labels: u64,
    /// Whether the output head is the input embedding.
    pub tied: bool,
}

impl Shape {
    /// Reads the dimensions, under the names of newer configurations or of GPT-2's. `tied` is what the family's
    /// configuration has where the file says nothing. A feed-forward layer without a size has four times the features.
    pub fn read(config: Config, tied: bool) -> Option<Self> {
        let hidden = config.number(&["hidden_size", "n_embd", "dim"])?;
        let heads = config.number(&["num_attention_heads", "n_head", "n_heads"])?.max(1);
        let groups = config.number(&["num_key_value_heads"]).unwrap_or(heads);
        let head = config.number(&["head_dim"]).unwrap_or(hidden / heads);
        let inner =
            config.number(&["intermediate_size", "n_inner", "ffn_hidden_size", "ffn_dim", "hidden_dim"]);
        Some(Self {
            layers: config.number(&["num_hidden_layers", "n_layer", "n_layers"])?,
            hidden,
            queries: heads.saturating_mul(head),
            keys: groups.saturating_mul(head),
            head,
            inner: inner.unwrap_or(hidden.saturating_mul(4)),
            vocabulary: config.number(&["vocab_size"])?,
            labels: labels(config),
            tied: config.flag("tie_word_embeddings").unwrap_or(tied),
        })
    }

    /// Queries, keys, values and output.
    pub fn attention(&self, bias: bool, output_bias: bool) -> Sum {
        linear(self.hidden, self.queries, bias)
            + linear(self.hidden, self.keys, bias) * 2
            + linear(self.queries, self.hidden, output_bias)
    }

    /// Gate, up and down.
    pub fn gated(&self, bias: bool) -> Sum {
        gated(self.hidden, self.inner, bias)
    }

    /// Up and down.
    pub fn feed_forward(&self, bias: bool) -> Sum {
        linear(self.hidden, self.inner, bias) + linear(self.inner, self.hidden, bias)
    }

    /// The input embedding.
    pub fn tokens(&self) -> Sum {
        embedding(self.vocabulary, self.hidden)
    }

    /// The base model with what a class adds to it; `None` for a class that is not known.
    pub fn with_head(&self, base: Sum, class: &str) -> Option<Count> {
        let head = if class.ends_with("ForCausalLM") || class.ends_with("LMHeadModel") {
            self.tokens().when(!self.tied)
        } else if class.ends_with("ForSequenceClassification") {
            matrix(self.hidden, self.labels)
        } else if class.ends_with("Model") {
            Sum::default()
        } else {
            return None;
        };
        Some(Count { whole: base + head, base })
    }
}

/// Gate, up and down of any size.
pub fn gated(hidden: u64, inner: u64, bias: bool) -> Sum {
    linear(hidden, inner, bias) * 2 + linear(inner, hidden, bias)
}

/// The labels of a classifier: two unless the configuration names them.
pub fn labels(config: Config) -> u64 {
    let named = config.get(&["id2label"]).and_then(|labels| labels.as_object());
    let counted = named.map(|labels| labels.len() as u64);
    counted.or_else(|| config.number(&["num_labels"])).unwrap_or(2)
}
