//! The table of language models, encoders, speech and vision-language models.

use rustc_hash::FxHashMap;

use super::{Catalog, LANGUAGE, Place, certainty};
use crate::memory::Bytes;
use crate::models::storage::Storage;
use crate::models::{Component, FactSource, ModelFacts};
use crate::table::Record;

/// Tasks whose models have an output head over the vocabulary.
const WITH_HEAD: [&str; 6] = ["causal-lm", "vlm", "seq2seq", "asr", "audio-lm", "tts"];

/// The architecture of a text decoder, or of the encoder where there is no decoder. Sizes are in elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// What the model is for, such as `causal-lm`.
    pub task: &'static str,
    /// Layers.
    pub layers: Option<u64>,
    /// Width of the residual stream.
    pub hidden: Option<u64>,
    /// Query heads; 0 for a model without attention.
    pub heads: Option<u64>,
    /// Heads of keys and values.
    pub kv_heads: Option<u64>,
    /// Width of one head.
    pub head_dim: Option<u64>,
    /// Width inside the MLP.
    pub intermediate: Option<u64>,
    /// Tokens of the vocabulary.
    pub vocabulary: Option<u64>,
    /// Whether embeddings and output head are one matrix.
    pub tied: bool,
    /// Parameters of the input embeddings.
    pub embedding: Option<u64>,
    /// Positions that the published configuration allows.
    pub max_context: Option<u64>,
    /// The window of local attention and the share of layers that use it, in words.
    pub window: Option<&'static str>,
    /// Layers with a full cache of keys and values, where that is not all of them.
    pub attention_layers: Option<u64>,
    /// Parameters that one token uses in a mixture of experts.
    pub active_parameters: Option<u64>,
    /// Parameters of vision and audio towers.
    pub tower_parameters: Option<u64>,
    /// A mixture's experts.
    pub experts: Option<Experts>,
    /// Multi-head latent attention.
    pub latent: Option<Latent>,
}

/// The experts of a mixture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Experts {
    /// Routed experts a layer.
    pub count: u64,
    /// Those that one token is routed to.
    pub per_token: Option<u64>,
    /// Experts that every token uses.
    pub shared: Option<u64>,
    /// Width inside the shared experts.
    pub shared_intermediate: Option<u64>,
    /// Width inside one routed expert.
    pub intermediate: Option<u64>,
}

/// Multi-head latent attention: a compressed cache keeps the sum of both for a token and layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Latent {
    /// Rank of the compressed keys and values.
    pub kv_lora_rank: u64,
    /// Width of the part of a key that carries the position.
    pub rope_head_dim: u64,
}

impl Catalog {
    /// The architecture of the language model with this Hub id, exactly as [`FactSource::Catalog`] gives it.
    pub fn shape(&self, id: &str) -> Option<Shape> {
        match self.ids.get(&id.to_lowercase())? {
            Place::Language(row) => LANGUAGE.record(*row).map(|record| shape(&record)),
            Place::Pipeline(..) => None,
        }
    }
}

/// The short names of the models.
pub(super) fn aliases() -> FxHashMap<&'static str, Place> {
    let rows = LANGUAGE.records().enumerate();
    rows.flat_map(|(row, record)| record.list("aliases").map(move |alias| (alias, Place::Language(row))))
        .collect()
}

/// What a row says of the model.
pub(super) fn facts(record: &Record) -> Option<ModelFacts> {
    let (id, verified) = (record.value("id")?, record.value("verified")?);
    let disputed = record.number("disputed");
    Some(ModelFacts {
        name: id.to_owned(),
        source: FactSource::Catalog { id: id.to_owned(), verified, resolved: None },
        certainty: certainty(verified, disputed),
        disputed,
        components: vec![component(record)?],
        uncounted: None,
        adapts: None,
    })
}

fn component(record: &Record) -> Option<Component> {
    let mut component = Component {
        class: record.value("class").unwrap_or_default().to_owned(),
        parameters: record.number("parameters")?,
        base_parameters: record.number("base_parameters").or_else(|| without_head(record)),
        unquantized: unquantized(record),
        expert_parameters: record.number("expert_parameters").unwrap_or_default(),
        float32_in_float16: record.number("float32_in_float16").unwrap_or_default(),
        ..Component::default()
    };
    Storage::of_column(record.value("stored")?)?.apply(&mut component);
    component.stored_bytes = stored_bytes(record, &component);
    Some(component)
}

/// The published bytes of a quantized checkpoint. One that holds more than is loaded (a layer for predicting several
/// tokens) says nothing of what its weights take.
fn stored_bytes(record: &Record, component: &Component) -> Option<Bytes> {
    let published = record.number("stored_bytes").map(Bytes)?;
    let computed = component.stored_weights()?;
    let is_all = published.0.abs_diff(computed.0) < computed.0 / 200;
    (component.quantized.is_some() && is_all).then_some(published)
}

/// Parameters of a language model without its output head, which has the size of the embeddings unless it is them.
fn without_head(record: &Record) -> Option<u64> {
    let has_own_head = record.number("tied") == Some(0);
    let is_decoder = matches!(record.value("task"), Some("causal-lm" | "vlm"));
    let head = if has_own_head { record.number("embedding")? } else { 0 };
    is_decoder.then(|| record.number("parameters")?.checked_sub(head)).flatten()
}

/// Parameters of embeddings, an output head of its own, and norms: two a layer and one at the end.
fn unquantized(record: &Record) -> u64 {
    let number = |column| record.number(column).unwrap_or_default();
    let has_head = number("tied") == 0 && record.value("task").is_some_and(|task| WITH_HEAD.contains(&task));
    let embeddings = number("embedding").saturating_mul(if has_head { 2 } else { 1 });
    let norms = number("hidden").saturating_mul(number("layers").saturating_mul(2).saturating_add(1));
    embeddings.saturating_add(norms).min(number("parameters"))
}

fn shape(record: &Record) -> Shape {
    Shape {
        task: record.value("task").unwrap_or_default(),
        layers: record.number("layers"),
        hidden: record.number("hidden"),
        heads: record.number("heads"),
        kv_heads: record.number("kv_heads"),
        head_dim: record.number("head_dim"),
        intermediate: record.number("intermediate"),
        vocabulary: record.number("vocabulary"),
        tied: record.number("tied") == Some(1),
        embedding: record.number("embedding"),
        max_context: record.number("max_context"),
        window: record.value("window"),
        attention_layers: record.number("attention_layers"),
        active_parameters: record.number("active_parameters"),
        tower_parameters: record.number("tower_parameters"),
        experts: record.number("experts").map(|count| Experts {
            count,
            per_token: record.number("experts_per_token"),
            shared: record.number("shared_experts"),
            shared_intermediate: record.number("shared_intermediate"),
            intermediate: record.number("expert_intermediate"),
        }),
        latent: record
            .number("kv_lora_rank")
            .zip(record.number("rope_head_dim"))
            .map(|(kv_lora_rank, rope_head_dim)| Latent { kv_lora_rank, rope_head_dim }),
    }
}
