//! The cache of the Hugging Face Hub: `models--OWNER--NAME/refs/BRANCH` names a commit, `snapshots/COMMIT` holds its files.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::workspace::variables::Variables;

/// The branch that is loaded when a script names none.
const BRANCH: &str = "main";

/// The owner that sentence-transformers tries for a name without one.
const DEFAULT_OWNER: &str = "sentence-transformers";

/// A reference is a commit: forty digits.
const MAX_REFERENCE: u64 = 256;

/// How many snapshots are looked at.
const MAX_SNAPSHOTS: usize = 1000;

/// Where the cache is: the first place that is set, as `huggingface_hub.constants` has it, and where earlier versions of
/// transformers had theirs.
pub fn caches(variables: &Variables) -> Vec<PathBuf> {
    let of_home = || variables.folder("HF_HOME").map(|home| home.join("hub"));
    let usual = || {
        let cache = variables.folder("XDG_CACHE_HOME").or_else(|| Some(variables.home()?.join(".cache")))?;
        Some(cache.join("huggingface").join("hub"))
    };
    let current = variables
        .folder("HF_HUB_CACHE")
        .or_else(|| variables.folder("HUGGINGFACE_HUB_CACHE"))
        .or_else(of_home)
        .or_else(usual);
    current.into_iter().chain(variables.folder("TRANSFORMERS_CACHE")).collect()
}

/// The ids that a name may stand for; none when it is no id.
pub fn ids(name: &str) -> Vec<String> {
    let is_word = |word: &str| {
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        !word.is_empty() && word.chars().all(is_part) && !word.starts_with('.') && !word.contains("--")
    };
    let words: Vec<&str> = name.split('/').collect();
    match words.as_slice() {
        [only] if is_word(only) => vec![name.to_owned(), format!("{DEFAULT_OWNER}/{name}")],
        [owner, model] if is_word(owner) && is_word(model) => vec![name.to_owned()],
        _ => Vec::new(),
    }
}

/// The files of a model in a cache: those of its main branch, or else those that were fetched last.
pub fn snapshot(cache: &Path, id: &str) -> Option<PathBuf> {
    let model = cache.join(format!("models--{}", id.replace('/', "--")));
    let snapshots = model.join("snapshots");
    let referred = commit(&model.join("refs").join(BRANCH)).map(|commit| snapshots.join(commit));
    referred.filter(|snapshot| snapshot.is_dir()).or_else(|| newest(&snapshots))
}

/// The commit that a reference names.
fn commit(reference: &Path) -> Option<String> {
    let mut text = String::new();
    fs::File::open(reference).ok()?.take(MAX_REFERENCE).read_to_string(&mut text).ok()?;
    let commit = text.trim();
    let is_commit = !commit.is_empty() && commit.chars().all(|digit| digit.is_ascii_alphanumeric());
    is_commit.then(|| commit.to_owned())
}

fn newest(snapshots: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(snapshots).ok()?.take(MAX_SNAPSHOTS).flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let newest = folders
        .max_by_key(|entry| (entry.metadata().and_then(|about| about.modified()).ok(), entry.file_name()));
    newest.map(|entry| entry.path())
}
