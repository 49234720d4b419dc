//! Models on this machine, by the names that scripts load them by: a folder first, then the cache of the Hugging Face Hub.
//!
//! What lies here beats the catalog, with one exception: a configuration without weights gives a count of ours, and where
//! the catalog has a confirmed one that is better.

mod hub;
mod memo;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::estimate::Certainty;
use crate::models::local::{self, ReadError};
use crate::models::{Catalog, FactSource, ModelFacts};
use crate::surroundings::LocalModel;
use crate::workspace::variables::Variables;
use memo::Memo;

/// Names of files that say something of models, as patterns.
pub const FILE_NAMES: &[&str] =
    &["{config,model_index,adapter_config}.json", "*.safetensors", "*.safetensors.index.json"];

/// Longer names are none.
const MAX_NAME: usize = 1024;

/// Looks models up, and remembers what it read until the files change.
#[derive(Debug, Default)]
pub struct Reader {
    root: PathBuf,
    caches: Vec<PathBuf>,
    memo: Memo,
}

/// What reading one place gave.
type Read = Result<Option<Arc<ModelFacts>>, ReadError>;

impl Reader {
    /// A reader whose relative names count from `root` after the document's folder.
    pub fn new(variables: &Variables, root: PathBuf) -> Self {
        Self { root, caches: hub::caches(variables), memo: Memo::default() }
    }

    /// What this machine knows of a name in a document of `folder`.
    pub fn look_up(&self, name: &str, folder: &Path) -> LocalModel {
        if name.is_empty() || name.len() > MAX_NAME || name.contains("://") || name.contains(char::is_control)
        {
            return LocalModel::Absent;
        }
        self.in_folders(name, folder).or_else(|| self.in_caches(name)).unwrap_or(LocalModel::Absent)
    }

    /// A folder or a file of this name.
    fn in_folders(&self, name: &str, folder: &Path) -> Option<LocalModel> {
        // Without a `.` inside, as people are shown it.
        let place = |from: &Path| from.join(name).components().collect::<PathBuf>();
        let places = [place(folder), place(&self.root)];
        places.iter().filter(|place| place.exists()).find_map(|place| match self.read(place, name) {
            Ok(facts) => facts.map(LocalModel::Found),
            Err(error) => Some(LocalModel::Broken(error.sentence().to_owned())),
        })
    }

    /// A model of the Hub that was fetched before. One that was fetched in part will be fetched in whole.
    fn in_caches(&self, name: &str) -> Option<LocalModel> {
        let (id, snapshot) = hub::ids(name).into_iter().find_map(|id| {
            Some((id.clone(), self.caches.iter().find_map(|cache| hub::snapshot(cache, &id))?))
        })?;
        match self.read(&snapshot, &id) {
            Ok(facts) => facts.and_then(|facts| beside_the_catalog(&facts, &id)).map(LocalModel::Found),
            Err(ReadError::Missing(_)) => None,
            Err(ReadError::Broken(sentence)) => Some(LocalModel::Broken(sentence)),
        }
    }

    fn read(&self, place: &Path, name: &str) -> Read {
        self.memo.get(place, || local::read(place, name).map(|facts| facts.map(Arc::new)))
    }
}

/// What is known of a model of the Hub from its files together with its row in the catalog: headers do not tell what the
/// class without a head has. `None` where the row alone is better.
fn beside_the_catalog(facts: &Arc<ModelFacts>, id: &str) -> Option<Arc<ModelFacts>> {
    let row = Catalog::tables().find(id).filter(|row| matches!(row.source, FactSource::Catalog { .. }));
    let Some(row) = row else { return Some(Arc::clone(facts)) };
    if facts.certainty != Certainty::Exact && row.certainty == Certainty::Exact {
        return None;
    }
    let (Some(known), [own]) = (row.components.first(), facts.components.as_slice()) else {
        return Some(Arc::clone(facts));
    };
    let base = known.base_parameters.filter(|base| own.base_parameters.is_none() && *base <= own.parameters);
    let Some(base) = base else { return Some(Arc::clone(facts)) };
    let mut completed = ModelFacts::clone(facts);
    for component in &mut completed.components {
        component.base_parameters = Some(base);
    }
    Some(Arc::new(completed))
}

#[cfg(test)]
mod tests;
