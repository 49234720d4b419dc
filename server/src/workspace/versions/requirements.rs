//! Requirements files of pip, with the files that they include.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::versions::{Requirement, Versions};
use crate::workspace::bounded;

/// How many files are read for one folder, included ones among them.
const MAX_FILES: usize = 50;

/// The requirements files of a folder: `requirements.txt` first, then others by name, then those of a folder
/// `requirements`. The first that speaks of a library counts.
pub fn read(folder: &Path) -> Versions {
    let is_text = |name: &str| Path::new(name).extension().is_some_and(|ending| ending == "txt");
    let mut files = bounded::paths(folder, |name| name.starts_with("requirements") && is_text(name));
    files.sort_by_key(|file| file.file_name().is_none_or(|name| name != "requirements.txt"));
    files.extend(bounded::paths(&folder.join("requirements"), is_text));
    let mut reading = Reading { folder, seen: BTreeSet::new() };
    let mut versions = Versions::default();
    for file in files {
        versions.complete(&reading.file(file));
    }
    versions
}

/// The files read so far: each is read once, so that an include of itself ends.
struct Reading<'a> {
    folder: &'a Path,
    seen: BTreeSet<PathBuf>,
}

impl Reading<'_> {
    /// A file and what it includes; the file itself is trusted before what it includes.
    fn file(&mut self, file: PathBuf) -> Versions {
        let mut versions = Versions::default();
        let mut waiting = vec![file];
        while let Some(file) = waiting.pop() {
            let file = plain(&file);
            if self.seen.len() >= MAX_FILES || !self.seen.insert(file.clone()) {
                continue;
            }
            let Some(text) = bounded::text(&file) else { continue };
            let beside = file.parent().unwrap_or(Path::new(""));
            let included = text.lines().filter_map(included).map(|name| beside.join(name));
            waiting.extend(included.collect::<Vec<_>>().into_iter().rev());
            versions.complete(&required(&text, &self.name(&file)));
        }
        versions
    }

    /// A file's name as it is told: from the folder.
    fn name(&self, file: &Path) -> String {
        let inside = file.strip_prefix(self.folder).unwrap_or(file);
        inside.display().to_string().replace('\\', "/")
    }
}

/// What the lines of one file ask for.
fn required(text: &str, source: &str) -> Versions {
    let mut versions = Versions::default();
    for line in text.lines() {
        let line = line.trim().trim_end_matches('\\');
        if let Some(requirement) = Requirement::parse(line) {
            versions.required(&requirement, source);
        }
    }
    versions
}

/// The file that a line includes, as requirements (`-r`) or as constraints (`-c`).
fn included(line: &str) -> Option<&str> {
    let line = line.trim();
    let rest =
        ["--requirement", "--constraint", "-r", "-c"].iter().find_map(|word| line.strip_prefix(word))?;
    let name = rest.trim_start_matches(['=', ' ', '\t']).split(" #").next()?.trim();
    (!name.is_empty() && !name.contains("://")).then_some(name)
}

/// The path without `.` and `name/..`, so that one file has one path.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}
