//! The setting of PyTorch's CUDA allocator: its keys, the variables that hold it, what does not go with it.

pub mod check;
pub mod value;

use std::fmt;
use std::sync::LazyLock;

use crate::table::{Row, rows};
use crate::versions::Versions;

/// The library whose versions count here.
pub const TORCH: &str = "torch";
/// The key that chooses whose allocator is used.
pub const BACKEND: &str = "backend";
/// The backend that is used unless another is chosen.
pub const NATIVE: &str = "native";
/// The key that lets blocks grow.
pub const EXPANDABLE_SEGMENTS: &str = "expandable_segments";
/// The key that keeps large blocks whole.
pub const MAX_SPLIT_SIZE: &str = "max_split_size_mb";
/// The value that switches a key on.
pub const ON: &str = "True";
/// The value that switches a key off.
pub const OFF: &str = "False";

/// The numbers of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version(Vec<u32>);

impl Version {
    /// The numbers.
    pub fn numbers(&self) -> &[u32] {
        &self.0
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(u32::to_string).collect();
        write!(out, "{}", numbers.join("."))
    }
}

/// A key of the setting.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// Another name of it.
    pub alias: Option<&'static str>,
    /// The values that it takes.
    pub accepts: Accepts,
    /// The first version of PyTorch that has it, if that is known.
    pub since: Option<Version>,
    /// The first version of PyTorch that does not have it any more.
    pub gone_in: Option<Version>,
    /// Whether it means something to the native backend only.
    pub native_only: bool,
}

/// The values that a key takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Accepts {
    /// `True` or `False`, in this case.
    Switch,
    /// A whole number from here on.
    Integer(i64),
    /// A number between 0 and 1.
    Fraction {
        /// Whether 0 and 1 themselves are refused.
        open: bool,
    },
    /// A power of two up to this one.
    PowerOfTwo(i64),
    /// A power of two or zero, or a list of sizes with one each.
    Divisions,
    /// One of these words.
    Choice(Vec<&'static str>),
    /// Anything.
    Anything,
}

/// A variable that holds the setting.
#[derive(Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// The first version of PyTorch whose CUDA allocator reads it; `None` when that depends on the build.
    pub read_since: Option<Version>,
}

/// An option of an engine that does not go with expandable segments.
#[derive(Debug)]
pub struct Conflict {
    /// The start of the path of what is called.
    library: &'static str,
    /// The argument.
    pub argument: &'static str,
    /// Whether it must be true, and not only given.
    pub must_be_true: bool,
    /// What it turns on, for a person.
    pub feature: &'static str,
}

impl Conflict {
    /// Whether a call of this path can have the option.
    pub fn concerns(&self, path: &str) -> bool {
        path.starts_with(self.library)
    }
}

static KEYS: LazyLock<Vec<Key>> =
    LazyLock::new(|| rows(include_str!("keys.tsv")).filter_map(|row| key(&row)).collect());
static VARIABLES: LazyLock<Vec<Variable>> =
    LazyLock::new(|| rows(include_str!("variables.tsv")).filter_map(|row| variable(&row)).collect());
static CONFLICTS: LazyLock<Vec<Conflict>> =
    LazyLock::new(|| rows(include_str!("conflicts.tsv")).filter_map(|row| conflict(&row)).collect());

static CALLS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| rows(include_str!("calls.tsv")).filter_map(|row| row.first()).collect());

/// Whether a function sets the whole setting while a program runs.
pub fn replaces_setting(path: &str) -> bool {
    CALLS.contains(&path)
}

/// All keys.
pub fn keys() -> &'static [Key] {
    &KEYS
}

/// The key with this name.
pub fn key_named(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name || key.alias == Some(name))
}

/// The variables that hold the setting, the one that wins first.
pub fn variables() -> &'static [Variable] {
    &VARIABLES
}

/// The variable with this name, if it holds the setting.
pub fn variable_named(name: &str) -> Option<&'static Variable> {
    VARIABLES.iter().find(|variable| variable.name == name)
}

/// The variable that every version reads.
pub fn always_read() -> Option<&'static str> {
    VARIABLES.iter().find(|variable| variable.is_always_read()).map(|variable| variable.name)
}

