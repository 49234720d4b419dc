//! Conda's files: an environment as it is asked for, and as it was locked.
//!
//! They are read as a stream of events and never as a tree, so that references between their parts (which may multiply
//! without bound) are not followed.

use std::str::FromStr;

use pep440_rs::VersionSpecifiers;
use saphyr_parser::{Event, Parser};

use crate::versions::{Requirement, Versions, normalized};

/// Deeper than this nothing is looked for.
const MAX_DEPTH: usize = 16;

/// Reads an `environment.yml`: the list `dependencies`, and the list of pip inside it.
pub fn environment(text: &str, source: &str) -> Versions {
    let mut versions = Versions::default();
    each_value(text, |path, value| {
        let requirement = match path {
            ["dependencies", "-"] => conda(value),
            ["dependencies", "-", "pip", "-"] => Requirement::parse(value),
            _ => None,
        };
        if let Some(requirement) = requirement {
            versions.required(&requirement, source);
        }
    });
    versions
}

/// Reads a `conda-lock.yml`: packages with a name and a version, for each platform.
pub fn lock(text: &str, source: &str) -> Versions {
    let mut versions = Versions::default();
    let mut package = None;
    each_value(text, |path, value| match path {
        ["package", "-", "name"] => package = Some(value.to_owned()),
        ["package", "-", "version"] => {
            if let Some(name) = package.take() {
                versions.found(&name, value, source);
            }
        }
        _ => {}
    });
    versions
}

/// A requirement of conda: `channel::name=1.2=build`, `name>=1.2,<2`, `name 1.2.*`. One `=` means every version that
/// starts so.
fn conda(text: &str) -> Option<Requirement> {
    let text = text.rsplit("::").next()?.trim();
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let end = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    let rest = rest.trim();
    let conditions = match rest.strip_prefix('=') {
        Some(exact) if exact.starts_with('=') => rest.to_owned(),
        Some(start) => match start.split_once('=') {
            Some((version, _build)) => format!("=={version}"),
            None => format!("=={}.*", start.trim().trim_end_matches('*').trim_end_matches('.')),
        },
        None if rest.starts_with(|first: char| first.is_ascii_digit()) => format!("=={rest}"),
        None => rest.to_owned(),
    };
    // A build may follow the version after a space or another `=`.
    let conditions = conditions.split(' ').next().unwrap_or_default();
    let conditions = match conditions.strip_prefix("==").and_then(|rest| rest.split_once('=')) {
        Some((version, _build)) => format!("=={version}"),
        None => conditions.to_owned(),
    };
    Some(Requirement { name: normalized(name), versions: VersionSpecifiers::from_str(&conditions).ok()? })
}

/// Shows every value of a YAML document with the keys that lead to it, `-` for a place in a list. What follows a mistake
/// is not shown.
fn each_value(text: &str, mut show: impl FnMut(&[&str], &str)) {
    let mut nesting: Vec<Nest> = Vec::new();
    for event in Parser::new_from_str(text) {
        match event {
            Ok((Event::MappingStart(..), _)) => nesting.push(Nest::Mapping(None)),
            Ok((Event::SequenceStart(..), _)) => nesting.push(Nest::List),
            Ok((Event::MappingEnd | Event::SequenceEnd, _)) => {
                nesting.pop();
                ended(&mut nesting);
            }
            Ok((Event::Scalar(value, ..), _)) => {
                if let Some(Nest::Mapping(key @ None)) = nesting.last_mut() {
                    *key = Some(value.into_owned());
                } else {
                    show(&path(&nesting), &value);
                    ended(&mut nesting);
                }
            }
            Ok((Event::Alias(_), _)) => ended(&mut nesting),
            Ok(_) => {}
            Err(_) => return,
        }
        if nesting.len() > MAX_DEPTH {
            return;
        }
    }
}

/// A mapping with the key whose value comes next, or a list.
enum Nest {
    Mapping(Option<String>),
    List,
}

fn path(nesting: &[Nest]) -> Vec<&str> {
    let step = |nest| match nest {
        &Nest::List => "-",
        Nest::Mapping(key) => key.as_deref().unwrap_or_default(),
    };
    nesting.iter().map(step).collect()
}

/// After a value the next key follows.
fn ended(nesting: &mut [Nest]) {
    if let Some(Nest::Mapping(key)) = nesting.last_mut() {
        *key = None;
    }
}
