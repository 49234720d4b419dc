//! What is known of one library's version: a range, or exactly one.

use std::cmp::Ordering;

use pep440_rs::{Operator, Version, VersionSpecifier, VersionSpecifiers};

/// What is known of one library's version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The lowest version it can be, as its numbers: 4.46.3 is `[4, 46, 3]`; empty without a lower bound.
    pub lowest: Vec<u32>,
    /// The first version that it cannot be any more; `None` without an upper bound.
    pub below: Option<Vec<u32>>,
    /// The version, if it is exactly one, without a local part (`2.9.0` for `2.9.0+cu128`).
    pub exact: Option<String>,
    /// Where that is written, for a person: `uv.lock`, `.venv`.
    pub source: String,
}

impl Known {
    /// Exactly this version.
    pub fn exactly(version: &Version, source: &str) -> Self {
        let lowest = numbers(version);
        Self {
            below: Some(after(&lowest)),
            lowest,
            exact: Some(version.clone().without_local().to_string()),
            source: source.to_owned(),
        }
    }

    /// Every version that all the conditions allow; `None` when they bound nothing.
    pub fn within(conditions: &VersionSpecifiers, source: &str) -> Option<Self> {
        let mut known = Self { lowest: Vec::new(), below: None, exact: None, source: source.to_owned() };
        for condition in conditions.iter() {
            known.narrow(condition);
        }
        (!known.lowest.is_empty() || known.below.is_some()).then_some(known)
    }

    /// Whether it is at or above a version: certainly, certainly not, or not known.
    pub fn at_least(&self, version: &[u32]) -> Option<bool> {
        if compare(&self.lowest, version) != Ordering::Less {
            return Some(true);
        }
        if self.exact.is_some() {
            return Some(false);
        }
        let below = self.below.as_deref()?;
        (compare(below, version) != Ordering::Greater).then_some(false)
    }

    /// What is certain when either of two statements holds.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self == other {
            return self;
        }
        let lower = |left: &Vec<u32>, right: &Vec<u32>| compare(left, right);
        let below = self.below.zip(other.below).map(|(left, right)| std::cmp::max_by(left, right, lower));
        let lowest = std::cmp::min_by(self.lowest, other.lowest, lower);
        Self { lowest, below, exact: self.exact.filter(|exact| other.exact.as_ref() == Some(exact)), ..other }
    }

    /// Takes one more condition into account. What a condition excludes in the middle changes no bound.
    fn narrow(&mut self, condition: &VersionSpecifier) {
        let version = numbers(condition.version());
        match condition.operator() {
            Operator::Equal | Operator::ExactEqual => {
                *self = Self::exactly(condition.version(), &self.source);
            }
            Operator::EqualStar => {
                self.cap(after(&version));
                self.raise(version);
            }
            Operator::TildeEqual => {
                let series = version.split_last().map_or(&[][..], |(_, series)| series);
                self.cap(after(series));
                self.raise(version);
            }
            Operator::GreaterThanEqual | Operator::GreaterThan => self.raise(version),
            Operator::LessThan => self.cap(version),
            Operator::LessThanEqual => self.cap(after(&padded(version))),
            Operator::NotEqual | Operator::NotEqualStar => {}
        }
    }

    fn raise(&mut self, lowest: Vec<u32>) {
        if compare(&lowest, &self.lowest) == Ordering::Greater {
            self.lowest = lowest;
        }
    }

    fn cap(&mut self, below: Vec<u32>) {
        let is_lower = |old: &Vec<u32>| compare(&below, old) == Ordering::Less;
        if self.below.as_ref().is_none_or(is_lower) {
            self.below = Some(below);
        }
    }
}

/// The release numbers of a version. What precedes a release counts as it: what a library does changes before.
fn numbers(version: &Version) -> Vec<u32> {
    version.release().iter().map(|number| u32::try_from(*number).unwrap_or(u32::MAX)).collect()
}

/// The first version after every one that starts with these numbers.
fn after(numbers: &[u32]) -> Vec<u32> {
    let mut next = numbers.to_vec();
    if let Some(last) = next.last_mut() {
        *last = last.saturating_add(1);
    }
    next
}

/// With three numbers at least: 4.46 is 4.46.0, and 4.46.1 is above it.
fn padded(mut version: Vec<u32>) -> Vec<u32> {
    while version.len() < 3 {
        version.push(0);
    }
    version
}

/// Compares versions; numbers that are not written are zero.
fn compare(left: &[u32], right: &[u32]) -> Ordering {
    let number = |version: &[u32], place: usize| version.get(place).copied().unwrap_or(0);
    let places = 0..left.len().max(right.len());
    places
        .map(|place| number(left, place).cmp(&number(right, place)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::*;

    fn known(conditions: &str) -> Option<Known> {
        Known::within(&VersionSpecifiers::from_str(conditions).ok()?, "test")
    }

    /// Whether a version in the range is at least each of the versions.
    fn at_least(conditions: &str, versions: [&[u32]; 3]) -> [Option<bool>; 3] {
        versions.map(|version| known(conditions).and_then(|known| known.at_least(version)))
    }

    #[test]
    fn conditions_bound_versions() {
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(at_least(">=4.40,<5", [&[4, 40, 0], &[4, 56], &[5, 0]]), [yes, None, no]);
        assert_eq!(at_least("==2.9.0+cu128", [&[2, 9], &[2, 9, 0, 1], &[2, 10]]), [yes, no, no]);
        assert_eq!(at_least("==4.46.*", [&[4, 46], &[4, 46, 3], &[4, 47]]), [yes, None, no]);
        assert_eq!(at_least("~=2.2", [&[2, 2], &[2, 9], &[3]]), [yes, None, no]);
        assert_eq!(at_least("~=2.2.1", [&[2, 2, 1], &[2, 2, 9], &[2, 3]]), [yes, None, no]);
        assert_eq!(at_least("<=4.46", [&[4, 45], &[4, 46], &[4, 46, 1]]), [None, None, no]);
        assert_eq!(at_least(">2,!=2.1", [&[2], &[2, 1], &[3]]), [yes, None, None]);
        assert_eq!(at_least("==5.0.0rc1", [&[4], &[5], &[5, 0, 1]]), [yes, yes, no]);
        assert_eq!(known("!=2.1"), None);
    }

    #[test]
    fn an_exact_version_is_shown_without_its_local_part() {
        let exact = |conditions: &str| known(conditions).and_then(|known| known.exact);
        assert_eq!(exact("==2.9.0+cu128").as_deref(), Some("2.9.0"));
        assert_eq!(exact(">=2.9.0"), None);
    }
}