/// What does not go with expandable segments.
pub fn conflicts() -> &'static [Conflict] {
    &CONFLICTS
}

impl Key {
    /// Whether PyTorch has it, as far as its version is known.
    pub fn exists_in(&self, versions: &Versions) -> Option<bool> {
        let begun = match &self.since {
            Some(since) => versions.at_least(TORCH, since.numbers()),
            None => Some(true),
        };
        let gone = match &self.gone_in {
            Some(gone_in) => versions.at_least(TORCH, gone_in.numbers()),
            None => Some(false),
        };
        match (begun, gone) {
            (Some(false), _) | (_, Some(true)) => Some(false),
            (Some(true), Some(false)) => Some(true),
            _ => None,
        }
    }
}

impl Variable {
    /// Whether the CUDA allocator reads it, as far as PyTorch's version is known.
    pub fn is_read(&self, versions: &Versions) -> Option<bool> {
        versions.at_least(TORCH, self.read_since.as_ref()?.numbers())
    }

    /// Whether every version reads it.
    pub fn is_always_read(&self) -> bool {
        self.read_since.as_ref().is_some_and(|version| version.numbers() == [0])
    }
}

fn key(row: &Row) -> Option<Key> {
    Some(Key {
        name: row.first()?,
        alias: row.get(1).filter(|alias| *alias != "-"),
        accepts: accepts(row.get(2)?)?,
        since: version(row.get(3)?),
        gone_in: version(row.get(4)?),
        native_only: row.get(5)? == "native",
    })
}

fn accepts(words: &'static str) -> Option<Accepts> {
    let (kind, bound) = words.split_once(':').unwrap_or((words, ""));
    Some(match kind {
        "switch" => Accepts::Switch,
        "integer" => Accepts::Integer(bound.parse().ok()?),
        "fraction" => Accepts::Fraction { open: bound == "open" },
        "power-of-two" => Accepts::PowerOfTwo(bound.parse().ok()?),
        "divisions" => Accepts::Divisions,
        "choice" => Accepts::Choice(bound.split('|').collect()),
        "anything" => Accepts::Anything,
        _ => return None,
    })
}

fn variable(row: &Row) -> Option<Variable> {
    Some(Variable { name: row.first()?, read_since: version(row.get(1)?) })
}

fn conflict(row: &Row) -> Option<Conflict> {
    Some(Conflict {
        library: row.first()?.trim_end_matches('*'),
        argument: row.get(1)?,
        must_be_true: row.get(2)? == "true",
        feature: row.get(3)?,
    })
}

/// The numbers of a version; `None` for `-`.
fn version(text: &str) -> Option<Version> {
    let numbers: Option<Vec<u32>> = text.split('.').map(|number| number.parse().ok()).collect();
    numbers.map(Version)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every row has its columns, a source among them, and loads.
    #[track_caller]
    fn check<T>(table: &'static str, columns: usize, loaded: &[T]) {
        let all: Vec<Row> = rows(table).collect();
        assert!(!all.is_empty());
        assert_eq!(all.len(), loaded.len(), "a row does not load");
        for row in all {
            assert_eq!(row.len(), columns, "columns of {row:?}");
            assert!(row.columns().all(|column| !column.trim().is_empty()), "an empty column in {row:?}");
        }
    }

    #[test]
    fn every_row_loads() {
        check(include_str!("keys.tsv"), 7, keys());
        check(include_str!("variables.tsv"), 3, variables());
        check(include_str!("conflicts.tsv"), 5, conflicts());
        check(include_str!("calls.tsv"), 2, &CALLS);
        assert!(key_named("release_lock_on_hipmalloc").is_some());
        let unclear = rows(include_str!("keys.tsv")).filter_map(|row| Some([row.get(3)?, row.get(4)?]));
        assert!(unclear.flatten().all(|text| text == "-" || version(text).is_some()));
    }

    #[test]
    fn the_keys_that_rules_speak_of_are_there() {
        for name in [BACKEND, EXPANDABLE_SEGMENTS, MAX_SPLIT_SIZE] {
            assert!(key_named(name).is_some(), "{name}");
        }
    }

    #[test]
    fn one_variable_is_always_read_and_wins() {
        let first = variables().first();
        assert!(first.is_some_and(Variable::is_always_read));
    }
}
