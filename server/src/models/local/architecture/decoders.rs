//! Decoders of text.

use super::{probability, shape};
use crate::memory::replay::Norm;
use crate::memory::transformers::{
    Architecture, Biases, Decoder, Drops, Experts, Family, Feed, Names, Order, Positions, Projection,
    QueryKeyNorm, Scales, Window,
};
use crate::models::local::config::Config;

/// The names of Llama's linear layers, which most families took over.
const LLAMA: Names = Names {
    query: "q_proj",
    key: "k_proj",
    value: "v_proj",
    output: "o_proj",
    gate: "gate_proj",
    up: "up_proj",
    down: "down_proj",
};

/// A decoder as Llama's: what other families differ from.
const fn llama() -> Decoder {
    Decoder {
        norm: Norm::Rms,
        order: Order::Before,
        projection: Projection::Separate,
        bias: Biases { projection: false, output: false, feed: false, head: false },
        query_key_norm: QueryKeyNorm::None,
        positions: Positions::Rotary { turned: u64::MAX, sets: 1 },
        feed: Feed::Gated,
        names: LLAMA,
        embedding_norm: false,
        embedding_scaled: false,
        embedding_width: None,
        final_norm: true,
        drops: Drops { embedding: 0.0, layer: 0.0 },
        scales: Scales { queries: false, residual: false, logits: false },
        capped_scores: false,
        capped_logits: false,
        softmax_in_float32: true,
        window: None,
    }
}

/// A decoder whose family is known.
pub fn read(family: &str, config: Config) -> Option<Architecture> {
    let yes = |key: &str| config.flag(key) == Some(true);
    let not_no = |key: &str| config.flag(key) != Some(false);
    let base = llama();
    let (decoder, tied, activation) = match family {
        "llama" | "mistral" => {
            let (attention, feed) = (yes("attention_bias"), yes("mlp_bias"));
            let bias = Biases { projection: attention, output: attention, feed, head: false };
            (Decoder { bias, window: window(config, family), ..base }, false, "silu")
        }
        "gpt2" => {
            let names = Names { query: "c_attn", output: "c_proj", up: "c_fc", down: "c_proj", ..LLAMA };
            let decoder = Decoder {
                norm: Norm::Layer,
                projection: Projection::Packed,
                bias: Biases { projection: true, output: true, feed: true, head: false },
                positions: Positions::Learnt(config.number(&["n_positions"]).unwrap_or(1024)),
                feed: Feed::Plain,
                names,
                drops: Drops {
                    embedding: probability(config, &["embd_pdrop"], 0.1),
                    layer: probability(config, &["resid_pdrop"], 0.1),
                },
                softmax_in_float32: false,
                ..base
            };
            (decoder, true, "gelu_new")
        }
        _ => return None,
    };
    let _ = not_no;
    let mut architecture = shape(config, Family::Decoder(decoder), tied, activation)?;
    if family == "gpt2" {
        architecture.attention_dropout = probability(config, &["attn_pdrop"], 0.1);
    }
    Some(architecture)
}

/// Layers that see only so many tokens, where the configuration has such.
fn window(config: Config, family: &str) -> Option<Window> {
    let usual = if family == "mistral" { Some(4096) } else { None };
    let tokens = match config.get(&["sliding_window"]) {
        Some(_) => config.number(&["sliding_window"])?,
        None if config.names("sliding_window") => return None,
        None => usual?,
    };
    Some(Window { tokens, every: 0 })
}
