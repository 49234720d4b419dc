//! What surrounds a document, as it was read ahead of time: an immutable snapshot that the analysis sees.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::models::ModelFacts;
use crate::python::units::Units;
use crate::versions::Versions;

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

/// Whether a name in a script is that of a file of settings that can be read.
pub fn is_configuration(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

/// Everything around a document that its analysis may read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surroundings {
    /// The versions of the libraries that it would run with.
    pub versions: Versions,
    /// The models that were looked up on this machine, by the name in the script.
    pub models: BTreeMap<String, LocalModel>,
    /// The files of settings that were looked for, by the name in the script, and what they say.
    pub configurations: BTreeMap<String, Option<Arc<Value>>>,
    /// The files of the workspace that it imports.
    pub units: Units,
}

impl Surroundings {
    /// Whether an analysis can come out the same with these instead.
    pub fn mean_the_same(&self, other: &Self) -> bool {
        self.versions == other.versions
            && self.models == other.models
            && self.configurations == other.configurations
            && self.units.mean_the_same(&other.units)
    }

    /// The same surroundings for a script whose own header asks for some versions.
    pub fn under_header(&self, mut header: Versions) -> Cow<'_, Self> {
        if header.is_empty() {
            return Cow::Borrowed(self);
        }
        header.complete(&self.versions);
        Cow::Owned(Self { versions: header, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::versions::of_script;

    #[test]
    fn a_header_wins_over_what_lies_around() {
        let mut surroundings = Surroundings::default();
        surroundings.versions.found("torch", "2.9.0", "uv.lock");
        surroundings.versions.found("transformers", "5.0.0", "uv.lock");
        let header = of_script("# /// script\n# dependencies = [\"transformers<5\"]\n# ///\n");
        let seen = surroundings.under_header(header);
        assert_eq!(seen.versions.at_least("transformers", &[5]), Some(false));
        assert_eq!(seen.versions.at_least("torch", &[2, 9]), Some(true));
        assert_eq!(*surroundings.under_header(Versions::default()), surroundings);
    }
}
