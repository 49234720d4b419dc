//! What the user chose. One set of names in every place settings can be written.
//!
//! A place that settings are written in (the command line, the editor, a file) yields
//! [`PartialSettings`]. Laid over one another they become the [`Settings`] of an analysis. What cannot
//! be read becomes a [`SettingsProblem`] that the user is told of; nothing falls back silently.

use std::path::{Path, PathBuf};

use ignore::gitignore::GitignoreBuilder;
use vramlens_grammars::Span;

use crate::memory::gpus;
use crate::rules;
use crate::texts::{nearest, text};

/// The names settings have in every place they can be written.
pub const KEYS: &[&str] = &["select", "ignore", "exclude", "gpu", "inlayHints"];

/// Names that an editor extension keeps in the same section for its own use.
const EDITOR_KEYS: &[&str] = &["path", "trace"];

/// Where the codes start that tell about the tool's own work and not about the user's program.
const NOTICE_PREFIX: &str = "VL";

/// The settings that shape an analysis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Codes, or prefixes of codes, to report; empty means all.
    pub select: Vec<String>,
    /// Codes, or prefixes of codes, not to report. Wins over `select`.
    pub ignore: Vec<String>,
    /// The card or size to judge against, as written.
    pub gpu: Option<String>,
}

impl Settings {
    /// Whether findings with this code are wanted. `select` chooses among the rules: notices about the
    /// tool's own work are wanted unless they are ignored by their code.
    pub fn wants(&self, code: &str) -> bool {
        let matches = |list: &[String]| list.iter().any(|prefix| code.starts_with(prefix.as_str()));
        let selected = self.select.is_empty() || code.starts_with(NOTICE_PREFIX) || matches(&self.select);
        selected && !matches(&self.ignore)
    }
}

/// Settings from one place they were written in; what was not written is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartialSettings {
    /// Codes, or prefixes of codes, to report.
    pub select: Option<Vec<String>>,
    /// Codes, or prefixes of codes, not to report.
    pub ignore: Option<Vec<String>>,
    /// The card or size to judge against.
    pub gpu: Option<String>,
    /// Files and folders to leave out.
    pub exclude: Option<Exclude>,
    /// Whether editors show sizes beside the code.
    pub inlay_hints: Option<bool>,
}

/// Globs of files and folders to leave out, and the folder they are relative to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exclude {
    /// The folder of the file, or the workspace folder, that the globs were written in.
    pub root: PathBuf,
    /// Globs with the meaning they have in a `.gitignore`.
    pub globs: Vec<String>,
}

/// A setting that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsProblem {
    /// What is wrong, and the one thing to do.
    pub message: String,
    /// Where it is written, when it is written in a file.
    pub span: Option<Span>,
}

impl PartialSettings {
    /// Reads settings sent by an editor: the section `vramlens`, or an object that holds it. Globs are
    /// relative to `root`. An absent or null value is unset.
    pub fn from_json(value: &serde_json::Value, root: &Path) -> (Self, Vec<SettingsProblem>) {
        let section = value.get("vramlens").unwrap_or(value);
        let Some(section) = section.as_object() else {
            let problem = SettingsProblem { message: text("settings-not-a-table", &[]), span: None };
            return (Self::default(), if section.is_null() { Vec::new() } else { vec![problem] });
        };
        let entries = section.iter().filter(|(key, _)| !EDITOR_KEYS.contains(&key.as_str()));
        Self::read(entries.map(|(key, value)| Entry::from_json(key, value)), root)
    }

    /// Reads named values, wherever they were written.
    pub(crate) fn read(entries: impl Iterator<Item = Entry>, root: &Path) -> (Self, Vec<SettingsProblem>) {
        let mut settings = Self::default();
        let mut problems = Vec::new();
        for entry in entries {
            settings.set(&entry, root, &mut problems);
        }
        problems.sort_by_key(|problem| problem.span);
        (settings, problems)
    }

    /// These settings, with what they leave open taken from `lower`.
    #[must_use]
    pub fn over(self, lower: Self) -> Self {
        Self {
            select: self.select.or(lower.select),
            ignore: self.ignore.or(lower.ignore),
            gpu: self.gpu.or(lower.gpu),
            exclude: self.exclude.or(lower.exclude),
            inlay_hints: self.inlay_hints.or(lower.inlay_hints),
        }
    }

    /// The settings of an analysis, with the default for what is still open.
    pub fn finish(self) -> Settings {
        Settings {
            select: self.select.unwrap_or_default(),
            ignore: self.ignore.unwrap_or_default(),
            gpu: self.gpu,
        }
    }

