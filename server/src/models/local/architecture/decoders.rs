//! Decoders of text after Llama: rotated positions, mostly gated feed-forward layers.

use super::{mixtures, older, probability, shape};
use crate::memory::replay::Norm;
use crate::memory::transformers::{
    Architecture, Biases, Decoder, Drops, Family, Feed, Held, Names, Order, Positions, Projection,
    QueryKeyNorm, Rotation, Scales, Window,
};
use crate::models::local::config::Config;

/// A decoder with what its family's configuration has where the file says nothing.
pub struct Known {
    /// Its layers.
    pub decoder: Decoder,
    /// Whether the output head is the input embedding.
    pub tied: bool,
    /// The activation function.
    pub activation: &'static str,
    /// Features of a head.
    pub head: Option<u64>,
}

impl From<Decoder> for Known {
    fn from(decoder: Decoder) -> Self {
        Self { decoder, tied: false, activation: "silu", head: None }
    }
}

/// The names of Llama's linear layers, which most families took over.
pub const LLAMA: Names = Names {
    query: "q_proj",
    key: "k_proj",
    value: "v_proj",
    output: "o_proj",
    gate: "gate_proj",
    up: "up_proj",
    down: "down_proj",
};

/// All linear layers with a bias, but not the output head.
pub const BIASES: Biases = Biases { projection: true, output: true, feed: true, head: false };

/// A decoder as Llama's: what other families differ from.
pub const fn llama() -> Decoder {
    Decoder {
        norm: Norm::Rms,
        order: Order::Before,
        projection: Projection::Separate,
        bias: Biases { projection: false, output: false, feed: false, head: false },
        query_key_norm: QueryKeyNorm::None,
        positions: Positions::Rotary(Rotation::WHOLE),
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
        masked: false,
        written_out: false,
        softmax_in_float32: true,
        attention_in_float32: false,
        held: Held { output: false, normed: false, scores: false },
        window: None,
    }
}

/// A decoder whose family is known.
pub fn read(family: &str, config: Config) -> Option<Architecture> {
    let known = match family {
        "llama" | "mistral" | "granite" | "smollm3" => like_llama(family, config),
        "qwen2" | "qwen3" => qwen(family, config),
        "gemma" | "gemma2" | "gemma3_text" => gemma(family, config),
        "phi3" => phi3(config),
        "olmo" | "olmo2" => olmo(family, config),
        "phi" | "stablelm" | "starcoder2" | "cohere" => with_layer_norm(family, config)?,
        "mixtral" | "qwen2_moe" | "qwen3_moe" => mixtures::read(family, config)?,
        _ => older::read(family, config)?,
    };
    let Known { decoder, tied, activation, head } = known;
    let mut architecture = shape(config, Family::Decoder(decoder), tied, activation)?;
    if let (Some(head), None) = (head, config.number(&["head_dim"])) {
        architecture.head = head;
    }
    older::correct(family, config, &mut architecture);
    Some(architecture)
}

pub fn yes(config: Config, key: &str) -> bool {
    config.flag(key) == Some(true)
}

/// Biases of attention and of the feed-forward layer, each as its own key says.
pub fn biases(config: Config) -> Biases {
    let attention = yes(config, "attention_bias");
    Biases { projection: attention, output: attention, feed: yes(config, "mlp_bias"), head: false }
}

/// Layers that see only so many tokens: `usual` is what the family has where nothing is written.
fn window(config: Config, usual: Option<u64>, every: u64) -> Option<Window> {
    let written = config.number(&["sliding_window"]);
    let tokens = if config.names("sliding_window") { written } else { usual }?;
    Some(Window { tokens, every }).filter(|window| window.tokens > 0)
}

fn like_llama(family: &str, config: Config) -> Known {
    let window = if family == "mistral" { window(config, Some(4096), 0) } else { None };
    let scaled = family == "granite";
    let scales = Scales { queries: false, residual: scaled, logits: scaled };
    let decoder = Decoder { bias: biases(config), window, scales, embedding_scaled: scaled, ..llama() };
    Known { tied: family == "smollm3", ..decoder.into() }
}

fn qwen(family: &str, config: Config) -> Known {
    let newer = family == "qwen3";
    let attention = yes(config, "attention_bias");
    let bias =
        Biases { projection: !newer || attention, output: newer && attention, feed: false, head: false };
    let query_key_norm = if newer { QueryKeyNorm::Heads } else { QueryKeyNorm::None };
    let decoder = Decoder { bias, query_key_norm, ..llama() };
    Known { head: newer.then_some(128), ..decoder.into() }
}

