//! Encoders of images.

use std::sync::Arc;

use super::{activation, probability, shape, task};
use crate::memory::transformers::{Architecture, Family, Patches, Task, Towers};
use crate::models::local::config::Config;

/// An encoder of images whose family is known.
pub fn read(family: &str, config: Config) -> Option<Architecture> {
    match family {
        "vit" | "deit" | "dinov2" => patches(family, config),
        "clip" => towers(config),
        _ => None,
    }
}

fn patches(family: &str, config: Config) -> Option<Architecture> {
    let number = |key: &str, usual: u64| config.number(&[key]).unwrap_or(usual);
    let dino = family == "dinov2";
    let whole = task(config)? != Task::Base;
    let gated = dino && config.flag("use_swiglu_ffn") == Some(true);
    if config.flag("qkv_bias") == Some(false) || gated {
        return None;
    }
    let patches = Patches {
        image: number("image_size", 224),
        patch: number("patch_size", if dino { 14 } else { 16 }).max(1),
        channels: number("num_channels", 3),
        extra: if family == "deit" { 2 } else { 1 },
        mask_token: dino,
        bias: true,
        first_norm: false,
        layer_scale: dino,
        gated,
        pooler: !dino && !whole,
        softmax_in_float32: !dino,
        classifies_mean: dino,
        names: ["q_proj", "k_proj", "v_proj", "o_proj", "fc1", "fc2"],
    };
    let mut architecture = shape(config, Family::Patches(patches), false, "gelu")?;
    if dino {
        architecture.inner = architecture.hidden.saturating_mul(number("mlp_ratio", 4));
    }
    architecture.dropout = probability(config, &["hidden_dropout_prob"], 0.0);
    architecture.attention_dropout = probability(config, &["attention_probs_dropout_prob"], 0.0);
    Some(architecture)
}

fn towers(config: Config) -> Option<Architecture> {
    if !config.class()?.ends_with("CLIPModel") {
        return None;
    }
    let (text, vision) = (config.inner("text_config")?, config.inner("vision_config")?);
    let number = |tower: Config, key: &str, usual: u64| tower.number(&[key]).unwrap_or(usual);
    let patches = Patches {
        image: number(vision, "image_size", 224),
        patch: number(vision, "patch_size", 32).max(1),
        channels: number(vision, "num_channels", 3),
        extra: 1,
        mask_token: false,
        bias: false,
        first_norm: true,
        layer_scale: false,
        gated: false,
        pooler: false,
        softmax_in_float32: true,
        classifies_mean: false,
        names: ["q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"],
    };
    let image = tower(vision, Family::Patches(patches), [768, 3072, 12, 12])?;
    let words = tower(text, Family::Patches(patches), [512, 2048, 12, 8])?;
    let words = Architecture { vocabulary: number(text, "vocab_size", 49408), ..words };
    let space = config.inner("text_config").and(config.number(&["projection_dim"])).unwrap_or(512);
    let towers = Towers {
        image: Arc::new(image.clone()),
        patches,
        text: Arc::new(words),
        positions: number(text, "max_position_embeddings", 77),
        space,
    };
    Some(Architecture { family: Family::Towers(towers), task: Task::Classification, ..image })
}

/// One tower. Towers are written without what is usual: features, features inside, layers, heads.
fn tower(config: Config, family: Family, usual: [u64; 4]) -> Option<Architecture> {
    let [hidden, inner, layers, heads] = usual;
    let number = |key: &str, usual: u64| config.number(&[key]).unwrap_or(usual);
    let hidden = number("hidden_size", hidden);
    let heads = number("num_attention_heads", heads).max(1);
    Some(Architecture {
        family,
        task: Task::Base,
        layers: number("num_hidden_layers", layers),
        hidden,
        heads,
        groups: heads,
        head: hidden / heads,
        inner: number("intermediate_size", inner),
        vocabulary: 0,
        labels: 0,
        tied: false,
        activation: activation(config, &["hidden_act"], "quick_gelu")?,
        dropout: 0.0,
        attention_dropout: probability(config, &["attention_dropout"], 0.0),
        guessed: false,
    })
}
