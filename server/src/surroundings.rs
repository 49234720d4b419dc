//! What surrounds a document, as it was read ahead of time: an immutable snapshot that the analysis sees.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::models::ModelFacts;

/// What was learnt of a name that a script loads a model by.
#[derive(Clone, Debug, PartialEq)]
pub enum LocalModel {
    /// The files are on this machine, and this is what they say.
    Found(Arc<ModelFacts>),
    /// Nothing on this machine has that name.
    Absent,
    /// The files are there and cannot be used, in a sentence that names the file.
    Broken(String),
}

/// Everything around a document that its analysis may read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surroundings {
    /// The versions of the libraries that it would run with.
    pub versions: crate::versions::Versions,
    /// The models that were looked up on this machine, by the name in the script.
    pub models: BTreeMap<String, LocalModel>,
}
