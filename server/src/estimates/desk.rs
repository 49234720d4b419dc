//! What an estimate of a script is worked out from.

use vramlens_grammars::{Location, Source, Span};

use crate::python::library_call::{LibraryCall, Shape};
use crate::python::syntax::Module;
use crate::rules::context::Context;
use crate::settings::Settings;
use crate::surroundings::Surroundings;
use crate::versions::Versions;

/// One script with what surrounds it.
#[derive(Clone, Copy, Debug)]
pub struct Desk<'a> {
    /// The script, lowered.
    pub module: &'a Module,
    /// The shapes that calls in it give the tensors that they make.
    pub shapes: &'a [(Span, Shape)],
    /// The calls of libraries in it.
    pub calls: &'a [LibraryCall],
    /// Its text, and the map back to its document.
    pub source: &'a Source,
    /// What surrounds it.
    pub surroundings: &'a Surroundings,
    /// What the user chose.
    pub settings: &'a Settings,
}

impl<'a> Desk<'a> {
    /// The script that the rules see.
    pub fn new(context: &Context<'a>) -> Self {
        let Context { script, source, surroundings, settings } = *context;
        Self {
            module: script.module,
            shapes: &script.shapes,
            calls: &script.calls,
            source,
            surroundings,
            settings,
        }
    }

    /// The versions of the libraries.
    pub fn versions(&self) -> &'a Versions {
        &self.surroundings.versions
    }

    /// Where a range of the module stands in the document.
    pub fn locate(&self, span: Span) -> Location {
        self.source.locate(span)
    }
}
