//! How a model of the catalog is built, from its class and its dimensions.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::{Catalog, Shape};
use crate::memory::replay::AttentionKernel;
use crate::memory::step::{Run, RunTask, count};
use crate::memory::transformers::{Architecture, Family};
use crate::memory::weights::Dtype;
use crate::models::local;
use crate::table::rows;

/// Types of models by the beginning of their classes' names.
static FAMILIES: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let table = rows(include_str!("../tables/families.tsv"));
    table.filter_map(|row| Some((row.first()?, row.get(1)?))).collect()
});

impl Catalog {
    /// How the language model with this Hub id is built, exactly as a fact's source gives the id.
    pub fn architecture(&self, id: &str) -> Option<Architecture> {
        let facts = self.find(id)?;
        let [component] = facts.components.as_slice() else { return None };
        of_shape(&component.class, &self.shape(id)?, component.parameters)
    }
}

/// How a model of a class with these dimensions is built. A row does not tell all that a configuration does: what it leads
/// to has to have the parameters that are known, to one in a hundred; it is a guess where it has them to one in ten.
pub fn of_shape(class: &str, shape: &Shape, parameters: u64) -> Option<Architecture> {
    let candidates = ["gated-gelu", "relu"].into_iter().filter_map(|feed| {
        let config = configuration(class, shape, feed)?;
        let mut architecture = local::architecture(&config)?;
        // The published checkpoint says whether T5 has an output head of its own.
        if matches!(architecture.family, Family::RelativePair(_)) {
            architecture.tied = shape.tied;
        }
        let off = counted(&architecture).abs_diff(parameters);
        Some((off, architecture))
    });
    let (off, architecture) = candidates.min_by_key(|(off, _)| *off)?;
    let guessed = architecture.guessed || off > parameters / 100;
    (off <= parameters / 10).then_some(Architecture { guessed, ..architecture })
}

/// The parameters that a forward pass uses.
fn counted(architecture: &Architecture) -> u64 {
    let run = Run {
        task: RunTask::Forward,
        dtype: Dtype::BFloat16,
        quantized: None,
        autocast: None,
        batch: 1,
        length: 1,
        target: 1,
        image: None,
        kernel: AttentionKernel::Sdpa,
        padded: false,
        use_cache: false,
    };
    count(architecture, &run).parameters
}

/// A configuration with what a row tells. Keys of several families stand side by side; each reads its own.
fn configuration(class: &str, shape: &Shape, feed: &str) -> Option<Value> {
    let stem = class.split("For").next()?.trim_end_matches("LMHeadModel").trim_end_matches("EncoderModel");
    let family = FAMILIES.get(stem.trim_end_matches("Model")).copied().unwrap_or("other");
    let heads = shape.heads.filter(|heads| *heads > 0 && shape.attention_layers.is_none())?;
    let mut config = json!({
        "architectures": [class],
        "model_type": family,
        "hidden_act": Value::Null,
        "feed_forward_proj": feed,
        "tie_word_embeddings": shape.tied,
        // As every published `DeBERTa` of the third version has it.
        "relative_attention": true,
        "share_att_key": true,
        "pos_att_type": ["p2c", "c2p"],
        "position_buckets": 256,
        "norm_rel_ebd": "layer_norm",
        "position_biased_input": false,
    });
    let experts = shape.experts.unwrap_or_default();
    let known = [
        ("num_hidden_layers", shape.layers),
        ("num_layers", shape.layers),
        ("encoder_layers", shape.layers),
        ("decoder_layers", shape.layers),
        ("hidden_size", shape.hidden),
        ("d_model", shape.hidden),
        ("embedding_size", shape.embedding.zip(shape.vocabulary).map(|(all, words)| all / words.max(1))),
        ("num_attention_heads", Some(heads)),
        ("num_heads", Some(heads)),
        ("encoder_attention_heads", Some(heads)),
        ("decoder_attention_heads", Some(heads)),
        ("num_key_value_heads", shape.kv_heads),
        ("num_kv_heads", shape.kv_heads),
        ("head_dim", shape.head_dim),
        ("d_kv", shape.head_dim),
        ("intermediate_size", shape.intermediate),
        ("d_ff", shape.intermediate),
        ("encoder_ffn_dim", shape.intermediate),
        ("decoder_ffn_dim", shape.intermediate),
        ("vocab_size", shape.vocabulary),
        ("max_position_embeddings", shape.max_context),
        ("num_local_experts", shape.experts.map(|experts| experts.count)),
        ("num_experts", shape.experts.map(|experts| experts.count)),
        ("num_experts_per_tok", experts.per_token),
        ("moe_intermediate_size", experts.intermediate),
        ("shared_expert_intermediate_size", experts.shared_intermediate),
        ("kv_lora_rank", shape.latent.map(|latent| latent.kv_lora_rank)),
    ];
    let object = config.as_object_mut()?;
    for (key, value) in known {
        if let Some(value) = value {
            object.insert(key.to_owned(), value.into());
        }
    }
    if shape.window.is_none() {
        object.insert("sliding_window".to_owned(), Value::Null);
    }
    Some(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_that_a_row_names_is_read() {
        for row in rows(include_str!("../tables/families.tsv")) {
            assert_eq!(row.len(), 3, "columns of {row:?}");
            assert!(row.columns().all(|column| !column.is_empty()), "an empty column in {row:?}");
        }
    }

    #[test]
    fn models_of_the_catalog_are_built_as_their_class_says() {
        let catalog = Catalog::tables();
        for id in [
            "meta-llama/Llama-3.1-8B",
            "Qwen/Qwen2.5-7B",
            "Qwen/Qwen3-8B",
            "mistralai/Mixtral-8x7B-v0.1",
            "google/gemma-2-9b",
            "EleutherAI/pythia-1.4b",
            "openai-community/gpt2",
            "google-bert/bert-base-uncased",
            "FacebookAI/roberta-base",
            "microsoft/deberta-v3-base",
            "google-t5/t5-base",
            "google/flan-t5-base",
        ] {
            let architecture = catalog.architecture(id);
            assert!(architecture.is_some_and(|architecture| !architecture.guessed), "{id}");
        }
        assert!(catalog.architecture("nobody/nothing").is_none());
    }
}
