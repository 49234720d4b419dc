//! Decoders of text before Llama: layer norms, biases, plain feed-forward layers.

use super::decoders::{BIASES, Known, LLAMA, llama, partly_rotated, yes};
use super::probability;
use crate::memory::replay::{Activation, Norm};
use crate::memory::transformers::{
    Architecture, Biases, Decoder, Drops, Feed, Held, Names, Order, Positions, Projection, Rotation, Scales,
};
use crate::models::local::config::Config;

/// What most of them have in common.
fn base() -> Decoder {
    Decoder { norm: Norm::Layer, bias: BIASES, feed: Feed::Plain, ..llama() }
}

/// A decoder whose family is known.
pub fn read(family: &str, config: Config) -> Option<Known> {
    Some(match family {
        "gpt2" | "gpt_bigcode" => gpt2(family, config),
        "gpt_neox" => gpt_neox(config),
        "gptj" | "codegen" => gptj(config),
        "gpt_neo" => gpt_neo(config),
        "opt" => opt(config)?,
        "bloom" => bloom(config)?,
        "falcon" => falcon(config)?,
        _ => return None,
    })
}

/// What is written under names of its own.
pub fn correct(family: &str, config: Config, architecture: &mut Architecture) {
    let heads = architecture.heads;
    match family {
        "gpt2" => architecture.attention_dropout = probability(config, &["attn_pdrop"], 0.1),
        "gpt_bigcode" => {
            architecture.attention_dropout = probability(config, &["attn_pdrop"], 0.1);
            architecture.groups = if config.flag("multi_query") == Some(false) { heads } else { 1 };
        }
        "gptj" | "codegen" => architecture.attention_dropout = probability(config, &["attn_pdrop"], 0.0),
        "bloom" => architecture.activation = Activation::Bloom,
        "falcon" => {
            let newer = yes(config, "new_decoder_architecture");
            let several = newer || config.flag("multi_query") == Some(false);
            architecture.groups = match (newer, several) {
                (true, _) => config.number(&["num_kv_heads"]).unwrap_or(heads),
                (false, true) => heads,
                (false, false) => 1,
            };
        }
        _ => {}
    }
}

fn gpt2(family: &str, config: Config) -> Known {
    let drop = |key: &str| probability(config, &[key], 0.1);
    let decoder = Decoder {
        projection: Projection::Packed,
        positions: Positions::Learnt { count: positions(config, 1024), each: false },
        names: Names { query: "c_attn", output: "c_proj", up: "c_fc", down: "c_proj", ..LLAMA },
        drops: Drops { embedding: drop("embd_pdrop"), layer: drop("resid_pdrop") },
        softmax_in_float32: family == "gpt_bigcode",
        held: Held { output: true, ..Held::default() },
        ..base()
    };
    let activation = if family == "gpt2" { "gelu_new" } else { "gelu_pytorch_tanh" };
    Known { tied: true, activation, ..decoder.into() }
}

/// The entries of a table of positions.
fn positions(config: Config, usual: u64) -> u64 {
    config.number(&["n_positions", "max_position_embeddings"]).unwrap_or(usual)
}

fn gpt_neox(config: Config) -> Known {
    let attention = config.flag("attention_bias") != Some(false);
    let parallel = config.flag("use_parallel_residual") != Some(false);
    let decoder = Decoder {
        order: if parallel { Order::ParallelTwoNorms } else { Order::Before },
        projection: Projection::Packed,
        bias: Biases { projection: attention, output: attention, ..BIASES },
        positions: partly_rotated(config, 0.25),
        names: Names {
            query: "query_key_value",
            output: "dense",
            up: "dense_h_to_4h",
            down: "dense_4h_to_h",
            ..LLAMA
        },
        drops: Drops { embedding: 0.0, layer: probability(config, &["hidden_dropout"], 0.0) },
        ..base()
    };
    Known { activation: "gelu", ..decoder.into() }
}

