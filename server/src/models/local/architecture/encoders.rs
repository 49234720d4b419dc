//! Encoders of text.

use serde_json::Value;

use super::{probability, shape};
use crate::memory::replay::Activation;
use crate::memory::transformers::{Architecture, ClassifierHead, Disentangled, Encoder, Family, Names};
use crate::models::local::config::Config;

/// The names of BERT's linear layers.
const BERT: Names = Names {
    query: "query",
    key: "key",
    value: "value",
    output: "dense",
    gate: "dense",
    up: "dense",
    down: "dense",
};

/// An encoder whose family is known.
pub fn read(family: &str, config: Config) -> Option<Architecture> {
    let hidden = config.number(&["hidden_size", "dim"])?;
    let number = |key: &str, usual: u64| config.number(&[key]).unwrap_or(usual);
    let drop = |keys: &[&str], usual: f64| probability(config, keys, usual);
    let hidden_dropout = drop(&["hidden_dropout_prob", "dropout"], 0.1);
    let bert = Encoder {
        width: hidden,
        positions: number("max_position_embeddings", 512),
        positions_each: false,
        kinds: number("type_vocab_size", 2),
        names: BERT,
        drops_attention: true,
        drops_feed: true,
        parts_named: true,
        shared_layers: false,
        pooler: true,
        classifier: ClassifierHead::Pooled,
        classifier_dropout: drop(&["classifier_dropout"], hidden_dropout),
    };
    if family == "deberta-v2" {
        return disentangled(config, bert);
    }
    let (encoder, activation) = match family {
        "bert" => (bert, "gelu"),
        "roberta" | "xlm-roberta" | "camembert" => {
            let classifier = ClassifierHead::Dense(Activation::Relu);
            (Encoder { positions_each: true, classifier, ..bert }, "gelu")
        }
        "electra" => {
            let width = number("embedding_size", 128);
            let classifier = ClassifierHead::Dense(Activation::OneKernel);
            (Encoder { width, classifier, pooler: false, ..bert }, "gelu")
        }
        "albert" if number("num_hidden_groups", 1) == 1 && number("inner_group_num", 1) == 1 => {
            let albert = Encoder {
                width: number("embedding_size", 128),
                names: Names { up: "ffn", down: "ffn_output", ..BERT },
                drops_feed: false,
                parts_named: false,
                shared_layers: true,
                classifier_dropout: drop(&["classifier_dropout_prob"], 0.1),
                ..bert
            };
            (albert, "gelu_new")
        }
        "distilbert" => {
            let names = Names {
                query: "q_lin",
                key: "k_lin",
                value: "v_lin",
                output: "out_lin",
                gate: "lin1",
                up: "lin1",
                down: "lin2",
            };
            let distilbert = Encoder {
                kinds: 0,
                names,
                drops_attention: false,
                parts_named: false,
                pooler: false,
                classifier: ClassifierHead::Dense(Activation::Relu),
                classifier_dropout: drop(&["seq_classif_dropout"], 0.2),
                ..bert
            };
            (distilbert, "gelu")
        }
        _ => return None,
    };
    let mut architecture = shape(config, Family::Encoder(encoder), true, activation)?;
    let usual = if family == "albert" { 0.0 } else { 0.1 };
    architecture.dropout = drop(&["hidden_dropout_prob", "dropout"], usual);
    architecture.attention_dropout = drop(&["attention_probs_dropout_prob", "attention_dropout"], usual);
    Some(architecture)
}

/// `DeBERTa` of the second and third version, where it attends both ways with shared projections and has no convolution.
fn disentangled(config: Config, bert: Encoder) -> Option<Architecture> {
    let both = match config.get(&["pos_att_type"])? {
        Value::Array(kinds) => kinds.len() == 2,
        Value::String(kinds) => kinds.split('|').count() == 2,
        _ => false,
    };
    let yes = |key: &str| config.flag(key) == Some(true);
    let convolved = config.number(&["conv_kernel_size"]).is_some_and(|size| size > 0);
    if !(both && yes("relative_attention") && yes("share_att_key")) || convolved {
        return None;
    }
    let positions = config.number(&["max_position_embeddings"]).unwrap_or(512);
    let told = if config.flag("position_biased_input") == Some(false) { 0 } else { positions };
    let far = config.number(&["max_relative_positions"]).filter(|far| *far > 0).unwrap_or(positions);
    let description = Disentangled {
        encoder: Encoder {
            positions: told,
            kinds: config.number(&["type_vocab_size"]).unwrap_or(0),
            names: Names { query: "query_proj", key: "key_proj", value: "value_proj", ..BERT },
            pooler: false,
            classifier_dropout: probability(config, &["cls_dropout", "hidden_dropout_prob"], 0.1),
            ..bert
        },
        span: config.number(&["position_buckets"]).filter(|buckets| *buckets > 0).unwrap_or(far),
        normed: config.word("norm_rel_ebd").is_some_and(|norm| norm.contains("layer_norm")),
    };
    let mut architecture = shape(config, Family::Disentangled(description), true, "gelu")?;
    architecture.dropout = probability(config, &["hidden_dropout_prob"], 0.1);
    architecture.attention_dropout = probability(config, &["attention_probs_dropout_prob"], 0.1);
    Some(architecture)
}
