//! Models with an encoder and a decoder.

use super::{activation, probability};
use crate::memory::replay::Activation;
use crate::memory::transformers::{Architecture, Audio, Family, Pair, RelativePair, Task};
use crate::models::local::config::Config;

/// A model with two stacks whose family is known.
pub fn read(family: &str, config: Config) -> Option<Architecture> {
    match family {
        "t5" | "mt5" | "umt5" | "longt5" => t5(family, config),
        "bart" | "mbart" | "pegasus" | "marian" | "whisper" => pair(family, config),
        _ => None,
    }
}

fn t5(family: &str, config: Config) -> Option<Architecture> {
    if !matches!(family, "t5" | "mt5") {
        return None;
    }
    let class = config.class()?;
    let layers = config.number(&["num_layers"])?;
    let usual = if family == "t5" { "relu" } else { "gated-gelu" };
    let kind = config.word("feed_forward_proj").unwrap_or(usual);
    let gated = kind.starts_with("gated-");
    // `gated-gelu` means the GELU that is written out.
    let name = if kind == "gated-gelu" { "gelu_new" } else { kind.trim_start_matches("gated-") };
    let heads = config.number(&["num_heads"])?.max(1);
    let decoder_layers = match class {
        _ if class.ends_with("EncoderModel") => 0,
        _ if class.ends_with("ForConditionalGeneration") => {
            config.number(&["num_decoder_layers"]).unwrap_or(layers)
        }
        _ => return None,
    };
    // Newer transformers tie the output head whatever the file says, which now tells of the scale alone
    // (`T5Config.__post_init__`).
    let scales_output = family == "t5" && config.flag("tie_word_embeddings") != Some(false);
    let pair = RelativePair {
        decoder_layers,
        buckets: config.number(&["relative_attention_num_buckets"]).unwrap_or(32),
        gated,
        scales_output,
    };
    Some(Architecture {
        family: Family::RelativePair(pair),
        task: if decoder_layers == 0 { Task::Base } else { Task::MaskedLanguage },
        layers,
        hidden: config.number(&["d_model"])?,
        heads,
        groups: heads,
        head: config.number(&["d_kv"])?,
        inner: config.number(&["d_ff"])?,
        vocabulary: config.number(&["vocab_size"])?,
        labels: 0,
        tied: true,
        activation: Activation::named(name)?,
        dropout: probability(config, &["dropout_rate"], 0.1),
        attention_dropout: 0.0,
        guessed: false,
    })
}

fn pair(family: &str, config: Config) -> Option<Architecture> {
    if !config.class()?.ends_with("ForConditionalGeneration") && !config.class()?.ends_with("MTModel") {
        return None;
    }
    let hidden = config.number(&["d_model"])?;
    let layers = config.number(&["encoder_layers"])?;
    let heads = config.number(&["encoder_attention_heads"])?.max(1);
    let number = |key: &str, usual: u64| config.number(&[key]).unwrap_or(usual);
    let inner = number("encoder_ffn_dim", 4096);
    let audio = family == "whisper";
    let source = number("max_source_positions", 1500);
    // BART and mBART have two positions more than the configuration says.
    let extra = if matches!(family, "bart" | "mbart") { 2 } else { 0 };
    let text = number("max_position_embeddings", 1024).saturating_add(extra);
    let pair = Pair {
        decoder_layers: number("decoder_layers", layers),
        decoder_heads: number("decoder_attention_heads", heads).max(1),
        decoder_inner: number("decoder_ffn_dim", inner),
        positions: if audio { source } else { text },
        decoder_positions: if audio { number("max_target_positions", 448) } else { text },
        norm_before: matches!(family, "mbart" | "pegasus" | "whisper"),
        embedding_norm: matches!(family, "bart" | "mbart"),
        final_norm: matches!(family, "mbart" | "pegasus" | "whisper"),
        embedding_scaled: config.flag("scale_embedding") == Some(true),
        activation_dropout: probability(config, &["activation_dropout"], 0.0),
        audio: audio.then(|| Audio { bands: number("num_mel_bins", 80), frames: source.saturating_mul(2) }),
    };
    Some(Architecture {
        family: Family::Pair(pair),
        task: Task::MaskedLanguage,
        layers,
        hidden,
        heads,
        groups: heads,
        head: hidden / heads,
        inner,
        vocabulary: config.number(&["vocab_size"])?,
        labels: 0,
        tied: config.flag("tie_word_embeddings") != Some(false),
        activation: activation(config, &["activation_function"], "gelu")?,
        dropout: probability(config, &["dropout"], if audio { 0.0 } else { 0.1 }),
        attention_dropout: probability(config, &["attention_dropout"], 0.0),
        guessed: false,
    })
}
