//! A machine as a test needs it: without what happens to be on this one, and with models of any size that take no room.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

/// The variables that lead to environments and caches.
const VARIABLES: &[&str] = &[
    "CONDA_PREFIX",
    "HF_HOME",
    "HF_HUB_CACHE",
    "HUGGINGFACE_HUB_CACHE",
    "TRANSFORMERS_CACHE",
    "VIRTUAL_ENV",
    "XDG_CACHE_HOME",
];

/// Lets a command know nothing of the environments and models on this machine.
pub fn alone(command: &mut Command) {
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    command.env("HOME", "/nowhere");
}

/// Writes a safetensors file of one bfloat16 tensor with so many MiB.
///
/// # Errors
/// The file cannot be written.
pub fn weights(path: &Path, mebibytes: u64) -> io::Result<()> {
    let bytes = mebibytes << 20;
    let header = format!(
        r#"{{"layer.weight":{{"dtype":"BF16","shape":[{mebibytes},524288],"data_offsets":[0,{bytes}]}}}}"#
    );
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = File::create(path)?;
    let length = header.len() as u64;
    file.write_all(&length.to_le_bytes())?;
    file.write_all(header.as_bytes())?;
    // What is not written takes no room on the disk.
    file.set_len(8 + length + bytes)
}
