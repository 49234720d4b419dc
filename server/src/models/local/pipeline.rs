//! A pipeline of diffusers: an index that names its parts, and a folder for each.

use std::path::Path;

use serde_json::Value;

use crate::estimate::Certainty;
use crate::models::local::{ReadError, json, single};
use crate::models::{Component, FactSource, ModelFacts};
use crate::texts::text;

/// The most parts of a pipeline.
const MAX_PARTS: usize = 64;

/// The pipeline in a folder. Parts without weights (schedulers, tokenizers) are left out.
///
/// # Errors
/// A part is not there, or is not what it should be.
pub fn read(folder: &Path, name: &str, index: &Value) -> Result<Option<ModelFacts>, ReadError> {
    let mut components = Vec::new();
    let mut exact = true;
    for (part, class) in parts(index) {
        let inside = folder.join(part);
        let config = json::read(&inside.join("config.json"))?;
        match single::component(&inside, config.as_ref())? {
            Some((component, source)) => {
                exact &= matches!(source, FactSource::Files(_));
                components.push(Component { name: part.to_owned(), class: class.to_owned(), ..component });
            }
            // What has a model's configuration and cannot be counted would be missing from the sum.
            None if config.is_some() => {
                let file = inside.display().to_string();
                return Err(ReadError::Missing(text("local-no-weights", &[("folder", &file)])));
            }
            None => {}
        }
    }
    if components.is_empty() {
        return Ok(None);
    }
    Ok(Some(ModelFacts {
        name: name.to_owned(),
        source: FactSource::Files(folder.to_owned()),
        certainty: if exact { Certainty::Exact } else { Certainty::Counted },
        disputed: None,
        uncounted: None,
        adapts: None,
        components,
    }))
}

/// The parts that are there, each with the class that it is loaded as. Their names are those of folders.
fn parts(index: &Value) -> impl Iterator<Item = (&str, &str)> {
    let entries = index.as_object().into_iter().flatten().filter_map(|(name, value)| {
        let class = value.get(1)?.as_str()?;
        let is_folder = !name.starts_with('_') && !name.contains(['/', '\\', '.']);
        is_folder.then_some((name.as_str(), class))
    });
    entries.take(MAX_PARTS)
}