    fn set(&mut self, entry: &Entry, root: &Path, problems: &mut Vec<SettingsProblem>) {
        match entry.key.as_str() {
            "select" => self.select = entry.texts(problems).map(|codes| known_codes(codes, problems)),
            "ignore" => self.ignore = entry.texts(problems).map(|codes| known_codes(codes, problems)),
            "exclude" => {
                let globs = entry.texts(problems).map(|globs| valid_globs(globs, problems));
                self.exclude = globs.map(|globs| Exclude { root: root.to_owned(), globs });
            }
            "gpu" => {
                let gpu = entry.text(problems).map(|gpu| known_gpu(&gpu));
                self.gpu = gpu.and_then(|gpu| entry.usable(gpu, problems));
            }
            "inlayHints" => self.inlay_hints = entry.truth(problems),
            unknown => {
                let known = nearest(unknown, KEYS.iter().copied()).unwrap_or(KEYS.join(", "));
                let message = text("settings-unknown-key", &[("key", unknown), ("known", &known)]);
                problems.push(SettingsProblem { message, span: entry.key_span });
            }
        }
    }
}

/// One named value, wherever it was written.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The setting's name.
    pub key: String,
    /// Where the name stands.
    pub key_span: Option<Span>,
    /// What it is set to.
    pub value: Value,
}

/// A value as the settings see it: what kind it is and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// What it is.
    pub kind: ValueKind,
    /// Where it stands.
    pub span: Option<Span>,
}

/// What a value is. Settings are texts, lists of texts and truth values.
#[derive(Clone, Debug)]
pub(crate) enum ValueKind {
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// Yes or no.
    Truth(bool),
    /// Nothing: the setting is not set.
    Unset,
    /// A number, a date, a table.
    Other,
}

impl Entry {
    fn from_json(key: &str, value: &serde_json::Value) -> Self {
        Self { key: key.to_owned(), key_span: None, value: Value::from_json(value) }
    }

    fn text(&self, problems: &mut Vec<SettingsProblem>) -> Option<String> {
        match &self.value.kind {
            ValueKind::Unset => None,
            ValueKind::Text(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            _ => {
                let message = text("settings-not-a-text", &[("key", &self.key)]);
                problems.push(SettingsProblem { message, span: self.value.span });
                None
            }
        }
    }

    /// The value, or the problem with it.
    fn usable<T>(&self, value: Result<T, String>, problems: &mut Vec<SettingsProblem>) -> Option<T> {
        let unusable = |message| problems.push(SettingsProblem { message, span: self.value.span });
        value.map_err(unusable).ok()
    }

    fn truth(&self, problems: &mut Vec<SettingsProblem>) -> Option<bool> {
        match self.value.kind {
            ValueKind::Unset => None,
            ValueKind::Truth(truth) => Some(truth),
            _ => {
                let message = text("settings-not-a-truth", &[("key", &self.key)]);
                problems.push(SettingsProblem { message, span: self.value.span });
                None
            }
        }
    }

    fn texts(&self, problems: &mut Vec<SettingsProblem>) -> Option<Vec<(String, Option<Span>)>> {
        let mut wrong = |value: &Value| {
            let message = text("settings-not-a-list", &[("key", &self.key)]);
            problems.push(SettingsProblem { message, span: value.span });
        };
        let items = match &self.value.kind {
            ValueKind::List(items) => items,
            ValueKind::Unset => return None,
            ValueKind::Text(_) | ValueKind::Truth(_) | ValueKind::Other => {
                wrong(&self.value);
                return None;
            }
        };
        let mut texts = Vec::new();
        for item in items {
            match &item.kind {
                ValueKind::Text(text) => texts.push((text.clone(), item.span)),
                _ => wrong(item),
            }
        }
        Some(texts)
    }
}

impl Value {
    fn from_json(value: &serde_json::Value) -> Self {
        let kind = match value {
            serde_json::Value::Null => ValueKind::Unset,
            serde_json::Value::Bool(truth) => ValueKind::Truth(*truth),
            // What an editor sends for a field that is empty.
            serde_json::Value::String(text) if text.trim().is_empty() => ValueKind::Unset,
            serde_json::Value::String(text) => ValueKind::Text(text.clone()),
            serde_json::Value::Array(items) => ValueKind::List(items.iter().map(Self::from_json).collect()),
            _ => ValueKind::Other,
        };
        Self { kind, span: None }
    }
}

/// The code or prefix of codes as rules are named, or what to tell a person who wrote another.
///
/// # Errors
/// No rule's code starts like this.
pub fn known_code(code: &str) -> Result<String, String> {
    let wanted = code.trim().to_ascii_uppercase();
    if !wanted.is_empty() && rules::RULES.iter().any(|rule| rule.code.starts_with(&wanted)) {
        return Ok(wanted);
    }
    let codes = rules::RULES.iter().map(|rule| rule.code);
    let known = nearest(&wanted, codes.clone()).unwrap_or_else(|| codes.collect::<Vec<_>>().join(", "));
    Err(text("settings-unknown-code", &[("code", code.trim()), ("known", &known)]))
}

/// The card or the size as it was written, or what to tell a person who wrote something else.
///
/// # Errors
/// No card has this name, and it is no size.
pub fn known_gpu(gpu: &str) -> Result<String, String> {
    gpus::choose(gpu).map(|_| gpu.trim().to_owned())
}

/// The glob, or what to tell a person who wrote something else.
///
/// # Errors
/// It is not a glob.
pub fn valid_glob(glob: &str) -> Result<String, String> {
    match GitignoreBuilder::new("").add_line(None, glob) {
        Ok(_) => Ok(glob.to_owned()),
        Err(error) => Err(text("settings-bad-glob", &[("glob", glob), ("why", &error.to_string())])),
    }
}

fn known_codes(codes: Vec<(String, Option<Span>)>, problems: &mut Vec<SettingsProblem>) -> Vec<String> {
    let mut known = Vec::new();
    for (code, span) in codes {
        match known_code(&code) {
            Ok(code) => known.push(code),
            Err(message) => problems.push(SettingsProblem { message, span }),
        }
    }
    known
}

fn valid_globs(globs: Vec<(String, Option<Span>)>, problems: &mut Vec<SettingsProblem>) -> Vec<String> {
    let mut valid = Vec::new();
    for (glob, span) in globs {
        match valid_glob(&glob) {
            Ok(glob) => valid.push(glob),
            Err(message) => problems.push(SettingsProblem { message, span }),
        }
    }
    valid
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &serde_json::Value) -> (PartialSettings, Vec<String>) {
        let (settings, problems) = PartialSettings::from_json(value, Path::new("/project"));
        (settings, problems.into_iter().map(|problem| problem.message).collect())
    }

