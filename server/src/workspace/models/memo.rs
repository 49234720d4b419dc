//! What was read of a place, until its files change.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::fs::{self, Metadata};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::workspace::models::Read;

/// How many places are remembered.
const MAX_PLACES: usize = 128;

/// How many files tell whether a place has changed.
const MAX_FILES: usize = 2000;

/// What was read, by place, with a mark of the files it was read from.
#[derive(Debug, Default)]
pub struct Memo {
    places: Mutex<HashMap<PathBuf, (u64, Read)>>,
}

impl Memo {
    /// What a place gives: as it was read before, when its files are the same, or read now.
    pub fn get(&self, place: &Path, read: impl FnOnce() -> Read) -> Read {
        let mark = mark(place);
        let places = || self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = places().get(place).filter(|(old, _)| *old == mark) {
            return known.clone();
        }
        // Read without the lock: others need not wait.
        let found = read();
        let mut places = places();
        if places.len() >= MAX_PLACES {
            places.clear();
        }
        places.insert(place.to_owned(), (mark, found.clone()));
        found
    }
}

/// The sizes and times of the files in a folder and in the folders inside it, or of one file.
fn mark(place: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut left = MAX_FILES;
    add(place, &mut hasher);
    for entry in inside(place, &mut left) {
        add(&entry, &mut hasher);
        for file in inside(&entry, &mut left) {
            add(&file, &mut hasher);
        }
    }
    hasher.finish()
}

fn inside(folder: &Path, left: &mut usize) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(*left);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort_unstable();
    *left -= paths.len();
    paths
}

fn add(path: &Path, hasher: &mut DefaultHasher) {
    path.hash(hasher);
    let about = fs::metadata(path).ok();
    about.as_ref().map(Metadata::len).hash(hasher);
    about.and_then(|about| about.modified().ok()).hash(hasher);
}
