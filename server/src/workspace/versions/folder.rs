//! What one folder says of versions, source by source.

use std::path::Path;

use crate::versions::Versions;
use crate::workspace::bounded;
use crate::workspace::versions::{conda, docker, environment, locks, project, requirements, setup};

/// The number of sources.
pub const SOURCES: usize = 7;

/// The place of what is installed among the sources.
pub const ENVIRONMENT: usize = 0;

/// What one folder says, the most trusted source first.
pub type Facts = [Versions; SOURCES];

/// How the text of a file is read for versions, with the file's name as their source.
pub type Parse = fn(&str, &str) -> Versions;

/// What is in a folder.
pub fn read(folder: &Path) -> Facts {
    [
        environment::beside(folder),
        first(folder, locks::FILES),
        requirements::read(folder),
        first(folder, &[("pyproject.toml", project::read)]),
        first(folder, &[("environment.yml", conda::environment), ("environment.yaml", conda::environment)]),
        first(folder, &[("setup.cfg", setup::read)]),
        first(folder, &[("Dockerfile", docker::read), ("Containerfile", docker::read)]),
    ]
}

/// What the first of some files says that says anything.
fn first(folder: &Path, files: &[(&str, Parse)]) -> Versions {
    let read = |(name, parse): &(&str, Parse)| {
        let text = bounded::text(&folder.join(name))?;
        Some(parse(&text, name)).filter(|versions| !versions.is_empty())
    };
    files.iter().find_map(read).unwrap_or_default()
}
