//! The models that ship with the program, as tables.

mod architecture;
mod language;
mod listing;
mod pipelines;
mod vision;

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::storage::Storage;
use super::{Component, FactSource, ModelFacts, naming};
use crate::estimate::Certainty;
use crate::table::Headed;
use crate::texts::text;

pub use language::{Experts, Latent, Shape};
pub use listing::Listed;
pub use vision::Library;

/// The tables of models, and where in them a name leads.
#[derive(Debug)]
pub struct Catalog {
    /// Hub ids, in lower case.
    ids: FxHashMap<String, Place>,
    /// Short names, in lower case.
    aliases: FxHashMap<&'static str, Place>,
    /// The last parts of Hub ids.
    tails: FxHashMap<String, Place>,
    /// Re-uploads, by their ids in lower case.
    reuploads: FxHashMap<String, usize>,
    /// Names of vision models, in the terms of each library.
    vision: FxHashMap<(Library, &'static str), Vec<usize>>,
}

/// Where a model stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// A row of the table of language models.
    Language(usize),
    /// The first row of a pipeline, and how many rows it has.
    Pipeline(usize, usize),
}

static LANGUAGE: LazyLock<Headed> = LazyLock::new(|| Headed::new(include_str!("../tables/language.tsv")));
static DIFFUSION: LazyLock<Headed> = LazyLock::new(|| Headed::new(include_str!("../tables/diffusion.tsv")));
static VISION: LazyLock<Headed> = LazyLock::new(|| Headed::new(include_str!("../tables/vision.tsv")));
static REUPLOADS: LazyLock<Headed> = LazyLock::new(|| Headed::new(include_str!("../tables/reuploads.tsv")));

static CATALOG: LazyLock<Catalog> = LazyLock::new(Catalog::new);

/// How ollama stores a model whose tag says nothing of it, as the mark at the end of a name.
const OLLAMA_DEFAULT: &str = "ollama-q4-k-m";

impl Catalog {
    /// The tables that ship with the program. They never change while it runs.
    pub fn tables() -> &'static Self {
        &CATALOG
    }

    fn new() -> Self {
        let language = LANGUAGE.keys().enumerate().map(|(row, id)| (id, Place::Language(row)));
        let pipelines = pipelines::places().map(|(id, first, rows)| (id, Place::Pipeline(first, rows)));
        let (mut ids, mut tails) = (FxHashMap::default(), FxHashMap::default());
        for (id, place) in language.chain(pipelines) {
            ids.entry(id.to_lowercase()).or_insert(place);
            tails.entry(naming::tail(id)).or_insert(place);
        }
        let reuploads = REUPLOADS.keys().enumerate().map(|(row, id)| (id.to_lowercase(), row));
        Self {
            ids,
            aliases: language::aliases(),
            tails,
            reuploads: reuploads.collect(),
            vision: vision::places(),
        }
    }

    /// What is known of the model or pipeline that is loaded by this name: a Hub id, an alias of it, a re-upload of it,
    /// a constructor's dotted path. Where only the size can be read from the name, that is a guess
    /// ([`FactSource::Name`]). `None` when nothing is known.
    pub fn find(&self, name: &str) -> Option<ModelFacts> {
        let name = name.trim().trim_end_matches('/');
        self.exact(name)
            .or_else(|| self.alias(name))
            .or_else(|| self.reupload(name))
            .or_else(|| self.vision_by_name(name))
            .or_else(|| self.by_rules(name))
            .or_else(|| guess(name))
    }

    /// The row of exactly this id; ids compare without case on the Hub.
    fn exact(&self, name: &str) -> Option<ModelFacts> {
        self.ids.get(&name.to_lowercase())?.facts()
    }

    /// A short name, such as `bert-base-uncased`, or a name of ollama: `llama3.1:8b-instruct-q8_0`.
    fn alias(&self, name: &str) -> Option<ModelFacts> {
        let lower = name.to_lowercase();
        let known = |name: &str| self.aliases.get(name).and_then(|place| place.facts());
        let Some((family, tag)) = lower.split_once(':') else {
            let facts = known(&lower)?;
            let words = text("resolved-alias", &[("id", &facts.name)]);
            return Some(resolved(facts, name, words));
        };
        let shorter = tag.rmatch_indices('-').filter_map(|(at, _)| tag.get(..at));
        let mut tags = [tag].into_iter().chain(shorter);
        let facts = tags.find_map(|tag| known(&format!("{family}:{tag}")))?;
        let marks = naming::strip(&naming::tail(tag)).storage;
        let storage = marks.or_else(|| naming::strip(OLLAMA_DEFAULT).storage);
        let words = match marks {
            Some(_) => text("resolved-alias", &[("id", &facts.name)]),
            None => text("resolved-ollama", &[("id", &facts.name)]),
        };
        Some(stored(resolved(facts, name, words), storage))
    }

    /// A re-upload that is known to be one.
    fn reupload(&self, name: &str) -> Option<ModelFacts> {
        let row = *self.reuploads.get(&name.to_lowercase())?;
        let record = REUPLOADS.record(row)?;
        let facts = self.exact(record.value("base")?)?;
        let words = text("resolved-reupload", &[("id", &facts.name)]);
        let marks = naming::strip(&naming::tail(name)).storage;
        let kind = || naming::strip(&format!("copy-{}", record.value("stored")?)).storage;
        Some(stored(resolved(facts, name, words), marks.or_else(kind)))
    }

    /// A name that agrees with one in the tables, but for its organisation, the mark of a format or a suffix that leaves
    /// the architecture as it is.
    fn by_rules(&self, name: &str) -> Option<ModelFacts> {
        let tails = [Some(name), naming::without_organisation(name)].into_iter().flatten().map(naming::tail);
        let (place, storage) = tails.into_iter().find_map(|tail| self.by_tail(&tail))?;
        let mut facts = place.facts()?;
        let is_bare = storage.is_none()
            && !name.contains(['/', '\\'])
            && facts.name.to_lowercase().ends_with(&format!("/{}", name.to_lowercase()));
        if !is_bare {
            facts.certainty = facts.certainty.max(Certainty::Counted);
        }
        let words = text("resolved-name", &[("id", &facts.name)]);
        Some(stored(resolved(facts, name, words), storage))
    }

    fn by_tail(&self, tail: &str) -> Option<(Place, Option<Storage>)> {
        let stripped = naming::strip(tail);
        let exact = stripped.names.iter().find_map(|name| self.tails.get(name));
        let place = exact.or_else(|| {
            let mut variants = stripped.names.iter().flat_map(|name| naming::variants(name));
            variants.find_map(|name| self.tails.get(&name))
        });
        Some((*place?, stripped.storage))
    }
}