fn gptj(config: Config) -> Known {
    let turned = config.number(&["rotary_dim"]).unwrap_or(64);
    let drop = |key: &str| probability(config, &[key], 0.0);
    let decoder = Decoder {
        order: Order::Parallel,
        bias: Biases { projection: false, output: false, feed: true, head: true },
        positions: Positions::Rotary(Rotation {
            turned: Some(turned),
            cut: true,
            tokens_first: true,
            ..Rotation::WHOLE
        }),
        names: Names { output: "out_proj", up: "fc_in", down: "fc_out", ..LLAMA },
        drops: Drops { embedding: drop("embd_pdrop"), layer: drop("resid_pdrop") },
        attention_in_float32: true,
        softmax_in_float32: false,
        ..base()
    };
    Known { activation: "gelu_new", ..decoder.into() }
}

fn gpt_neo(config: Config) -> Known {
    let drop = |key: &str| probability(config, &[key], 0.0);
    let decoder = Decoder {
        bias: Biases { projection: false, ..BIASES },
        positions: Positions::Learnt { count: positions(config, 2048), each: false },
        names: Names { output: "out_proj", up: "c_fc", down: "c_proj", ..LLAMA },
        drops: Drops { embedding: drop("embed_dropout"), layer: drop("resid_dropout") },
        written_out: true,
        attention_in_float32: true,
        softmax_in_float32: false,
        held: Held { output: true, ..Held::default() },
        ..base()
    };
    Known { tied: true, activation: "gelu_new", ..decoder.into() }
}

fn opt(config: Config) -> Option<Known> {
    let before = config.flag("do_layer_norm_before") != Some(false);
    let bias = if config.flag("enable_bias") == Some(false) { Biases::default() } else { BIASES };
    let hidden = config.number(&["hidden_size"])?;
    let plain = config.flag("layer_norm_elementwise_affine") == Some(false);
    let decoder = Decoder {
        norm: if plain { Norm::LayerPlain } else { Norm::Layer },
        order: if before { Order::Before } else { Order::After },
        bias,
        // Two more than the configuration says (`OPTLearnedPositionalEmbedding`).
        positions: Positions::Learnt { count: positions(config, 2048).saturating_add(2), each: true },
        names: Names { output: "out_proj", up: "fc1", down: "fc2", ..LLAMA },
        embedding_width: config.number(&["word_embed_proj_dim"]).filter(|width| *width != hidden),
        final_norm: before && !yes(config, "_remove_final_layer_norm"),
        drops: Drops { embedding: 0.0, layer: probability(config, &["dropout"], 0.1) },
        scales: Scales { queries: true, ..Scales::default() },
        ..base()
    };
    Some(Known { tied: true, activation: "relu", ..decoder.into() })
}

fn bloom(config: Config) -> Option<Known> {
    if yes(config, "apply_residual_connection_post_layernorm") {
        return None;
    }
    let decoder = Decoder {
        projection: Projection::PackedSlices,
        positions: Positions::Distance,
        names: neox_names(),
        embedding_norm: true,
        drops: Drops { embedding: 0.0, layer: probability(config, &["hidden_dropout"], 0.0) },
        written_out: true,
        held: Held { scores: true, ..Held::default() },
        ..base()
    };
    Some(Known { tied: true, activation: "gelu", ..decoder.into() })
}

const fn neox_names() -> Names {
    Names { query: "query_key_value", output: "dense", up: "dense_h_to_4h", down: "dense_4h_to_h", ..LLAMA }
}

fn falcon(config: Config) -> Option<Known> {
    if yes(config, "alibi") {
        return None;
    }
    let newer = yes(config, "new_decoder_architecture");
    let parallel = newer || config.flag("parallel_attn") != Some(false);
    let bias = yes(config, "bias");
    let shared = !newer && config.flag("multi_query") != Some(false);
    let two = newer && config.number(&["num_ln_in_parallel_attn"]) != Some(1);
    let order = match (parallel, two) {
        (true, true) => Order::ParallelTwoNorms,
        (true, false) => Order::Parallel,
        (false, _) => Order::Before,
    };
    let decoder = Decoder {
        order,
        projection: if newer { Projection::PackedRepeated } else { Projection::PackedSlices },
        bias: Biases { projection: bias, output: bias, feed: bias, head: false },
        names: neox_names(),
        drops: Drops { embedding: 0.0, layer: probability(config, &["hidden_dropout"], 0.0) },
        // One head of keys for all queries is what no fused kernel takes: PyTorch computes it in float32, written out.
        masked: true,
        written_out: shared,
        attention_in_float32: shared,
        softmax_in_float32: false,
        ..base()
    };
    Some(Known { tied: true, activation: "gelu", ..decoder.into() })
}
