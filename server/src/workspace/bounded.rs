//! Reading other tools' files without trusting their sizes.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The largest file that is read for what it says of versions. A lock file of a large project has a few MiB.
const MAX_TEXT_BYTES: u64 = 16 * 1024 * 1024;

/// How many entries of a folder are looked at.
const MAX_ENTRIES: usize = 20_000;

/// The text of a file; `None` when it is not there, too large, no plain file or no text.
pub fn text(path: &Path) -> Option<String> {
    // A pipe would keep the reader waiting.
    let about = std::fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > MAX_TEXT_BYTES {
        return None;
    }
    let file = File::open(path).ok()?;
    let mut text = String::new();
    // It may grow while it is read.
    let length = file.take(MAX_TEXT_BYTES + 1).read_to_string(&mut text).ok()?;
    (length as u64 <= MAX_TEXT_BYTES).then_some(text)
}

/// The names in a folder, in order; nothing when it is none. Names that are no text are left out.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().take(MAX_ENTRIES);
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

/// The paths in a folder that a test of their names lets through, in order.
pub fn paths(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    names(folder).into_iter().filter(|name| wanted(name)).map(|name| folder.join(name)).collect()
}