impl Place {
    fn facts(self) -> Option<ModelFacts> {
        match self {
            Self::Language(row) => language::facts(&LANGUAGE.record(row)?),
            Self::Pipeline(first, rows) => pipelines::facts(first, rows),
        }
    }
}

/// How far a row can be relied on, by what it says of its verification.
fn certainty(verified: &str, disputed: Option<u64>) -> Certainty {
    match verified {
        _ if disputed.is_some() => Certainty::Disputed,
        "exact" | "exact-base" | "exact-family" | "explained" => Certainty::Exact,
        _ => Certainty::Counted,
    }
}

/// Notes how the name led to the row.
fn resolved(mut facts: ModelFacts, name: &str, words: String) -> ModelFacts {
    name.clone_into(&mut facts.name);
    if let FactSource::Catalog { resolved, .. } = &mut facts.source {
        *resolved = Some(words);
    }
    facts
}

/// Notes that a copy is stored in another way than the original. What that way leaves alone differs from copy to copy, so
/// that its bytes are no longer exact.
fn stored(mut facts: ModelFacts, storage: Option<Storage>) -> ModelFacts {
    let Some(storage) = storage else { return facts };
    if storage.quantized.is_some() || storage.dtype.is_none() {
        facts.certainty = facts.certainty.max(Certainty::Counted);
    }
    for component in &mut facts.components {
        component.stored_bytes = None;
        storage.apply(component);
    }
    facts
}

/// A model of which only the size in its name is known.
fn guess(name: &str) -> Option<ModelFacts> {
    let parameters = naming::size(name)?;
    let storage = naming::strip(&naming::tail(name)).storage.unwrap_or_default();
    let mut component = Component { parameters, ..Component::default() };
    storage.apply(&mut component);
    Some(ModelFacts {
        name: name.to_owned(),
        source: FactSource::Name,
        certainty: Certainty::Guessed,
        disputed: None,
        components: vec![component],
        uncounted: None,
        adapts: None,
    })
}

#[cfg(test)]
mod tests;
