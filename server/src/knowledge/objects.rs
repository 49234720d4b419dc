//! Methods of models, pipelines and trainers that change where weights live.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::knowledge::effects::effects;
use crate::table::rows;

effects! {
    /// What a method of a model, a pipeline or a trainer does.
    ObjectEffect {
        /// Keeps whole models in host memory while they are not in use.
        OffloadsModels = "offloads-models",
        /// Keeps every layer in host memory while it is not in use.
        OffloadsLayers = "offloads-layers",
        /// Keeps groups of layers in host memory while they are not in use.
        OffloadsGroups = "offloads-groups",
        /// Takes back an offload.
        EndsOffload = "ends-offload",
        /// Takes back the device map that a pipeline was loaded with.
        ResetsDeviceMap = "resets-device-map",
        /// Decides whether activations are kept or computed a second time.
        Checkpoints = "checkpoints",
        /// Lets gradients reach what the layers are given.
        OpensInputs = "opens-inputs",
        /// Trains a model.
        Trains = "trains",
    }
}

impl ObjectEffect {
    /// Whether it keeps weights in host memory.
    pub fn offloads(self) -> bool {
        matches!(self, Self::OffloadsModels | Self::OffloadsLayers | Self::OffloadsGroups)
    }
}

static METHODS: LazyLock<FxHashMap<&'static str, ObjectEffect>> = LazyLock::new(|| {
    let rows = rows(include_str!("objects.tsv"));
    rows.filter_map(|row| Some((row.first()?, row.get(1)?.parse().ok()?))).collect()
});

/// What a method does.
pub fn object_method(name: &str) -> Option<ObjectEffect> {
    METHODS.get(name).copied()
}

/// The methods that keep weights in host memory.
pub fn offloading_methods() -> impl Iterator<Item = &'static str> {
    METHODS.iter().filter(|(_, effect)| effect.offloads()).map(|(name, _)| *name)
}

#[test]
fn every_row_loads() {
    let table = include_str!("objects.tsv");
    assert_eq!(rows(table).count(), METHODS.len());
    assert!(rows(table).all(|row| row.len() == 3 && row.columns().all(|column| !column.is_empty())));
}
