//! Recomputing activations rather than keeping them: which libraries do it, and how it is turned on.

use std::sync::LazyLock;

use crate::table::{Row, rows};
use crate::versions::Versions;

/// The library whose names these are.
const TRANSFORMERS: &str = "transformers";

/// The first version of transformers that does without reentry by itself (transformers 5.0 `modeling_utils`).
const WITHOUT_REENTRY: &[u32] = &[5];
/// The argument that does without reentry, of the trainer's options and of the model's method alike (transformers 4.35
/// to 4.57).
const NO_REENTRY: &str = "gradient_checkpointing_kwargs={\"use_reentrant\": False}";

/// What is on when a script says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Default {
    /// Activations are kept.
    Off,
    /// Activations are recomputed.
    On,
}

/// What the table says of models that return a cache from every forward pass.
const CACHES: &str = "caches";
/// What it says of those that do not where they are given labels.
const CACHES_WITHOUT_LABELS: &str = "caches-without-labels";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Option,
    Method,
    Decides,
}

#[derive(Debug)]
struct Name {
    name: &'static str,
    purpose: Purpose,
    since: Vec<u32>,
}

static PATHS: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    rows(include_str!("checkpointing.tsv")).filter_map(|row| Some((row.first()?, row.get(1)?))).collect()
});
static NAMES: LazyLock<Vec<Name>> =
    LazyLock::new(|| rows(include_str!("checkpointing_names.tsv")).filter_map(|row| name(&row)).collect());

/// What a library does when a script says nothing, by the path of something in it.
pub fn default(path: &str) -> Option<Default> {
    let covers =
        |row: &str| row == path || row.strip_suffix('*').is_some_and(|library| path.starts_with(library));
    let (_, what) = PATHS.iter().find(|(row, _)| covers(row))?;
    match *what {
        "off" => Some(Default::Off),
        "on" => Some(Default::On),
        _ => None,
    }
}

/// Whether a model, by the path that loads it, may return a cache of keys and values from a forward pass.
pub fn returns_cache(path: &str) -> bool {
    caches(path, &[CACHES, CACHES_WITHOUT_LABELS])
}

/// Whether a model, by the path that loads it, returns a cache of keys and values from a training step, too.
pub fn caches_in_training(path: &str) -> bool {
    caches(path, &[CACHES])
}

fn caches(path: &str, when: &[&str]) -> bool {
    let ends = |row: &str, class: &str| row.strip_prefix('*').is_some_and(|ending| class.ends_with(ending));
    let caching = PATHS.iter().filter(|(_, what)| when.contains(what));
    caching.into_iter().any(|(row, _)| path.split('.').any(|class| ends(row, class)))
}

/// The option of a trainer that turns it on, in the spelling of the installed version, or in one that all versions
/// take.
pub fn option(versions: &Versions) -> Option<&'static str> {
    newest(Purpose::Option, versions)
}

/// The method of a model that turns it on, in the spelling of the installed version, or in one that all versions have.
pub fn method(versions: &Versions) -> Option<&'static str> {
    newest(Purpose::Method, versions)
}

/// What must be said with it for a model with an adapter: up to transformers 4 it looks for gradients at the inputs of
/// each layer, and behind frozen embeddings there are none. `None` where the installed version does not.
pub fn without_reentry(versions: &Versions) -> Option<&'static str> {
    let settled = versions.at_least(TRANSFORMERS, WITHOUT_REENTRY) == Some(true);
    (!settled).then_some(NO_REENTRY)
}

/// Whether the library certainly looks for gradients at the inputs of each layer by default, or certainly does not.
pub fn reenters(versions: &Versions) -> Option<bool> {
    versions.at_least(TRANSFORMERS, WITHOUT_REENTRY).map(|settled| !settled)
}

/// Whether an option or an attribute with this name decides on it.
pub fn decides(name: &str) -> bool {
    NAMES.iter().any(|known| known.name == name && known.purpose != Purpose::Method)
}

fn newest(purpose: Purpose, versions: &Versions) -> Option<&'static str> {
    let usable =
        |name: &&Name| name.since == [0] || versions.at_least(TRANSFORMERS, &name.since) == Some(true);
    NAMES.iter().filter(|name| name.purpose == purpose).rfind(usable).map(|name| name.name)
}

fn name(row: &Row) -> Option<Name> {
    let purpose = match row.get(1)? {
        "option" => Purpose::Option,
        "method" => Purpose::Method,
        "decides" => Purpose::Decides,
        _ => return None,
    };
    let since: Option<Vec<u32>> = row.get(2)?.split('.').map(|number| number.parse().ok()).collect();
    Some(Name { name: row.first()?, purpose, since: since? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::versions::Known;

    #[test]
    fn every_row_loads() {
        for (table, columns, loaded) in [
            (include_str!("checkpointing.tsv"), 3, PATHS.len()),
            (include_str!("checkpointing_names.tsv"), 4, NAMES.len()),
        ] {
            assert_eq!(rows(table).count(), loaded);
            assert!(
                rows(table).all(|row| row.len() == columns && row.columns().all(|text| !text.is_empty()))
            );
        }
        assert!(PATHS.iter().all(|(_, what)| ["off", "on", CACHES, CACHES_WITHOUT_LABELS].contains(what)));
    }

    #[test]
    fn the_spelling_of_the_installed_version() {
        let mut versions = Versions::default();
        assert_eq!(option(&versions), Some("gradient_checkpointing"));
        for (version, expected) in
            [([5, 22], "gradient_checkpointing"), ([5, 23], "activation_checkpointing")]
        {
            let known = Known {
                lowest: version.to_vec(),
                below: Some(vec![5, version[1] + 1]),
                exact: None,
                source: "uv.lock".to_owned(),
            };
            versions.insert(TRANSFORMERS, known);
            assert_eq!(option(&versions), Some(expected));
            assert_eq!(method(&versions), Some(format!("{expected}_enable").as_str()));
        }
    }

    #[test]
    fn libraries_and_classes() {
        assert_eq!(default("transformers.TrainingArguments"), Some(Default::Off));
        assert_eq!(default("trl.SFTConfig"), Some(Default::On));
        assert_eq!(default("peft.prepare_model_for_kbit_training"), Some(Default::On));
        assert_eq!(default("torch.nn.Linear"), None);
        assert!(returns_cache("transformers.AutoModelForCausalLM.from_pretrained"));
        assert!(!returns_cache("transformers.AutoModelForSequenceClassification.from_pretrained"));
    }
}
