//! Dockerfiles: the version of a library in the tag of an image that is made for it.

use crate::knowledge;
use crate::versions::Versions;

/// Reads the text of a Dockerfile. The last image counts: what runs is built on it.
pub fn read(text: &str, source: &str) -> Versions {
    let mut versions = Versions::default();
    let image = text.lines().filter_map(image).next_back();
    if let Some((library, version)) = image.as_deref().and_then(release) {
        versions.found(library, version, source);
    }
    versions
}

/// The image of a `FROM` line.
fn image(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let is_from = words.next()?.eq_ignore_ascii_case("from");
    is_from.then(|| words.find(|word| !word.starts_with("--"))).flatten().map(str::to_owned)
}

/// The library that an image is made for, and its version (`pytorch/pytorch:2.4.1-cuda12.1-cudnn9-devel`).
fn release(image: &str) -> Option<(&'static str, &str)> {
    let (name, tag) = image.rsplit_once(':')?;
    let without_host =
        name.split_once('/').filter(|(host, _)| host.contains('.')).map_or(name, |(_, rest)| rest);
    let version = tag.split('-').next()?.trim_start_matches('v');
    Some((knowledge::library_of_image(without_host)?, version))
}
