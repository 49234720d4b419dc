//! Linking: what a document needs of the files that it imports is copied into its own module.
//!
//! Only what is needed: the definitions that the document names, and whatever those name in turn, in their own file or
//! in files that it imports. What is copied lies behind the document's own nodes and text ([`Linked`]), so that the
//! interpreter runs through it like through the rest, and nothing said about the document can point into it. A file
//! that is missing, or that a budget leaves out, stays the library path that its import spells.

mod copy;
mod demand;
mod mentions;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use crate::python::link::copy::Copier;
use crate::python::link::demand::Plan;
use crate::python::syntax::Module;
use crate::python::syntax::linked::{Linked, LinkedUnit};
use crate::python::units::Units;

/// Copies what `module`, the syntax of a text of so many bytes, needs of the files it imports.
pub fn link(module: &mut Module, length: usize, units: &Units) {
    if !units.links.keys().any(|(importer, _)| importer.is_none()) {
        return;
    }
    let plan = Plan::of(module, units);
    if plan.needs.is_empty() {
        return;
    }
    let mut linked = Linked { own: module.sizes(), units: Vec::new(), imports: plan.imports };
    let mut start = offset(length).saturating_add(1);
    for need in plan.needs {
        let mut symbols = FxHashMap::default();
        let mut copier = Copier { from: &need.unit.module, to: module, start, symbols: &mut symbols };
        let body = need.kept.iter().map(|stmt| copier.stmt(*stmt)).collect();
        let name = need.unit.name.clone();
        linked.units.push(LinkedUnit { name, start, body, packages: need.packages });
        start = start.saturating_add(offset(need.unit.text.len())).saturating_add(1);
    }
    module.linked = Some(Box::new(linked));
}

/// Texts of more than 2 MiB are not parsed.
fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// How the import of a name from a module spells the module that this name may be: `pkg` and `model` as `pkg.model`.
pub(super) fn submodule(module: &str, name: &str) -> String {
    if module.is_empty() || module.ends_with('.') {
        return format!("{module}{name}");
    }
    format!("{module}.{name}")
}
