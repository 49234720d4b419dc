//! Lock files: exactly what would be installed.

use serde::Deserialize;
use serde_json::Value;

use crate::versions::{Requirement, Versions};
use crate::workspace::versions::{conda, folder::Parse};

/// The lock files of a folder, in the order in which they are trusted.
pub const FILES: &[(&str, Parse)] = &[
    ("uv.lock", packages),
    ("poetry.lock", packages),
    ("pdm.lock", packages),
    ("pylock.toml", pylock),
    ("Pipfile.lock", pipfile),
    ("conda-lock.yml", conda::lock),
];

/// What uv, Poetry and PDM have in common: a list `package` of names and versions.
#[derive(Deserialize)]
struct Locked {
    #[serde(default)]
    package: Vec<Package>,
}

/// The standard's own form (PEP 751).
#[derive(Deserialize)]
struct Pylock {
    #[serde(default)]
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: Option<String>,
}

fn packages(text: &str, source: &str) -> Versions {
    noted(toml::from_str(text).map(|locked: Locked| locked.package).unwrap_or_default(), source)
}

fn pylock(text: &str, source: &str) -> Versions {
    noted(toml::from_str(text).map(|locked: Pylock| locked.packages).unwrap_or_default(), source)
}

fn noted(packages: Vec<Package>, source: &str) -> Versions {
    let mut versions = Versions::default();
    for package in packages {
        if let Some(version) = package.version {
            versions.found(&package.name, &version, source);
        }
    }
    versions
}

/// Pipenv's: groups of names, each with the version as a condition.
fn pipfile(text: &str, source: &str) -> Versions {
    let mut versions = Versions::default();
    let Ok(locked) = serde_json::from_str::<Value>(text) else { return versions };
    let packages = ["default", "develop"].iter().filter_map(|group| locked.get(group)?.as_object());
    for (name, package) in packages.flatten() {
        let condition = package.get("version").and_then(Value::as_str);
        let requirement = condition.and_then(|condition| Requirement::parse(&format!("{name}{condition}")));
        if let Some(requirement) = requirement {
            versions.required(&requirement, source);
        }
    }
    versions
}
