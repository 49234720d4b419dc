//! What is wrong with the text of a setting.

use vramlens_grammars::Span;

use crate::knowledge::allocator::value::{Pair, items, pairs};
use crate::knowledge::allocator::{Accepts, Key, Version, key_named, keys};
use crate::versions::Versions;

/// How like a key a word must be to be taken for it, from 0 to 1.
const CLOSE: f64 = 0.7;

/// One thing that is wrong with a setting. Positions count from the start of its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Where.
    pub span: Span,
    /// What.
    pub what: Wrong,
    /// What to write there instead, if that is clear.
    pub instead: Option<String>,
}

/// What can be wrong with a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Wrong {
    /// `=` or `;` where `:` or `,` must stand.
    Separators,
    /// Quotes inside the text.
    Quotes,
    /// Two commas with nothing between them.
    Empty,
    /// A key without a value.
    NoValue {
        /// The key.
        key: String,
    },
    /// No version of PyTorch has the key.
    UnknownKey {
        /// The key.
        key: String,
        /// What it was most likely meant to be.
        meant: Option<&'static str>,
    },
    /// The version in use does not have the key.
    OtherVersion {
        /// The key.
        key: &'static str,
        /// The first version with it.
        since: Option<String>,
        /// The first version without it.
        gone_in: Option<String>,
    },
    /// The key does not take the value.
    Value {
        /// The key.
        key: &'static str,
        /// The value.
        value: String,
        /// What the key takes.
        accepts: Accepts,
    },
}

/// All that is wrong with a setting.
pub fn problems(text: &str, versions: &Versions) -> Vec<Problem> {
    let whole = Span::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX));
    if text.contains(['\'', '"']) {
        let instead = Some(text.replace(['\'', '"'], ""));
        return vec![Problem { span: whole, what: Wrong::Quotes, instead }];
    }
    if text.contains(['=', ';']) {
        let instead = Some(text.replace('=', ":").replace(';', ","));
        return vec![Problem { span: whole, what: Wrong::Separators, instead }];
    }
    pairs(text).iter().filter_map(|pair| problem(text, pair, versions)).collect()
}

/// A setting with everything written as it should be, where that is clear.
pub fn repaired(text: &str, versions: &Versions) -> String {
    // What is wrong with a value shows only when its key is right.
    const ROUNDS: usize = 4;
    let mut repaired = text.to_owned();
    for _ in 0..ROUNDS {
        for problem in problems(&repaired.clone(), versions).into_iter().rev() {
            let range = problem.span.as_range();
            if let Some(instead) = problem.instead.filter(|_| repaired.get(range.clone()).is_some()) {
                repaired.replace_range(range, &instead);
            }
        }
    }
    repaired
}

fn problem(text: &str, pair: &Pair, versions: &Versions) -> Option<Problem> {
    let written = pair.key.text(text);
    let problem = |span, what, instead| Some(Problem { span, what, instead });
    if pair.span.text(text).is_empty() {
        let comma = Span::new(pair.span.start, pair.span.start + 1);
        return problem(comma, Wrong::Empty, Some(String::new()));
    }
    let Some(key) = key_named(written) else {
        let meant = nearest(written);
        let instead = meant.filter(|meant| same_unit(written, meant)).map(str::to_owned);
        return problem(pair.key, Wrong::UnknownKey { key: written.to_owned(), meant }, instead);
    };
    if key.exists_in(versions) == Some(false) {
        let since = key.since.as_ref().map(Version::to_string);
        let gone_in = key.gone_in.as_ref().map(Version::to_string);
        return problem(pair.key, Wrong::OtherVersion { key: key.name, since, gone_in }, None);
    }
    let Some(value) = pair.value else {
        return problem(pair.key, Wrong::NoValue { key: written.to_owned() }, None);
    };
    let given: String = value.text(text).chars().filter(|letter| *letter != ' ').collect();
    if takes(&key.accepts, &given) {
        return None;
    }
    let instead = better(&key.accepts, &given);
    problem(value, Wrong::Value { key: key.name, value: given, accepts: key.accepts.clone() }, instead)
}

/// Whether a key takes a value. PyTorch reads a number up to the first letter that does not belong to it.
fn takes(accepts: &Accepts, value: &str) -> bool {
    match accepts {
        Accepts::Switch => matches!(value, "True" | "False"),
        Accepts::Integer(lowest) => whole_number(value).is_some_and(|number| number >= *lowest),
        Accepts::Fraction { open } => number(value).is_some_and(|number| {
            if *open { number > 0.0 && number < 1.0 } else { (0.0..=1.0).contains(&number) }
        }),
        Accepts::PowerOfTwo(most) => {
            whole_number(value).is_some_and(|number| is_power_of_two(number) && number <= *most)
        }
        Accepts::Divisions => takes_divisions(value),
        Accepts::Choice(words) => words.contains(&value),
        Accepts::Anything => true,
    }
}

fn takes_divisions(value: &str) -> bool {
    let is_division =
        |text: &str| whole_number(text).is_some_and(|number| number == 0 || is_power_of_two(number));
    let Some(list) = value.strip_prefix('[') else { return is_division(value) };
    let Some(list) = list.strip_suffix(']') else { return false };
    items(list).iter().all(|item| {
        let (size, division) = item.text(list).split_once(':').unwrap_or_default();
        (size == ">" || whole_number(size).is_some_and(is_power_of_two)) && is_division(division)
    })
}

