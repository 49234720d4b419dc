//! How a model is built, read from its configuration: what the memory of a run is counted from.
//!
//! What a configuration leaves out has the value that the configuration class of transformers 5.24 gives it.

mod decoders;
mod encoders;
mod guess;
mod mixtures;
mod older;
mod pairs;
mod vision;

use crate::memory::replay::Activation;
use crate::memory::transformers::{Architecture, Family, Task};
use crate::models::local::config::Config;

/// No model has more layers; a run goes through each of them.
const MAX_LAYERS: u64 = 1024;

/// The model that a configuration describes. A decoder whose family is not known is taken for the usual one; `None` for
/// anything else that is not known.
pub fn read(config: Config) -> Option<Architecture> {
    let family = config.word("model_type")?;
    let readers = [pairs::read, vision::read, encoders::read, decoders::read, guess::read];
    let architecture = readers.into_iter().find_map(|reader| reader(family, config))?;
    (architecture.depth() <= MAX_LAYERS).then_some(architecture)
}

/// What a class is for, by its name.
fn task(config: Config) -> Option<Task> {
    let class = config.class()?;
    let ends = [
        ("ForCausalLM", Task::CausalLanguage),
        ("LMHeadModel", Task::CausalLanguage),
        ("ForMaskedLM", Task::MaskedLanguage),
        ("ForSequenceClassification", Task::Classification),
        ("ForImageClassification", Task::Classification),
        ("ForTokenClassification", Task::TokenClassification),
        ("Model", Task::Base),
    ];
    ends.into_iter().find(|(end, _)| class.ends_with(end)).map(|(_, task)| task)
}

/// A probability, or what is usual where it is not written.
fn probability(config: Config, keys: &[&str], usual: f64) -> f64 {
    config.get(keys).and_then(serde_json::Value::as_f64).unwrap_or(usual).clamp(0.0, 1.0)
}

/// The activation function under one of these keys, or the usual one.
fn activation(config: Config, keys: &[&str], usual: &str) -> Option<Activation> {
    Activation::named(config.get(keys).and_then(serde_json::Value::as_str).unwrap_or(usual))
}

/// The dimensions under their common names, with what most families share.
fn shape(config: Config, family: Family, tied: bool, usual_activation: &str) -> Option<Architecture> {
    let hidden = config.number(&["hidden_size", "n_embd", "dim", "d_model"])?;
    let heads = config.number(&["num_attention_heads", "n_head", "n_heads", "num_heads"])?.max(1);
    let inner = config.number(&["intermediate_size", "n_inner", "ffn_hidden_size", "ffn_dim", "hidden_dim"]);
    let activation_keys = ["hidden_act", "hidden_activation", "activation_function", "activation"];
    Some(Architecture {
        family,
        task: task(config)?,
        layers: config.number(&["num_hidden_layers", "n_layer", "n_layers", "num_layers"])?,
        hidden,
        heads,
        groups: config.number(&["num_key_value_heads"]).unwrap_or(heads).clamp(1, heads),
        head: config.number(&["head_dim"]).unwrap_or(hidden / heads),
        inner: inner.unwrap_or(hidden.saturating_mul(4)),
        vocabulary: config.number(&["vocab_size"]).unwrap_or(0),
        labels: super::count::labels(config),
        tied: config.flag("tie_word_embeddings").unwrap_or(tied),
        activation: activation(config, &activation_keys, usual_activation)?,
        dropout: 0.0,
        attention_dropout: probability(config, &["attention_dropout"], 0.0),
        guessed: false,
    })
}

#[cfg(test)]
mod tests;
