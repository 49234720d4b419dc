//! Noting graphs that one step leaves in an attribute or in a name of an outer function or the module.

use smallvec::SmallVec;

use crate::python::graph::{LoopId, outlived};
use crate::python::interpret::Interpreter;
use crate::python::record::Lasting;
use crate::python::syntax::{ExprId, StmtId};
use crate::python::value::{Place, Value};

impl Interpreter<'_> {
    /// A target is assigned something: what has a graph may last longer than the iteration.
    pub(super) fn note_lasting(&mut self, target: ExprId, value: &Value, stmt: StmtId) {
        if self.loops.is_empty() || value.graph.is_empty() {
            return;
        }
        let Some(place) = self.place_of(target) else { return };
        let loops = self.loops_outlived_by(&place);
        if loops.is_empty() {
            return;
        }
        let key = (stmt, self.context().0);
        let alive_after = self.record.lasting.get(&key).map(|known| known.alive_after.clone());
        let lasting = Lasting {
            target,
            place,
            graph: value.graph.clone(),
            moment: self.moment.clone(),
            loops,
            alive_after: alive_after.unwrap_or_default(),
            function: self.calls.last().and_then(|call| call.function),
        };
        self.record.lasting.insert(key, lasting);
    }

    /// The loops under way that a place outlives: an attribute those that its object does, a name those that were
    /// entered since the function that has it began. A name of the running function itself is none that lasts.
    fn loops_outlived_by(&self, place: &Place) -> SmallVec<[LoopId; 2]> {
        match place {
            Place::Attribute(owner, _) => {
                self.object(*owner).map(|owner| outlived(&owner.moment, &self.moment)).unwrap_or_default()
            }
            Place::Variable(frame, _) if *frame != self.frame() => {
                let home = self.calls.iter().find(|call| call.frame == *frame);
                let before = home.map_or(0, |call| call.loops);
                self.moment.iter().skip(before).map(|(id, _)| *id).collect()
            }
            _ => SmallVec::new(),
        }
    }

    /// At the end of an iteration: what earlier statements of it put into places may still be there.
    pub(super) fn note_lasting_alive(&mut self, id: LoopId) {
        let mut alive = Vec::new();
        for (key, lasting) in &self.record.lasting {
            let open = lasting.loops.contains(&id) && !lasting.alive_after.contains(&id);
            let held = self.state.get(&lasting.place);
            if open && held.is_some_and(|held| lasting.graph.iter().any(|node| held.graph.contains(node))) {
                alive.push(*key);
            }
        }
        for key in alive {
            if let Some(lasting) = self.record.lasting.get_mut(&key) {
                lasting.alive_after.insert(id);
            }
        }
    }
}
