//! An adapter of peft: matrices of low rank that are put on another model.

use std::path::Path;

use serde_json::Value;

use crate::estimate::Certainty;
use crate::models::local::tally::Tally;
use crate::models::local::{ReadError, files};
use crate::models::{Component, FactSource, ModelFacts};
use crate::texts::text;

/// The name that its weights go by.
const WEIGHTS: &[&str] = &["adapter_model"];

/// The adapter in a folder, without the model that it is put on.
///
/// # Errors
/// Its weights are not there or are not what they should be.
pub fn read(folder: &Path, name: &str, config: &Value) -> Result<Option<ModelFacts>, ReadError> {
    let files = files::weights(folder, WEIGHTS)?;
    if files.is_empty() {
        let file = folder.join("adapter_model.safetensors").display().to_string();
        return Err(ReadError::Missing(text("local-missing", &[("file", &file)])));
    }
    let kind = config.get("peft_type").and_then(Value::as_str).unwrap_or_default();
    let component = Component { class: kind.to_owned(), ..Tally::of(&files, None)?.component(None, None) };
    Ok(Some(ModelFacts {
        name: name.to_owned(),
        source: FactSource::Files(folder.to_owned()),
        certainty: Certainty::Exact,
        disputed: None,
        uncounted: None,
        adapts: config.get("base_model_name_or_path").and_then(Value::as_str).map(str::to_owned),
        components: vec![component],
    }))
}
