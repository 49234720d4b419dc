//! A range of versions of a package.

use crate::versions::Versions;

/// From one version, if there is one, up to and without another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    since: Option<Vec<u32>>,
    below: Option<Vec<u32>>,
}

impl Window {
    /// Reads the two ends; `-` is an open one.
    pub fn read(since: &str, below: &str) -> Option<Self> {
        let end = |written| if written == "-" { Some(None) } else { numbers(written).map(Some) };
        Some(Self { since: end(since)?, below: end(below)? })
    }

    /// Whether a package's version is in the range: certainly, certainly not, or not known.
    pub fn holds(&self, package: &str, versions: &Versions) -> Option<bool> {
        let late_enough = self.since.as_deref().map_or(Some(true), |since| versions.at_least(package, since));
        let too_late = self.below.as_deref().map_or(Some(false), |below| versions.at_least(package, below));
        match (late_enough, too_late) {
            (Some(false), _) | (_, Some(true)) => Some(false),
            (Some(true), Some(false)) => Some(true),
            _ => None,
        }
    }

    /// Whether the range goes on to versions that are still to come.
    pub fn is_current(&self) -> bool {
        self.below.is_none()
    }

    /// The version it starts with, for a message.
    pub fn since(&self) -> Option<String> {
        self.since.as_deref().map(written)
    }

    /// The version it ends before, for a message.
    pub fn below(&self) -> Option<String> {
        self.below.as_deref().map(written)
    }
}

/// The numbers of a version.
fn numbers(version: &str) -> Option<Vec<u32>> {
    version.split('.').map(|number| number.parse().ok()).collect()
}

fn written(version: &[u32]) -> String {
    let numbers: Vec<String> = version.iter().map(u32::to_string).collect();
    numbers.join(".")
}