/// The value in the form that the key takes, if it is clear what was meant.
fn better(accepts: &Accepts, value: &str) -> Option<String> {
    match accepts {
        Accepts::Switch => match value.to_lowercase().as_str() {
            "true" | "1" | "on" | "yes" => Some("True".to_owned()),
            "false" | "0" | "off" | "no" => Some("False".to_owned()),
            _ => None,
        },
        Accepts::Choice(words) => {
            let meant = words.iter().find(|word| word.eq_ignore_ascii_case(value))?;
            Some((*meant).to_owned())
        }
        Accepts::Fraction { .. } => {
            // A percentage.
            let percent = whole_number(value).filter(|number| (2..100).contains(number))?;
            Some(format!("0.{percent:02}").trim_end_matches('0').to_owned())
        }
        _ => None,
    }
}

/// The whole number that a text starts with.
fn whole_number(text: &str) -> Option<i64> {
    let digits = text.trim_start_matches(['+', '-']);
    let length = digits.len() - digits.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let sign = text.len() - digits.len();
    text.get(..sign + length)?.parse().ok()
}

/// The number that a text starts with.
fn number(text: &str) -> Option<f64> {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit() || ".+-eE".contains(letter));
    text.get(..text.len() - rest.len())?.parse().ok()
}

fn is_power_of_two(number: i64) -> bool {
    u64::try_from(number).is_ok_and(u64::is_power_of_two)
}

/// The key that a word was most likely meant to be.
fn nearest(written: &str) -> Option<&'static str> {
    let likeness = |key: &&Key| strsim::normalized_levenshtein(&written.to_lowercase(), key.name);
    let best = keys().iter().max_by(|one, other| likeness(one).total_cmp(&likeness(other)))?;
    (likeness(&best) >= CLOSE).then_some(best.name)
}

/// Whether a word names no unit, or the one of the key: the number for another unit would be another.
fn same_unit(written: &str, key: &str) -> bool {
    let unit = |name: &str| {
        let (_, last) = name.rsplit_once('_')?;
        (last.len() == 2 && last.to_lowercase().ends_with('b')).then(|| last.to_lowercase())
    };
    unit(written).is_none_or(|written| Some(written) == unit(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::versions::Known;

    fn torch(version: &[u32]) -> Versions {
        let mut versions = Versions::default();
        let known = Known {
            lowest: version.to_vec(),
            below: Some(version.iter().copied().chain([1]).collect()),
            exact: None,
            source: "uv.lock".to_owned(),
        };
        versions.insert("torch", known);
        versions
    }

    fn wrong(text: &str) -> Vec<(String, Option<String>)> {
        let found = problems(text, &Versions::default()).into_iter();
        found.map(|problem| (problem.span.text(text).to_owned(), problem.instead)).collect()
    }

    #[track_caller]
    fn check_repaired(text: &str, expected: &str) {
        assert!(!wrong(text).is_empty(), "{text}");
        assert_eq!(repaired(text, &Versions::default()), expected);
        assert_eq!(wrong(expected), [], "{expected}");
    }

    #[test]
    fn what_pytorch_takes() {
        for text in [
            "",
            "expandable_segments:True",
            "expandable_segments:False,",
            " max_split_size_mb : 128 , garbage_collection_threshold:0.8",
            "max_split_size_mb:20",
            "max_split_size_mb:512MB",
            "roundup_power2_divisions:4",
            "roundup_power2_divisions:[256:1,512:2,1024:4,>:8]",
            "backend:cudaMallocAsync",
            "pinned_use_cuda_host_register:True,pinned_num_register_threads:8",
            "per_process_memory_fraction:1.0",
        ] {
            assert_eq!(wrong(text), [], "{text}");
        }
    }

    #[test]
    fn what_can_be_repaired() {
        check_repaired("expandable_segments=True", "expandable_segments:True");
        check_repaired(
            "max_split_size_mb=128;expandable_segment=true",
            "max_split_size_mb:128,expandable_segments:True",
        );
        check_repaired("'expandable_segments:True'", "expandable_segments:True");
        check_repaired("expandable_segments:true", "expandable_segments:True");
        check_repaired("Expandable_Segments:True", "expandable_segments:True");
        check_repaired("expandable_segments:1", "expandable_segments:True");
        check_repaired("max_split_size:128", "max_split_size_mb:128");
        check_repaired("garbage_collect_threshold:0.6", "garbage_collection_threshold:0.6");
        check_repaired("garbage_collection_threshold:80", "garbage_collection_threshold:0.8");
        check_repaired("backend:cudamallocasync", "backend:cudaMallocAsync");
        check_repaired("max_split_size_mb:64,,backend:native", "max_split_size_mb:64,backend:native");
    }

    #[test]
    fn what_only_a_person_can_repair() {
        for (text, at) in [
            ("max_split_size_gb:1", "max_split_size_gb"),
            ("something_else:1", "something_else"),
            ("expandable_segments", "expandable_segments"),
            ("garbage_collection_threshold:1.0", "1.0"),
            ("garbage_collection_threshold:0", "0"),
            ("max_split_size_mb:inf", "inf"),
            ("max_split_size_mb:8,backend:native", "8"),
            ("roundup_power2_divisions:3", "3"),
            ("roundup_power2_divisions:[250:1]", "[250:1]"),
            ("pinned_num_register_threads:256", "256"),
            ("backend:jemalloc", "jemalloc"),
        ] {
            assert_eq!(wrong(text), [(at.to_owned(), None)], "{text}");
        }
    }

    #[test]
    fn a_key_of_another_version() {
        let exists = |text: &str, version: &[u32]| problems(text, &torch(version)).is_empty();
        assert!(exists("expandable_segments:True", &[2, 1]));
        assert!(!exists("expandable_segments:True", &[2, 0, 1]));
        assert!(exists("roundup_bypass_threshold_mb:64", &[2, 0, 1]));
        assert!(!exists("roundup_bypass_threshold_mb:64", &[2, 1]));
    }
}
