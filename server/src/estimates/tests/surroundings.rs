//! Worlds for scripts to stand in.

use std::sync::Arc;

use super::{Settings, Surroundings};
use crate::models::ModelFacts;
use crate::surroundings::LocalModel;
use crate::versions::Known;

/// What surrounds a script, and what its user chose.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// What surrounds it.
    pub surroundings: Surroundings,
    /// What its user chose.
    pub settings: Settings,
}

impl World {
    /// Nothing is known.
    pub fn unknown() -> Self {
        Self::default()
    }

    /// The packages of late 2026.
    pub fn today() -> Self {
        Self::unknown().with("transformers", "5.24.0").with("diffusers", "0.42.1")
    }

    /// The packages of 2025.
    pub fn last_year() -> Self {
        Self::unknown().with("transformers", "4.57.6").with("diffusers", "0.35.2")
    }

    /// With a package in exactly this version.
    #[must_use]
    pub fn with(mut self, package: &str, version: &str) -> Self {
        let lowest: Vec<u32> = version.split('.').filter_map(|number| number.parse().ok()).collect();
        let below = lowest.split_last().map(|(last, rest)| [rest, &[last + 1]].concat());
        let known = Known { lowest, below, exact: Some(version.to_owned()), source: "uv.lock".to_owned() };
        self.surroundings.versions.insert(package, known);
        self
    }

    /// With this card in the settings.
    #[must_use]
    pub fn on(mut self, gpu: &str) -> Self {
        self.settings.gpu = Some(gpu.to_owned());
        self
    }

    /// With a model on this machine.
    #[must_use]
    pub fn holding(mut self, name: &str, facts: ModelFacts) -> Self {
        self.surroundings.models.insert(name.to_owned(), LocalModel::Found(Arc::new(facts)));
        self
    }

    /// With a model that is not on this machine.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.surroundings.models.insert(name.to_owned(), LocalModel::Absent);
        self
    }
}
