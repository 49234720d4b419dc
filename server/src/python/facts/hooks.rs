//! What hooks keep of the forward passes that they watch.

use crate::python::facts::Facts;
use crate::python::record::Collect;
use crate::python::script::{HookStore, Passes};
use crate::python::value::ObjectId;

impl Facts<'_> {
    /// The tensors with their graphs that hooks put into collections which grow with every forward pass.
    pub(super) fn hook_stores(&self) -> Vec<HookStore> {
        let mut stores: Vec<HookStore> =
            self.record.collects.values().filter_map(|collect| self.hook_store(collect)).collect();
        stores.sort_by_key(|store| store.span);
        stores.dedup_by_key(|store| store.span);
        stores
    }

    fn hook_store(&self, collect: &Collect) -> Option<HookStore> {
        let outlived = collect.loops.iter().filter(|open| collect.alive_after.contains(open));
        let known =
            outlived.filter_map(|open| self.record.loop_of(*open)).find(|known| known.hooked.is_some())?;
        // A layer's next output replaces its last under the same key.
        let grows = !self.record.keyed.contains(&collect.object) && !self.is_emptied(collect.object);
        if !grows || !collect.graph.iter().any(|node| self.carrying.contains(&node)) {
            return None;
        }
        let passes = self.passes_of(known.hooked?)?;
        if passes == Passes::Unrecorded && collect.graph.iter().all(|node| self.graph.node(node).host) {
            return None;
        }
        Some(HookStore {
            span: collect.span,
            target: collect.target,
            values: collect.values.iter().map(|value| self.kept_value(*value)).collect(),
            registered: known.span,
            passes,
        })
    }

    /// What becomes of the forward passes of a hooked module; `None` when it is not run here. The parts of a container
    /// do not run by themselves: there, all passes count.
    fn passes_of(&self, hooked: ObjectId) -> Option<Passes> {
        let root = self.root_of(hooked);
        let visited = |of_it: bool| {
            let passes = self.record.forwards.iter();
            let passes = passes.filter(|(_, forward)| !of_it || self.root_of(forward.object) == root);
            passes.map(|(node, _)| self.visits.any(*node)).reduce(|one, other| one || other)
        };
        match visited(true) {
            Some(true) => return Some(Passes::Trained),
            Some(false) => return Some(Passes::Recorded),
            None => {}
        }
        if self.record.without_grad.iter().any(|module| self.root_of(*module) == root) {
            return Some(Passes::Unrecorded);
        }
        visited(false).map(|trained| if trained { Passes::Trained } else { Passes::Recorded })
    }

    /// Whether a collection is emptied anywhere, or made anew in a loop.
    fn is_emptied(&self, object: ObjectId) -> bool {
        let holders = self.record.collection_holders.get(&object).into_iter().flatten();
        let mut resets =
            holders.flat_map(|place| self.record.resets.iter().filter(move |(reset, _)| reset == place));
        self.record.emptied.contains_key(&object)
            || self.record.drops.iter().any(|(dropped, _)| *dropped == object)
            || resets.next().is_some()
    }

    /// The module that another is a part of, however deep.
    fn root_of(&self, module: ObjectId) -> ObjectId {
        let mut root = module;
        while let Some(owner) = self.record.owners.get(&root) {
            root = *owner;
        }
        root
    }
}
