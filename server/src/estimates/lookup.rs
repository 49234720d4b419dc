//! Which model a call loads, and what is known of it.

use std::sync::Arc;

use crate::estimates::request::Request;
use crate::knowledge::loading::Meaning;
use crate::models::{Catalog, FactSource, Library, ModelFacts};
use crate::surroundings::LocalModel;

/// What is known of a model.
#[derive(Clone, Debug)]
pub enum Lookup {
    /// This.
    Found(Arc<ModelFacts>),
    /// Its files are there and cannot be used, for this reason.
    Broken(String),
    /// Nothing.
    Unknown,
}

/// The name of the model that a call loads; `None` when it is not a constant.
pub fn name(request: &Request) -> Option<String> {
    if request.loader.name == "torchvision" {
        return Some(request.class().to_owned());
    }
    let text = request.get(Meaning::Model)?.value.text()?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}

/// What is known of the model with this name: from its files on this machine, else from the catalog.
pub fn lookup(request: &Request, name: &str) -> Lookup {
    if let Some(library) = library(request) {
        return found(Catalog::tables().find_in(library, name));
    }
    match request.desk.surroundings.models.get(name) {
        Some(LocalModel::Found(facts)) => Lookup::Found(Arc::clone(facts)),
        Some(LocalModel::Broken(why)) => Lookup::Broken(why.clone()),
        Some(LocalModel::Absent) | None => found(Catalog::tables().find(name)),
    }
}

/// What is known of the adapter with this name: a size in the name is that of the model it was made for, and so is one
/// that the name only resembles.
pub fn adapter(request: &Request, name: &str) -> Lookup {
    match lookup(request, name) {
        Lookup::Found(facts) => match facts.source {
            FactSource::Name | FactSource::Catalog { resolved: Some(_), .. } => Lookup::Unknown,
            _ => Lookup::Found(facts),
        },
        other => other,
    }
}

/// Whether the surroundings can tell more about the name, and were not asked yet.
pub fn is_unread(request: &Request, name: &str) -> bool {
    library(request).is_none() && !request.desk.surroundings.models.contains_key(name)
}

fn found(facts: Option<ModelFacts>) -> Lookup {
    facts.map_or(Lookup::Unknown, |facts| Lookup::Found(Arc::new(facts)))
}

/// The library that builds the model under a name of its own.
fn library(request: &Request) -> Option<Library> {
    match request.loader.name {
        "torchvision" | "torchvision-by-name" => Some(Library::Torchvision),
        "timm" => Some(Library::Timm),
        _ => None,
    }
}
