//! One requirement as pip reads it: a name and the versions that will do.

use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifier, VersionSpecifiers};

/// A library and the versions of it that are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The normalized name.
    pub name: String,
    /// The conditions; none when any version will do.
    pub versions: VersionSpecifiers,
}

/// Lines longer than this are no requirements.
const MAX_LENGTH: usize = 4096;

impl Requirement {
    /// Reads a requirement such as `transformers[torch]>=4.40,<5; python_version > "3.8"  # comment`, or one that
    /// names the file of a wheel. `None` when it is neither.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.get(..MAX_LENGTH).map_or(text, |_| "");
        let text = without_comment(text).trim();
        let (name, rest) = split_name(text)?;
        if let Some(url) = rest.trim_start().strip_prefix('@') {
            return Some(Self { name: normalized(name), versions: of_wheel(url) });
        }
        let conditions = rest.split(';').next().unwrap_or_default();
        let conditions = conditions.split(" --").next().unwrap_or_default().trim();
        let conditions = conditions.trim_start_matches('(').trim_end_matches(')');
        let versions = VersionSpecifiers::from_str(conditions).ok()?;
        Some(Self { name: normalized(name), versions })
    }
}

/// A name as indexes compare it: lowercase, with `-` for every run of `-`, `_` and `.` (PEP 503).
pub fn normalized(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

/// The name at the start, and what follows its extras.
fn split_name(text: &str) -> Option<(&str, &str)> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let end = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    let starts_well = name.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    let rest = match rest.trim_start().strip_prefix('[') {
        Some(extras) => extras.split_once(']')?.1,
        None => rest,
    };
    starts_well.then_some((name, rest))
}

/// A comment starts with `#` at the start or after a space: addresses may hold one.
fn without_comment(line: &str) -> &str {
    let is_start = |(place, _): &(usize, &str)| {
        line.get(..*place).is_some_and(|before| before.is_empty() || before.ends_with([' ', '\t']))
    };
    let comment = line.match_indices('#').find(is_start);
    comment.and_then(|(place, _)| line.get(..place)).unwrap_or(line)
}

/// The version in the name of a wheel (`torch-2.3.0%2Bcu121-cp310-cp310-linux_x86_64.whl`).
fn of_wheel(url: &str) -> VersionSpecifiers {
    let file = url.trim().rsplit('/').next().unwrap_or_default();
    let version = file.contains(".whl").then(|| file.split('-').nth(1)).flatten();
    let version = version.and_then(|version| Version::from_str(&version.replace("%2B", "+")).ok());
    version.map(VersionSpecifier::equals_version).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name and the conditions, with a bar between.
    fn parsed(text: &str) -> Option<String> {
        Requirement::parse(text).map(|requirement| format!("{}|{}", requirement.name, requirement.versions))
    }

    fn assert_reads(text: &str, expected: &str) {
        assert_eq!(parsed(text).as_deref(), Some(expected), "{text}");
    }

    #[test]
    fn requirements_are_read_as_pip_reads_them() {
        let conditions = "transformers[torch, sentencepiece]>=4.40,<5 ; python_version > '3.8'";
        let wheel = "torch @ https://host/whl/torch-2.3.0%2Bcu121-cp310-cp310-linux_x86_64.whl#sha256=0";
        assert_reads("torch", "torch|");
        assert_reads("Sentence_Transformers == 3.3.1 # pinned", "sentence-transformers|==3.3.1");
        assert_reads(conditions, "transformers|>=4.40, <5");
        assert_reads("accelerate (>=0.30)", "accelerate|>=0.30");
        assert_reads("peft==0.13.0 --hash=sha256:00", "peft|==0.13.0");
        assert_reads(wheel, "torch|==2.3.0+cu121");
        assert_reads("transformers @ git+https://host/transformers.git@main", "transformers|");
    }

    #[test]
    fn what_is_no_requirement_is_none() {
        for text in
            ["", "# torch==2", "-r other.txt", "./local", "==2", "torch=2", "torch==", "torch[", "é==2"]
        {
            assert_eq!(parsed(text), None, "{text}");
        }
        assert_eq!(parsed(&format!("torch=={}", "1".repeat(MAX_LENGTH))), None);
    }
}
