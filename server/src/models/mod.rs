//! What a model is: how many parameters its parts have and how they are stored. Knows nothing of syntax.

mod catalog;
pub mod local;
mod naming;
mod storage;

use std::path::PathBuf;
use std::sync::Arc;

use crate::estimate::Certainty;
use crate::memory::Bytes;
use crate::memory::pictures::Pictures;
use crate::memory::transformers::Architecture;
use crate::memory::weights::{Dtype, Precision, Quantization, WeightCounts};

pub use catalog::{Catalog, Experts, Latent, Library, Listed, Shape};

/// Where the facts about a model come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactSource {
    /// A row of the catalog: its id, what the row says of its verification, and the rule by which the name led to it
    /// when the name is not the id.
    Catalog {
        /// The row's id.
        id: String,
        /// How the count was confirmed.
        verified: &'static str,
        /// How the name led to the row, in words.
        resolved: Option<String>,
    },
    /// A `config.json` on this machine.
    Config(PathBuf),
    /// The headers of weight files on this machine.
    Files(PathBuf),
    /// A size in the name.
    Name,
}

/// A model, or a pipeline of several.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelFacts {
    /// The name people know it by: the Hub id, the constructor, the folder.
    pub name: String,
    /// Where the facts come from.
    pub source: FactSource,
    /// How much they can be relied on.
    pub certainty: Certainty,
    /// A second figure for the parameters, where sources disagree.
    pub disputed: Option<u64>,
    /// Its parts; one for a model, several for a pipeline.
    pub components: Vec<Component>,
    /// Parts that belong to it and are in no count, in words.
    pub uncounted: Option<String>,
    /// For an adapter, the name of the model that it is put on: what is loaded by the adapter's name alone is both.
    pub adapts: Option<String>,
}

/// One model, or one part of a pipeline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Component {
    /// The attribute of the pipeline that holds it; empty for the only model.
    pub name: String,
    /// The class that it is counted in.
    pub class: String,
    /// Parameters in that class, tied ones once.
    pub parameters: u64,
    /// Parameters of the class without a task's head (`AutoModel`).
    pub base_parameters: Option<u64>,
    /// Elements of persistent buffers.
    pub buffers: u64,
    /// Parameters that quantization leaves alone: embeddings, output head, norms.
    pub unquantized: u64,
    /// Parameters of a mixture's routed experts, which newer transformers keep in fused tensors that bitsandbytes leaves
    /// alone. Not part of `unquantized`.
    pub expert_parameters: u64,
    /// Parameters that stay in float32 when float16 is asked for.
    pub float32_in_float16: u64,
    /// The type the checkpoint stores; where it is quantized, the type of what is not.
    pub stored: Option<Dtype>,
    /// The quantization the checkpoint is stored in.
    pub quantized: Option<Quantization>,
    /// The bytes of the checkpoint's tensors, where they are known exactly.
    pub stored_bytes: Option<Bytes>,
    /// How it is built, where its configuration says so and its family is known.
    pub architecture: Option<Arc<Architecture>>,
    /// What it keeps of each picture in training, where that was counted.
    pub pictures: Option<Pictures>,
}

impl Component {
    /// The counts that its bytes on a device follow from.
    pub fn counts(&self) -> WeightCounts {
        WeightCounts {
            parameters: self.parameters,
            buffers: self.buffers,
            unquantized: self.unquantized,
            float32_in_float16: self.float32_in_float16,
        }
    }

    /// The precision that the checkpoint is stored in, where that is known.
    pub fn stored_precision(&self) -> Option<Precision> {
        match self.quantized {
            Some(quantization) => {
                Some(Precision::Quantized { quantization, rest: self.stored.unwrap_or(Dtype::Float16) })
            }
            None => self.stored.map(Precision::Plain),
        }
    }

    /// What its weights take when they are loaded as the checkpoint stores them: as published for a quantized
    /// checkpoint, or computed.
    pub fn stored_weights(&self) -> Option<Bytes> {
        let computed = || self.stored_precision().map(|precision| self.counts().bytes(precision));
        self.stored_bytes.or_else(computed)
    }
}

impl ModelFacts {
    /// The parameters of all its parts.
    pub fn parameters(&self) -> u64 {
        self.components.iter().map(|part| part.parameters).fold(0, u64::saturating_add)
    }

    /// How the catalog confirmed its count.
    pub fn verified(&self) -> Option<&'static str> {
        match &self.source {
            FactSource::Catalog { verified, .. } => Some(verified),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
