//! The models that ship with the program, as tables.

use std::sync::LazyLock;

use super::ModelFacts;
use crate::memory::Bytes;

/// The loaded tables.
#[derive(Debug)]
pub struct Catalog {}

/// A library that knows models by names of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Library {
    /// torchvision: `resnet50`, or with its module in front.
    Torchvision,
    /// timm: `vit_base_patch16_224`, with or without the tag of the weights.
    Timm,
    /// ultralytics: `yolov8n.pt`.
    Ultralytics,
    /// `segmentation_models_pytorch`: `Unet(resnet34)`.
    Segmentation,
}

/// The architecture of a language model's text decoder, or of its encoder where it has no decoder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Layers.
    pub layers: Option<u64>,
}

/// One model for a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The Hub id or the constructor.
    pub id: &'static str,
    /// What it is for: `causal-lm`, `embedding`, `pipeline`, `classification`.
    pub task: &'static str,
    /// Parameters; of all components for a pipeline.
    pub parameters: u64,
    /// The bytes of the published checkpoint, where they are known.
    pub stored_bytes: Option<Bytes>,
    /// How the count was confirmed.
    pub verified: &'static str,
}

static TABLES: LazyLock<Catalog> = LazyLock::new(|| Catalog {});

impl Catalog {
    /// The tables that ship with the program. They never change while it runs.
    pub fn tables() -> &'static Self {
        &TABLES
    }

    /// What is known of the model or pipeline that is loaded by this name: a Hub id, an alias of it, a re-upload of it,
    /// a constructor's dotted path. Where only the size can be read from the name, that is a guess
    /// ([`FactSource::Name`](super::FactSource::Name)). `None` when nothing is known.
    pub fn find(&self, _name: &str) -> Option<ModelFacts> {
        None
    }

    /// What is known of the model that a library builds under this name.
    pub fn find_in(&self, _library: Library, _name: &str) -> Option<ModelFacts> {
        None
    }

    /// The architecture of the language model with this Hub id, exactly as [`FactSource::Catalog`](super::FactSource::Catalog)
    /// gives it.
    pub fn shape(&self, _id: &str) -> Option<Shape> {
        None
    }

    /// Every model, in the order of the tables.
    pub fn models(&self) -> impl Iterator<Item = Listed> + '_ {
        std::iter::empty()
    }
}
