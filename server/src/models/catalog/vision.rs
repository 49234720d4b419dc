//! The table of vision models, by the names that their libraries give them.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::{Catalog, VISION, certainty, resolved};
use crate::memory::Bytes;
use crate::memory::pictures::Pictures;
use crate::memory::weights::Dtype;
use crate::models::{Component, FactSource, ModelFacts};
use crate::table::{Record, rows};
use crate::texts::text;

/// A library that knows models by names of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Library {
    /// torchvision: `resnet50`, or with its module in front.
    Torchvision,
    /// timm: `vit_base_patch16_224`, with or without the tag of the weights.
    Timm,
    /// ultralytics: `yolov8n.pt`.
    Ultralytics,
    /// The original repository of YOLO v5: `yolov5s`.
    Yolov5,
    /// `segmentation_models_pytorch`: the class and its encoder, `Unet:resnet34`.
    Segmentation,
}

/// How the dotted path or id of a library's model starts.
static PREFIXES: LazyLock<Vec<(&'static str, Library)>> = LazyLock::new(|| {
    let table = rows(include_str!("../tables/vision_prefixes.tsv"));
    table.filter_map(|row| Some((row.first()?, Library::of_column(row.get(1)?)?))).collect()
});

/// The libraries whose models go by a bare name, the most used first.
const BARE: [Library; 3] = [Library::Torchvision, Library::Timm, Library::Ultralytics];

/// The encoder that `segmentation_models_pytorch` uses unless it is given another.
const DEFAULT_ENCODER: &str = "resnet34";

impl Library {
    pub(super) fn of_column(written: &str) -> Option<Self> {
        Some(match written {
            "torchvision" => Self::Torchvision,
            "timm" => Self::Timm,
            "ultralytics" => Self::Ultralytics,
            "yolov5" => Self::Yolov5,
            "segmentation" => Self::Segmentation,
            _ => return None,
        })
    }
}

impl Catalog {
    /// What is known of the model that a library builds under this name.
    pub fn find_in(&self, library: Library, name: &str) -> Option<ModelFacts> {
        let name = without_prefix(name.split('(').next()?.trim());
        let name = match library {
            Library::Torchvision => name.rsplit('.').next()?.to_owned(),
            Library::Timm => name.to_owned(),
            Library::Ultralytics | Library::Yolov5 => file_stem(name.rsplit(['/', '\\']).next()?).to_owned(),
            Library::Segmentation if name.contains(':') => name.to_owned(),
            Library::Segmentation => format!("{name}:{DEFAULT_ENCODER}"),
        };
        let rows = self.vision.get(&(library, name.as_str())).or_else(|| {
            let (model, _) = name.split_once('.').filter(|_| library == Library::Timm)?;
            self.vision.get(&(library, model))
        });
        facts_of(rows?, library, &name)
    }

    /// What is known of the model of a dotted path (`torchvision.models.resnet50`), of a library's id on the Hub
    /// (`timm/resnet50.a1_in1k`), of a file of ultralytics (`yolov8n.pt`), or of a bare name that a library knows.
    pub(super) fn vision_by_name(&self, name: &str) -> Option<ModelFacts> {
        let by_prefix = PREFIXES.iter().find_map(|(prefix, library)| {
            let rest = name.strip_prefix(prefix)?;
            self.find_in(*library, rest)
        });
        by_prefix.or_else(|| {
            let file = name.rsplit(['/', '\\']).next()?;
            if file_stem(file) != file {
                return self.find_in(Library::Ultralytics, file);
            }
            BARE.into_iter().filter(|_| file == name).find_map(|library| self.find_in(library, name))
        })
    }
}

fn without_prefix(name: &str) -> &str {
    PREFIXES.iter().find_map(|(prefix, _)| name.strip_prefix(prefix)).unwrap_or(name)
}

fn file_stem(file: &str) -> &str {
    file.strip_suffix(".pt").or(file.strip_suffix(".yaml")).unwrap_or(file)
}

/// Where the names of the libraries stand: by the last part of torchvision's paths, by timm's names with and without
/// their tags, by ultralytics' models and files of weights.
pub(super) fn places() -> FxHashMap<(Library, &'static str), Vec<usize>> {
    let mut places: FxHashMap<(Library, &'static str), Vec<usize>> = FxHashMap::default();
    for (row, record) in VISION.records().enumerate() {
        let Some((library, names)) = names(&record) else { continue };
        for name in names {
            places.entry((library, name)).or_default().push(row);
        }
    }
    places
}

fn names(record: &Record) -> Option<(Library, Vec<&'static str>)> {
    let library = Library::of_column(record.value("library")?)?;
    let name = without_prefix(record.value("name")?);
    let mut names = match library {
        Library::Torchvision => vec![name.rsplit('.').next()?],
        Library::Timm => vec![name, name.split('.').next()?],
        Library::Ultralytics | Library::Yolov5 => {
            [Some(name), record.value("weights")].into_iter().flatten().map(file_stem).collect()
        }
        Library::Segmentation => vec![name],
    };
    names.dedup();
    Some((library, names))
}

/// What the rows of one name say. Several are the weights of one architecture; if they differ in size, by the classes of
/// their heads, the most usual size counts and another is named.
fn facts_of(rows: &[usize], library: Library, name: &str) -> Option<ModelFacts> {
    let records: Vec<Record> = rows.iter().filter_map(|row| VISION.record(*row)).collect();
    let sizes: Vec<u64> = records.iter().filter_map(|record| record.number("parameters")).collect();
    let often = |size: u64| sizes.iter().filter(|other| **other == size).count();
    let usual = sizes.iter().copied().rev().max_by_key(|size| often(*size))?;
    let record = records.iter().find(|record| record.number("parameters") == Some(usual))?;
    let other = sizes.iter().copied().filter(|size| *size != usual).max();
    let facts = facts(record, other)?;
    if library != Library::Timm || without_prefix(&facts.name) == name {
        return Some(facts);
    }
    let words = text("resolved-architecture", &[("id", &facts.name)]);
    Some(resolved(facts, name, words))
}

fn facts(record: &Record, other: Option<u64>) -> Option<ModelFacts> {
    let (name, verified) = (record.value("name")?, record.value("verified")?);
    let disputed = record.number("disputed").or(other);
    let component = Component {
        class: name.to_owned(),
        parameters: record.number("parameters")?,
        stored: Some(Dtype::Float32),
        pictures: pictures(record),
        ..Component::default()
    };
    Some(ModelFacts {
        name: name.to_owned(),
        source: FactSource::Catalog { id: name.to_owned(), verified, resolved: None },
        certainty: certainty(verified, disputed),
        disputed,
        components: vec![component],
        uncounted: None,
        adapts: None,
    })
}

/// What the model keeps of each picture, where that was counted for one size.
fn pictures(record: &Record) -> Option<Pictures> {
    let side = record.number("input").filter(|side| *side > 0)?;
    Some(Pictures { activations: Bytes(record.number("activations_per_image")?), side })
}