    #[test]
    fn every_key_is_read_from_an_editor() {
        let (settings, problems) = read(
            &json!({"select": ["oom"], "ignore": ["OOM101"], "gpu": "H100", "exclude": ["old/"], "inlayHints": false}),
        );
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(settings.select, Some(vec!["OOM".to_owned()]));
        assert_eq!(settings.ignore, Some(vec!["OOM101".to_owned()]));
        assert_eq!(settings.gpu.as_deref(), Some("H100"));
        let exclude = Exclude { root: PathBuf::from("/project"), globs: vec!["old/".to_owned()] };
        assert_eq!((settings.exclude, settings.inlay_hints), (Some(exclude), Some(false)));
    }

    #[test]
    fn null_is_unset_and_the_section_may_be_wrapped() {
        assert_eq!(read(&json!(null)), (PartialSettings::default(), vec![]));
        assert_eq!(read(&json!({"gpu": ""})), (PartialSettings::default(), vec![]));
        let (settings, problems) = read(&json!({"vramlens": {"select": null, "gpu": "24GiB"}}));
        assert_eq!((settings.select, settings.gpu.as_deref(), problems.len()), (None, Some("24GiB"), 0));
    }

    #[test]
    fn wrong_keys_and_values_are_told_and_the_rest_counts() {
        let (settings, problems) = read(&json!({
            "selct": ["OOM101"], "ignore": ["OOM101", "XYZ9", 3], "gpu": 24, "exclude": "old", "path": "x", "inlayHints": "no"
        }));
        assert_eq!(settings.ignore, Some(vec!["OOM101".to_owned()]));
        assert_eq!(settings.gpu, None);
        let told = problems.join("\n");
        for word in ["`selct`", "`select`", "`XYZ9`", "`gpu`", "`exclude`", "`inlayHints`"] {
            assert!(told.contains(word), "{word} in {told}");
        }
        assert_eq!(problems.len(), 6);
    }

    #[test]
    fn the_upper_settings_win_key_by_key() {
        let (upper, _) = read(&json!({"select": ["OOM1"]}));
        let (lower, _) = read(&json!({"select": ["OOM"], "gpu": "A100"}));
        let settings = upper.over(lower).finish();
        assert_eq!(settings.select, ["OOM1"]);
        assert_eq!(settings.gpu.as_deref(), Some("A100"));
    }

    #[test]
    fn selecting_rules_keeps_notices_and_ignoring_wins() {
        let settings =
            Settings { select: vec!["OOM1".to_owned()], ignore: vec!["OOM102".to_owned()], gpu: None };
        let wanted = |code: &str| settings.wants(code);
        assert!(wanted("OOM101") && wanted("VL001"));
        assert!(!wanted("OOM102") && !wanted("OOM201"));
        let quiet = Settings { ignore: vec!["VL".to_owned()], ..Settings::default() };
        assert!(!quiet.wants("VL001") && quiet.wants("OOM101"));
    }
}
