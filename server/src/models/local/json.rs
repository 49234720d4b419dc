//! JSON files of limited size. How deep they may nest is limited by the parser.

use std::io::Read;
use std::path::Path;

use serde_json::Value;

use crate::models::local::{self, ReadError};
use crate::texts::text;

/// The largest file. An index of a checkpoint with a hundred thousand tensors has about ten MiB.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Reads a file; `None` when it is not there.
///
/// # Errors
/// It cannot be read, is too large, or is no JSON object.
pub fn read(path: &Path) -> Result<Option<Value>, ReadError> {
    let file = match local::open(path) {
        Ok(file) => file,
        Err(ReadError::Missing(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut content = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut content).map_err(|error| ReadError::io(path, &error))?;
    let name = path.display().to_string();
    if content.len() as u64 > MAX_BYTES {
        return Err(ReadError::Broken(text("local-too-large", &[("file", &name)])));
    }
    let parsed = serde_json::from_slice::<Value>(&content);
    let why = match parsed {
        Ok(value) if value.is_object() => return Ok(Some(value)),
        Ok(_) => text("local-no-object", &[]),
        Err(error) => error.to_string(),
    };
    Err(ReadError::Broken(text("local-not-json", &[("file", &name), ("why", &why)])))
}
