//! Which files hold the weights of a model.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::models::local::{ReadError, json};
use crate::texts::text;

/// The names that weights go by: of transformers, of diffusers.
pub const MODEL: &[&str] = &["model", "diffusion_pytorch_model"];

/// The most files of one model.
const MAX_FILES: usize = 2000;

/// How many entries of a folder are looked at.
const MAX_ENTRIES: usize = 20_000;

/// The files with the weights in a folder, under the first of these names that has any; none when there are none. A model
/// that is there in several variants (`.fp16.`) is read once, in its plain form if it has one.
///
/// # Errors
/// An index cannot be read, or names what is not a file beside it.
pub fn weights(folder: &Path, names: &[&str]) -> Result<Vec<PathBuf>, ReadError> {
    let beside = in_folder(folder);
    for name in names {
        for variant in variants(name, &beside) {
            let dotted = if variant.is_empty() { String::new() } else { format!(".{variant}") };
            let whole = format!("{name}{dotted}.safetensors");
            if beside.contains(&whole) {
                return Ok(vec![folder.join(whole)]);
            }
            let index = folder.join(format!("{name}.safetensors.index{dotted}.json"));
            if let Some(index_of) = json::read(&index)? {
                return indexed(folder, &index, &index_of);
            }
            let is_shard = |file: &&String| {
                let rest = file.strip_prefix(&format!("{name}{dotted}-"));
                rest.is_some_and(|rest| rest.contains("-of-") && ends_well(rest))
            };
            let shards: Vec<PathBuf> = beside.iter().filter(is_shard).map(|file| folder.join(file)).collect();
            if !shards.is_empty() {
                return Ok(shards);
            }
        }
    }
    Ok(Vec::new())
}

/// The variants that the files beside each other come in: the plain one first, then half precision, then by name.
fn variants(name: &str, beside: &BTreeSet<String>) -> Vec<String> {
    let of = |file: &String| {
        let rest = file.strip_prefix(name)?;
        let variant = match rest.strip_prefix(".safetensors.index.") {
            Some(rest) => rest.strip_suffix(".json")?,
            None => rest.strip_prefix('.')?.strip_suffix(".safetensors")?.split('-').next()?,
        };
        let is_word = !variant.is_empty() && !variant.contains(['.', '/', '\\']) && variant != "json";
        is_word.then(|| variant.to_owned())
    };
    let mut variants: Vec<String> = beside.iter().filter_map(of).collect();
    variants.sort_by_key(|variant| variant != "fp16");
    variants.dedup();
    [vec![String::new()], variants].concat()
}

/// The files that an index names.
fn indexed(folder: &Path, path: &Path, index: &serde_json::Value) -> Result<Vec<PathBuf>, ReadError> {
    let broken = |why: String| {
        let arguments = [("file", &*path.display().to_string()), ("why", &*why)];
        ReadError::Broken(text("local-bad-index", &arguments))
    };
    let map = index.get("weight_map").and_then(serde_json::Value::as_object);
    let map = map.ok_or_else(|| broken(text("local-index-no-map", &[])))?;
    let mut files = BTreeSet::new();
    for file in map.values() {
        let file = file.as_str().filter(|file| is_plain(file));
        let file = file.ok_or_else(|| broken(text("local-index-no-file", &[])))?;
        files.insert(folder.join(file));
        if files.len() > MAX_FILES {
            return Err(broken(text("local-index-too-many", &[])));
        }
    }
    Ok(files.into_iter().collect())
}

/// Whether it is the name of a file beside the index, and not a path to somewhere else.
fn is_plain(file: &str) -> bool {
    ends_well(file) && !file.contains(['/', '\\', '\0'])
}

fn ends_well(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|ending| ending == "safetensors")
}

fn in_folder(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().take(MAX_ENTRIES);
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}
