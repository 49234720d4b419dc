//! `pyproject.toml`: what a project asks for, in the standard's form or in Poetry's.

use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifiers};
use toml::{Table, Value};

use crate::versions::{Requirement, Versions, normalized};

/// Reads the text of a project file: what the project always needs first, then its groups of optional needs.
pub fn read(text: &str, source: &str) -> Versions {
    let Ok(project) = text.parse::<Table>() else { return Versions::default() };
    let mut versions = Versions::default();
    if let Some(list) = at(&project, &["project", "dependencies"]) {
        versions.complete(&listed(list, source));
    }
    if let Some(table) = at(&project, &["tool", "poetry", "dependencies"]) {
        versions.complete(&poetry(table, source));
    }
    let groups = [
        at(&project, &["project", "optional-dependencies"]),
        at(&project, &["dependency-groups"]),
        at(&project, &["tool", "pdm", "dev-dependencies"]),
    ];
    for list in groups.into_iter().flatten().filter_map(Value::as_table).flat_map(Table::values) {
        versions.complete(&listed(list, source));
    }
    let groups = at(&project, &["tool", "poetry", "group"]).and_then(Value::as_table);
    for group in groups.into_iter().flat_map(Table::values) {
        if let Some(table) = group.get("dependencies") {
            versions.complete(&poetry(table, source));
        }
    }
    versions
}

/// What stands at a path of keys.
fn at<'a>(table: &'a Table, path: &[&str]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(table.get(*first)?, |value, key| value.get(*key))
}

/// A list of requirements.
fn listed(list: &Value, source: &str) -> Versions {
    let mut versions = Versions::default();
    for requirement in list.as_array().into_iter().flatten().filter_map(Value::as_str) {
        if let Some(requirement) = Requirement::parse(requirement) {
            versions.required(&requirement, source);
        }
    }
    versions
}

/// Poetry's table: a name, and a condition, or a table with one, or several such tables for different cases.
fn poetry(table: &Value, source: &str) -> Versions {
    let mut versions = Versions::default();
    for (name, value) in table.as_table().into_iter().flatten() {
        let cases = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        for case in cases {
            let condition = case.as_str().or_else(|| case.get("version")?.as_str());
            if let Some(conditions) = condition.and_then(conditions) {
                versions.required(&Requirement { name: normalized(name), versions: conditions }, source);
            }
        }
    }
    versions
}

/// Poetry's conditions: those of the standard, a bare version, `^1.2` up to the next change of the first number that
/// is not zero, and `~1.2` up to the next of the second. Alternatives (`||`) are not followed.
fn conditions(text: &str) -> Option<VersionSpecifiers> {
    let parts: Option<Vec<String>> = text.split(',').map(|part| condition(part.trim())).collect();
    VersionSpecifiers::from_str(&parts?.join(",")).ok()
}

fn condition(text: &str) -> Option<String> {
    if let Some(version) = text.strip_prefix('^') {
        return series(version, |numbers| numbers.iter().position(|number| *number > 0).unwrap_or(0));
    }
    if let Some(version) = text.strip_prefix('~').filter(|version| !version.starts_with('=')) {
        return series(version, |numbers| 1.min(numbers.len().saturating_sub(1)));
    }
    match text.chars().next()? {
        '*' => None,
        first if first.is_ascii_digit() => Some(format!("=={text}")),
        _ => Some(text.to_owned()),
    }
}

/// From a version to the next where the number at `place` changes.
fn series(version: &str, place: impl Fn(&[u64]) -> usize) -> Option<String> {
    let version = Version::from_str(version.trim()).ok()?;
    let kept = version.release().get(..=place(version.release()))?;
    let (last, before) = kept.split_last()?;
    let next = Version::new(before.iter().copied().chain([last.saturating_add(1)]));
    Some(format!(">={version},<{next}"))
}
