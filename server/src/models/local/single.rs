//! One model: its configuration and its weights.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use crate::estimate::Certainty;
use crate::models::local::config::Config;
use crate::models::local::tally::Tally;
use crate::models::local::{ReadError, architecture, count, files, json};
use crate::models::{Component, FactSource, ModelFacts};

/// The model in a folder; `None` when it holds none.
///
/// # Errors
/// Its files are not what they should be.
pub fn folder(folder: &Path, name: &str) -> Result<Option<ModelFacts>, ReadError> {
    let config = json::read(&folder.join("config.json"))?;
    let found = component(folder, config.as_ref())?;
    Ok(found.map(|(component, source)| facts(name, component, source)))
}

/// The model in one file of weights; `None` when the file is of another kind.
///
/// # Errors
/// The file is not what it should be.
pub fn file(path: &Path, name: &str) -> Result<Option<ModelFacts>, ReadError> {
    if path.extension().is_none_or(|ending| ending != "safetensors") {
        return Ok(None);
    }
    let component = Tally::of(&[path.to_owned()], None)?.component(None, None);
    Ok(Some(facts(name, component, FactSource::Files(path.to_owned()))))
}

/// The model in a folder, as one part of whatever it belongs to: from the headers of its weights, or else counted from
/// its configuration, where its architecture is one that can be counted.
///
/// # Errors
/// Its files are not what they should be.
pub fn component(
    folder: &Path,
    config: Option<&Value>,
) -> Result<Option<(Component, FactSource)>, ReadError> {
    let config = config.map(Config::new);
    let architecture = config.and_then(architecture::read).map(Arc::new);
    let counted = config.and_then(count::component);
    let files = files::weights(folder, files::MODEL)?;
    if files.is_empty() {
        let source = FactSource::Config(folder.join("config.json"));
        return Ok(counted.map(|component| (Component { architecture, ..component }, source)));
    }
    let component = Tally::of(&files, config)?.component(config, counted.as_ref());
    Ok(Some((Component { architecture, ..component }, FactSource::Files(folder.to_owned()))))
}

fn facts(name: &str, component: Component, source: FactSource) -> ModelFacts {
    let certainty = match source {
        FactSource::Files(_) => Certainty::Exact,
        _ => Certainty::Counted,
    };
    ModelFacts {
        name: name.to_owned(),
        source,
        certainty,
        disputed: None,
        uncounted: None,
        adapts: None,
        components: vec![component],
    }
}
