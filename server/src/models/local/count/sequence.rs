//! Encoders and decoders of text together, as transformers 5.24 builds them.

use super::Count;
use super::sum::{Sum, embedding, matrix, vector};
use crate::models::local::config::Config;

/// `modeling_t5`, `modeling_mt5`: relative positions in the first layer of each half; the last matrix of each feed-forward
/// layer stays in float32 when float16 is asked for.
pub fn t5(config: Config, class: &str) -> Option<Count> {
    let hidden = config.number(&["d_model"])?;
    let heads = config.number(&["num_heads"])?;
    let inner = config.number(&["d_ff"])?;
    let layers = config.number(&["num_layers"])?;
    let features = heads.saturating_mul(config.number(&["d_kv"])?);
    let gated = config.word("feed_forward_proj").is_some_and(|kind| kind.starts_with("gated"));
    let attention = matrix(hidden, features) * 3 + matrix(features, hidden) + vector(hidden);
    let feed = matrix(hidden, inner) * if gated { 2 } else { 1 }
        + matrix(inner, hidden).in_float32()
        + vector(hidden);
    let positions = embedding(config.number(&["relative_attention_num_buckets"])?, heads);
    let words = embedding(config.number(&["vocab_size"])?, hidden);
    let encoder = (attention + feed) * layers + positions + vector(hidden);
    let decoder_layers = config.number(&["num_decoder_layers"]).unwrap_or(layers);
    let base = words + encoder + (attention * 2 + feed) * decoder_layers + positions + vector(hidden);
    if class.ends_with("EncoderModel") {
        return Some(Count { whole: words + encoder, base });
    }
    let head = match class {
        _ if class.ends_with("ForConditionalGeneration") => {
            words.when(config.flag("tie_word_embeddings") == Some(false))
        }
        _ if class.ends_with("Model") => Sum::default(),
        _ => return None,
    };
    Some(Count { whole: base + head, base })
}
