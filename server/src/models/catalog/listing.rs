//! Every model, for a listing.

use super::{Catalog, DIFFUSION, LANGUAGE, VISION, language, pipelines};
use crate::memory::Bytes;
use crate::models::{Component, ModelFacts};

/// One model for a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The Hub id or the constructor.
    pub id: &'static str,
    /// What it is for: `causal-lm`, `embedding`, `classification`; the class for a pipeline.
    pub task: &'static str,
    /// Parameters; of all components for a pipeline.
    pub parameters: u64,
    /// The bytes of the published checkpoint: as published, or computed from its type.
    pub stored_bytes: Option<Bytes>,
    /// How the count was confirmed.
    pub verified: &'static str,
}

impl Catalog {
    /// Every model, in the order of the tables.
    pub fn models(&self) -> impl Iterator<Item = Listed> + '_ {
        language_models().chain(pipelines_listed()).chain(vision_models())
    }
}

fn language_models() -> impl Iterator<Item = Listed> {
    LANGUAGE.records().filter_map(|record| {
        let computed = || weights(&language::facts(&record)?);
        Some(Listed {
            id: record.value("id")?,
            task: record.value("task")?,
            parameters: record.number("parameters")?,
            stored_bytes: record.number("stored_bytes").map(Bytes).or_else(computed),
            verified: record.value("verified")?,
        })
    })
}

fn pipelines_listed() -> impl Iterator<Item = Listed> {
    pipelines::places().filter_map(|(id, first, rows)| {
        let (facts, record) = (pipelines::facts(first, rows)?, DIFFUSION.record(first)?);
        Some(Listed {
            id,
            task: record.value("pipeline").or(record.value("class"))?,
            parameters: facts.parameters(),
            stored_bytes: weights(&facts),
            verified: facts.verified()?,
        })
    })
}

fn vision_models() -> impl Iterator<Item = Listed> {
    VISION.records().filter_map(|record| {
        Some(Listed {
            id: record.value("name")?,
            task: record.value("task")?,
            parameters: record.number("parameters")?,
            stored_bytes: None,
            verified: record.value("verified")?,
        })
    })
}

fn weights(facts: &ModelFacts) -> Option<Bytes> {
    facts.components.iter().map(Component::stored_weights).sum()
}
