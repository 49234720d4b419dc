//! What is installed: the names of the `dist-info` folders of an environment say each package and its version.

use std::path::Path;

use crate::versions::Versions;
use crate::workspace::bounded;
use crate::workspace::variables::Variables;

/// Names of environments beside the code that runs in them.
const FOLDERS: &[&str] = &[".venv", "venv", "env", ".conda"];

/// The variables that name the environment that is switched on.
const ACTIVE: &[&str] = &["VIRTUAL_ENV", "CONDA_PREFIX"];

/// The environment in a folder.
pub fn beside(folder: &Path) -> Versions {
    let found = FOLDERS.iter().map(|name| read(&folder.join(name), name));
    found.into_iter().find(|versions| !versions.is_empty()).unwrap_or_default()
}

/// The environment that the process was started in.
pub fn active(variables: &Variables) -> Versions {
    let found = ACTIVE.iter().filter_map(|name| variables.folder(name));
    let versions = found.map(|folder| read(&folder, &folder.display().to_string()));
    versions.into_iter().find(|versions| !versions.is_empty()).unwrap_or_default()
}

fn read(environment: &Path, source: &str) -> Versions {
    let mut versions = Versions::default();
    let interpreters = bounded::paths(&environment.join("lib"), |name| name.starts_with("python"));
    let unix = interpreters.iter().map(|folder| folder.join("site-packages"));
    for packages in unix.chain([environment.join("Lib").join("site-packages")]) {
        for name in bounded::names(&packages) {
            let parts = name.strip_suffix(".dist-info").and_then(|name| name.split_once('-'));
            if let Some((package, version)) = parts {
                versions.found(package, version, source);
            }
        }
    }
    versions
}
