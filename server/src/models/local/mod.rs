//! Models as they lie on this machine: read from their configuration and the headers of their weights.
//!
//! No tensor is loaded. Every reader is bounded, whatever a file claims of itself.

mod adapter;
mod architecture;
mod config;
mod count;
mod files;
mod header;
mod json;
mod names;
mod pipeline;
mod single;
mod tally;

use std::fs::File;
use std::path::Path;

use crate::memory::transformers::Architecture;
use crate::models::ModelFacts;
use crate::texts::text;

/// Why a model cannot be read, in a sentence that names the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// A file that others name is not there. Where files are still being fetched, it may come.
    Missing(String),
    /// A file is not what it should be.
    Broken(String),
}

impl ReadError {
    /// The sentence.
    pub fn sentence(&self) -> &str {
        match self {
            Self::Missing(sentence) | Self::Broken(sentence) => sentence,
        }
    }

    fn io(file: &Path, error: &std::io::Error) -> Self {
        let arguments = [("file", &*file.display().to_string()), ("why", &*error.to_string())];
        match error.kind() {
            std::io::ErrorKind::NotFound => {
                Self::Missing(text("local-missing", &[("file", &file.display().to_string())]))
            }
            _ => Self::Broken(text("local-unreadable", &arguments)),
        }
    }
}

/// How the model is built that the content of a `config.json` describes; `None` when its family is not known.
pub fn architecture(config: &serde_json::Value) -> Option<Architecture> {
    architecture::read(config::Config::new(config))
}

/// Opens a plain file: what is none (a pipe, a device) may keep a reader waiting for ever.
fn open(path: &Path) -> Result<File, ReadError> {
    let about = std::fs::metadata(path).map_err(|error| ReadError::io(path, &error))?;
    if !about.is_file() {
        let arguments = [("file", &*path.display().to_string()), ("why", &*text("local-no-file", &[]))];
        return Err(ReadError::Broken(text("local-unreadable", &arguments)));
    }
    File::open(path).map_err(|error| ReadError::io(path, &error))
}

/// The model in a folder, or in one safetensors file, under the name that people know it by; `None` when there is none.
///
/// # Errors
/// The files are there and are not what they should be.
pub fn read(path: &Path, name: &str) -> Result<Option<ModelFacts>, ReadError> {
    if path.is_file() {
        return single::file(path, name);
    }
    if let Some(index) = json::read(&path.join("model_index.json"))? {
        return pipeline::read(path, name, &index);
    }
    if let Some(config) = json::read(&path.join("adapter_config.json"))? {
        return adapter::read(path, name, &config);
    }
    single::folder(path, name)
}

#[cfg(test)]
mod tests;
