//! Models with an encoder of images or of speech, as transformers 5.24 builds them.

use super::Count;
use super::sum::{Sum, embedding, layer_norm, linear, matrix, vector};
use crate::models::local::config::Config;

/// `modeling_clip`: a tower for texts, one for images, and what projects both into one space.
pub fn clip(config: Config, class: &str) -> Option<Count> {
    let (text, vision) = (config.inner("text_config")?, config.inner("vision_config")?);
    if !class.ends_with("CLIPModel") {
        return None;
    }
    let space = config.inner("text_config").and_then(|_| projection(config))?;
    let words =
        number(text, "vocab_size", 49408)?.saturating_add(number(text, "max_position_embeddings", 77)?);
    let text_hidden = number(text, "hidden_size", 512)?;
    let vision_hidden = number(vision, "hidden_size", 768)?;
    let (image, patch) = (number(vision, "image_size", 224)?, number(vision, "patch_size", 32)?.max(1));
    let pixels = patch.saturating_mul(patch).saturating_mul(3);
    let places = (image / patch).saturating_pow(2).saturating_add(1);
    let texts = embedding(words, text_hidden) + tower(text, [512, 2048, 12])? + layer_norm(text_hidden);
    let images = vector(vision_hidden)
        + embedding(pixels, vision_hidden)
        + embedding(places, vision_hidden)
        + tower(vision, [768, 3072, 12])?
        + layer_norm(vision_hidden) * 2;
    let whole = texts + images + matrix(text_hidden, space) + matrix(vision_hidden, space) + vector(1);
    Some(Count { whole, base: whole })
}

/// The size of the common space: of the whole, not of a tower.
fn projection(config: Config) -> Option<u64> {
    number(config, "projection_dim", 512)
}

/// The layers of a tower. Towers are written without what is usual: hidden, inner, layers.
fn tower(config: Config, [hidden, inner, layers]: [u64; 3]) -> Option<Sum> {
    let hidden = number(config, "hidden_size", hidden)?;
    let inner = number(config, "intermediate_size", inner)?;
    let layer = linear(hidden, hidden, true) * 4
        + linear(hidden, inner, true)
        + linear(inner, hidden, true)
        + layer_norm(hidden) * 2;
    Some(layer * number(config, "num_hidden_layers", layers)?)
}

/// A number of one configuration itself, or what is usual where it is not written; `None` for nonsense.
fn number(config: Config, key: &str, usual: u64) -> Option<u64> {
    if config.get(&[key]).is_none() { Some(usual) } else { config.number(&[key]) }
}

/// `modeling_whisper`: two convolutions before the encoder; the output head is the embedding.
pub fn whisper(config: Config, class: &str) -> Option<Count> {
    if !(class.ends_with("ForConditionalGeneration") || class.ends_with("WhisperModel")) {
        return None;
    }
    let hidden = config.number(&["d_model"])?;
    let attention = linear(hidden, hidden, true) * 3 + matrix(hidden, hidden);
    let feed = |inner: u64| linear(hidden, inner, true) + linear(inner, hidden, true);
    let convolutions = embedding(config.number(&["num_mel_bins"])?.saturating_mul(3), hidden)
        + embedding(hidden.saturating_mul(3), hidden)
        + vector(hidden) * 2;
    let layer = attention + feed(config.number(&["encoder_ffn_dim"])?) + layer_norm(hidden) * 2;
    let encoder = convolutions
        + embedding(config.number(&["max_source_positions"])?, hidden)
        + layer * config.number(&["encoder_layers"])?
        + layer_norm(hidden);
    let layer = attention * 2 + feed(config.number(&["decoder_ffn_dim"])?) + layer_norm(hidden) * 3;
    let decoder = embedding(config.number(&["vocab_size"])?, hidden)
        + embedding(config.number(&["max_target_positions"])?, hidden)
        + layer * config.number(&["decoder_layers"])?
        + layer_norm(hidden);
    let whole = encoder + decoder;
    Some(Count { whole, base: whole })
}
