//! Files of the workspace as they were read last, each until it changes or room is needed.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

/// What tells whether a file is still the one that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its bytes.
    pub length: u64,
    /// When it was written, or which text of an editor it is.
    pub state: State,
}

/// Which state of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// As it was written to the disk at a time.
    Written(Option<SystemTime>),
    /// As it stands in an editor.
    Open(u64),
}

/// What was made of files, by path.
#[derive(Debug)]
pub struct Cache<T> {
    entries: Mutex<Entries<T>>,
}

#[derive(Debug)]
struct Entries<T> {
    files: HashMap<PathBuf, Remembered<T>>,
    /// The bytes of the files, and how many there may be.
    bytes: u64,
    room: u64,
    /// Grows with every use: what was used longest ago goes first.
    uses: u64,
}

/// What was made of a file, by whoever asked for it first; others wait for that one.
type Made<T> = Arc<OnceLock<Option<Arc<T>>>>;

#[derive(Debug)]
struct Remembered<T> {
    mark: Mark,
    used: u64,
    made: Made<T>,
}

impl Mark {
    /// The mark of a plain file; `None` when it is none or has more than `most` bytes.
    pub fn of(path: &Path, most: u64) -> Option<Self> {
        // A pipe would keep the reader waiting.
        let about = fs::metadata(path).ok().filter(|about| about.is_file() && about.len() <= most)?;
        Some(Self { length: about.len(), state: State::Written(about.modified().ok()) })
    }
}

impl<T> Cache<T> {
    /// An empty one for what is made of so many bytes of files.
    pub fn with_room(room: u64) -> Self {
        let entries = Entries { files: HashMap::new(), bytes: 0, room, uses: 0 };
        Self { entries: Mutex::new(entries) }
    }

    /// What is made of a file in the state of `mark`: what is remembered, or made now. `None` is remembered too.
    pub fn get(&self, path: &Path, mark: Mark, make: impl FnOnce() -> Option<T>) -> Option<Arc<T>> {
        let made = self.entries().take(path, mark);
        // Made without the lock: others need not wait, unless they want the same.
        made.get_or_init(|| make().map(Arc::new)).clone()
    }

    /// How many bytes the files have that are remembered.
    pub fn bytes(&self) -> u64 {
        self.entries().bytes
    }

    fn entries(&self) -> MutexGuard<'_, Entries<T>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Entries<T> {
    fn take(&mut self, path: &Path, mark: Mark) -> Made<T> {
        self.uses += 1;
        if let Some(file) = self.files.get_mut(path).filter(|file| file.mark == mark) {
            file.used = self.uses;
            return Arc::clone(&file.made);
        }
        let file = Remembered { mark, used: self.uses, made: Made::default() };
        let made = Arc::clone(&file.made);
        self.bytes += mark.length;
        if let Some(old) = self.files.insert(path.to_owned(), file) {
            self.bytes -= old.mark.length;
        }
        self.make_room();
        made
    }

    /// Forgets what was used longest ago. It goes on living where it is still used.
    fn make_room(&mut self) {
        if self.bytes <= self.room {
            return;
        }
        let mut by_use: Vec<(u64, PathBuf)> =
            self.files.iter().map(|(path, file)| (file.used, path.clone())).collect();
        by_use.sort_unstable();
        for (_, path) in by_use {
            // More than needed, so that it is not done again for the next file.
            if self.bytes <= self.room / 4 * 3 {
                break;
            }
            if let Some(file) = self.files.remove(&path) {
                self.bytes -= file.mark.length;
            }
        }
    }
}

/// The text of a file of at most so many bytes; `None` when it is longer or no text.
pub fn text(path: &Path, most: u64) -> Option<String> {
    let mut text = String::new();
    // It may have grown since it was looked at.
    let length = File::open(path).ok()?.take(most + 1).read_to_string(&mut text).ok()?;
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    (length as u64 <= most).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(length: u64, version: u64) -> Mark {
        Mark { length, state: State::Open(version) }
    }

    #[test]
    fn a_file_is_read_again_when_it_has_changed() {
        let cache = Cache::with_room(100);
        let get = |version, value| cache.get(Path::new("a.py"), mark(10, version), || value);
        assert_eq!(get(1, Some("old")).as_deref(), Some(&"old"));
        assert_eq!(get(1, Some("not read")).as_deref(), Some(&"old"));
        assert_eq!(get(2, None), None);
        assert_eq!(get(2, Some("not read")), None);
        assert_eq!(cache.bytes(), 10);
    }

    #[test]
    fn however_many_files_are_read_few_are_remembered() {
        let cache = Cache::with_room(100);
        let get = |name: usize| {
            let made = std::cell::Cell::new(false);
            let path = PathBuf::from(name.to_string());
            cache.get(&path, mark(1, 0), || {
                made.set(true);
                Some(name)
            });
            made.get()
        };
        for name in 1..1000 {
            get(name);
            assert!(!get(1), "what is used all the time stays");
            assert!(cache.bytes() <= 100, "{}", cache.bytes());
        }
        assert!(get(2), "what was not used for long is gone");
    }
}