fn gemma(family: &str, config: Config) -> Known {
    let first =
        Decoder { norm: Norm::RmsWeightFirst, bias: biases(config), embedding_scaled: true, ..llama() };
    let pattern = config.number(&["sliding_window_pattern", "_sliding_window_pattern"]).unwrap_or(6);
    let capped = |key: &str| config.get(&[key]).is_some() || !config.names(key);
    let decoder = match family {
        "gemma2" => Decoder {
            order: Order::Around,
            capped_scores: capped("attn_logit_softcapping"),
            capped_logits: capped("final_logit_softcapping"),
            written_out: true,
            window: window(config, Some(4096), 2),
            ..first
        },
        "gemma3_text" => Decoder {
            order: Order::Around,
            query_key_norm: QueryKeyNorm::HeadsLater,
            positions: Positions::Rotary(Rotation { sets: 2, ..Rotation::WHOLE }),
            window: window(config, Some(4096), pattern),
            ..first
        },
        _ => first,
    };
    Known { tied: true, activation: "gelu_pytorch_tanh", head: Some(256), ..decoder.into() }
}

fn phi3(config: Config) -> Known {
    let decoder = Decoder {
        projection: Projection::PackedSlices,
        positions: Positions::Rotary(Rotation { cut: true, ..Rotation::WHOLE }),
        feed: Feed::GatedPacked,
        names: Names { query: "qkv_proj", up: "gate_up_proj", ..LLAMA },
        drops: Drops { embedding: 0.0, layer: probability(config, &["resid_pdrop"], 0.0) },
        window: window(config, None, 0),
        ..llama()
    };
    decoder.into()
}

fn olmo(family: &str, config: Config) -> Known {
    let base = Decoder { bias: biases(config), ..llama() };
    let decoder = if family == "olmo" {
        Decoder { norm: Norm::LayerInFloat32, ..base }
    } else {
        Decoder {
            norm: Norm::RmsWeightInFloat32,
            order: Order::Behind,
            query_key_norm: QueryKeyNorm::Whole,
            positions: Positions::Rotary(Rotation { restored: true, ..Rotation::WHOLE }),
            ..base
        }
    };
    decoder.into()
}

/// Rotated positions with the layer norms of older families.
fn with_layer_norm(family: &str, config: Config) -> Option<Known> {
    let base = Decoder { norm: Norm::Layer, ..llama() };
    let normed = ["qk_layernorm", "use_qk_norm"].into_iter().any(|key| yes(config, key));
    if normed {
        return None;
    }
    Some(match family {
        "phi" => {
            let drop = probability(config, &["resid_pdrop"], 0.0);
            let decoder = Decoder {
                order: Order::Parallel,
                bias: Biases { head: true, ..BIASES },
                positions: partly_rotated(config, 0.5),
                feed: Feed::Plain,
                names: Names { output: "dense", up: "fc1", down: "fc2", ..LLAMA },
                drops: Drops { embedding: probability(config, &["embd_pdrop"], 0.0), layer: drop },
                ..base
            };
            Known { activation: "gelu_new", ..decoder.into() }
        }
        "stablelm" => {
            let parallel = yes(config, "use_parallel_residual");
            let bias = Biases { projection: yes(config, "use_qkv_bias"), ..Biases::default() };
            let order = if parallel { Order::Parallel } else { Order::Before };
            let drops = Drops { embedding: 0.0, layer: probability(config, &["hidden_dropout"], 0.0) };
            let held = Held { output: true, normed: true, scores: false };
            let positions = partly_rotated(config, 0.25);
            Decoder { order, bias, positions, drops, held, ..base }.into()
        }
        "starcoder2" => {
            let bias = if config.flag("use_bias") == Some(false) { Biases::default() } else { BIASES };
            let drop = |key: &str| probability(config, &[key], 0.0);
            let decoder = Decoder {
                bias,
                feed: Feed::Plain,
                names: Names { up: "c_fc", down: "c_proj", ..LLAMA },
                drops: Drops { embedding: drop("embedding_dropout"), layer: drop("residual_dropout") },
                window: window(config, None, 0),
                ..base
            };
            Known { tied: true, activation: "gelu_pytorch_tanh", ..decoder.into() }
        }
        _ => {
            let decoder = Decoder {
                norm: Norm::LayerWrittenOut,
                order: Order::Parallel,
                bias: biases(config),
                positions: Positions::Rotary(Rotation {
                    in_float32: true,
                    restored: true,
                    ..Rotation::WHOLE
                }),
                scales: Scales { logits: true, ..Scales::default() },
                ..base
            };
            Known { tied: true, ..decoder.into() }
        }
    })
}

/// Positions that rotate a part of each head.
pub fn partly_rotated(config: Config, usual: f64) -> Positions {
    let written = config.get(&["partial_rotary_factor", "rotary_pct"]).and_then(serde_json::Value::as_f64);
    let inside =
        config.get(&["rope_parameters"]).and_then(|inner| inner.get("partial_rotary_factor")?.as_f64());
    let share = written.or(inside).unwrap_or(usual).clamp(0.0, 1.0);
    Positions::Rotary(Rotation { share, cut: true, ..Rotation::WHOLE })
}
