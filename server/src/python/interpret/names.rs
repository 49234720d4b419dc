//! Reading and writing places.

use crate::knowledge::Says;
use crate::python::interpret::Interpreter;
use crate::python::syntax::{Constant, ExprId, StmtKind, Symbol};
use crate::python::usage;
use crate::python::value::{Flag, FrameId, Object, ObjectId, ObjectKind, Place, Value, What};

/// Names that every module has without importing them start with this path.
pub(super) const BUILTINS: &str = "builtins";

impl Interpreter<'_> {
    /// The frame in which `name` lives for the running code.
    pub(super) fn home_frame(&self, name: Symbol) -> FrameId {
        let home = self.scopes.home(self.scope(), name);
        let mut current = Some(self.frame());
        while let Some(frame) = current {
            if self.frame_scope(frame) == home {
                return frame;
            }
            current = self.frames.get(frame.0 as usize).and_then(|frame| frame.parent);
        }
        FrameId(0)
    }

    pub(super) fn read_name(&mut self, expr: ExprId, name: Symbol) -> Value {
        let place = Place::Variable(self.home_frame(name), name);
        if let Some(value) = self.state.get(&place) {
            let value = value.clone();
            return self.taught(expr, &value, Some(place));
        }
        let bound = self.scopes.binds(self.scopes.home(self.scope(), name), name);
        if bound {
            return self.taught(expr, &Value::default(), Some(place));
        }
        match self.module.name(name) {
            "__name__" => Value::constant(Constant::Text("__main__".to_owned())),
            text => match self.knowledge.star_import(text).filter(|_| self.has_star_import) {
                Some(path) => Value::library(path),
                None => Value::library(&self.starred(text).unwrap_or_else(|| format!("{BUILTINS}.{text}"))),
            },
        }
    }

    /// The path of a name that comes from `import *` of a library that the tables know.
    fn starred(&self, name: &str) -> Option<String> {
        let path = format!("{BUILTINS}.{name}");
        if !self.has_star_import || self.knowledge.call(&path).is_some() {
            return None;
        }
        self.module.stmts().find_map(|(_, stmt)| match &stmt.kind {
            StmtKind::ImportFrom(import) if import.star && import.level == 0 => {
                let path = format!("{}.{name}", import.module);
                self.knowledge.call(&path).map(|_| path)
            }
            _ => None,
        })
    }

    /// What usage teaches about a value that nothing else is known of. What is learnt is kept in `place`.
    pub(super) fn taught(&mut self, expr: ExprId, value: &Value, place: Option<Place>) -> Value {
        let open = match &value.what {
            What::Unknown | What::Moved | What::Either(_) => true,
            What::Objects(_) => self.is_loaded(value),
            // Something imported that no row knows.
            What::Library(path) => !path.starts_with(BUILTINS) && self.called_path(path).effect.is_none(),
            _ => false,
        };
        if !open {
            return value.clone();
        }
        let learnt = match self.object_by_usage(expr) {
            Some(object) => {
                if value.stored.places.is_known() {
                    self.put_on(object, value.stored.places);
                }
                Value::object(object)
            }
            None if matches!(value.what, What::Unknown) && self.is_moved(expr) => {
                Value { what: What::Moved, ..value.clone() }
            }
            None => return value.clone(),
        };
        if let Some(place) = place {
            self.state.set(place, learnt.clone());
        }
        learnt
    }

    /// How the thing that an expression names is used, in the words of the tables.
    fn heard_of(&self, expr: ExprId) -> Option<(usage::Path, bool, Vec<Says>)> {
        let path = usage::path(self.module, &self.scopes, self.scope(), expr)?;
        let usage = self.usages.of(&path)?;
        let says = |(method, arguments): &(Symbol, usize)| {
            self.knowledge.evidence(self.module.name(*method), *arguments)
        };
        let heard = usage.methods.iter().filter_map(says).collect();
        Some((path, usage.called, heard))
    }

    fn is_moved(&self, expr: ExprId) -> bool {
        self.heard_of(expr)
            .is_some_and(|(_, _, heard)| heard.contains(&Says::Moves) && !heard.contains(&Says::Pipeline))
    }

    /// Whether the thing that an expression names is used like a pipeline.
    pub(super) fn is_pipeline(&self, expr: ExprId) -> bool {
        self.heard_of(expr).is_some_and(|(_, _, heard)| heard.contains(&Says::Pipeline))
    }

    fn object_by_usage(&mut self, expr: ExprId) -> Option<ObjectId> {
        let (path, called, heard) = self.heard_of(expr)?;
        let says = |what: Says| heard.contains(&what);
        if says(Says::Pipeline) {
            return None;
        }
        let like_a_module = says(Says::ModuleIfCalled) || says(Says::Zeroes) || says(Says::HoldsState);
        let trains = says(Says::Trains) || says(Says::Zeroes);
        let is_module = says(Says::Module)
            || says(Says::Trains)
            || (called && like_a_module)
            || (says(Says::Moves) && says(Says::HoldsState));
        let kind = if is_module {
            ObjectKind::Module
        } else if says(Says::Zeroes) && says(Says::Steps) {
            ObjectKind::Optimizer
        } else if says(Says::Collection) {
            ObjectKind::List
        } else {
            return None;
        };
        let frame = self.frame();
        if let Some(object) = self.named_objects.get(&(path.clone(), frame)) {
            return Some(*object);
        }
        let entered = self.calls.last().map_or(0, |call| call.loops);
        let moment = self.moment.iter().take(entered).copied().collect();
        let object = self.new_object(Object { kind, moment, owner: None });
        self.shared.insert(object);
        self.record.by_usage.insert(object);
        if trains {
            self.record.with_parameters.insert(object);
        }
        self.named_objects.insert((path, frame), object);
        Some(object)
    }

    /// Puts a value in a place and notes what that means for graphs.
    pub(super) fn put(&mut self, place: Place, value: Value) {
        let is_same = !value.objects().is_empty()
            && self.state.get(&place).is_some_and(|held| held.objects() == value.objects());
        if value.graph.is_empty() && !is_same {
            let open: Vec<_> = self.loops.iter().map(|open| open.id).collect();
            self.record.resets.extend(open.into_iter().map(|id| (place.clone(), id)));
        }
        self.note_cut(&place, &value);
        for object in value.objects() {
            self.record.collection_holders.entry(*object).or_default().insert(place.clone());
        }
        for node in value.graph.iter() {
            self.record.holders.entry(node).or_default().insert(place.clone());
        }
        if let Place::Attribute(..) = place
            && let Some(function) = self.calls.last().and_then(|call| call.function)
        {
            self.record.replaced.entry(place.clone()).or_default().insert(function);
        }
        if let Place::Attribute(object, _) = place
            && self.shared.contains(&object)
        {
            self.hand_back(&value);
        }
        let held = self.state.get(&place).cloned();
        let after = value.clone();
        self.state.set(place, value);
        self.note_release(held, Some(&after));
    }

    /// A place is given a value without a graph, in an iteration after the first, over one that has or may have one.
    fn note_cut(&mut self, place: &Place, value: &Value) {
        if !self.loops.iter().any(|open| open.pass > 0) || !value.graph.is_empty() {
            return;
        }
        if self.state.get(place).is_some_and(Value::is_none) {
            // `if state is None`: it is filled for the first time.
            return;
        }
        if value.objects().is_empty() || self.graph_of(value).is_empty() {
            let later = self.loops.iter().filter(|open| open.pass > 0).map(|open| (place.clone(), open.id));
            self.record.cuts.extend(later);
        }
    }

    pub(super) fn new_object(&mut self, object: Object) -> ObjectId {
        let id = ObjectId(u32::try_from(self.objects.len()).unwrap_or(u32::MAX));
        self.objects.push(object);
        id
    }

    pub(super) fn object(&self, id: ObjectId) -> Option<&Object> {
        self.objects.get(id.0 as usize)
    }

    /// Makes the object of an expression, or makes it anew: what it held before is gone.
    pub(super) fn allocate(&mut self, expr: ExprId, tag: u8, kind: ObjectKind) -> ObjectId {
        let key = (expr.0, self.context(), tag);
        let made = Object { kind, moment: self.moment.clone(), owner: None };
        if let Some(id) = self.object_ids.get(&key).copied() {
            if let Some(object) = self.objects.get_mut(id.0 as usize) {
                *object = made;
            }
            self.state.clear_items(id);
            self.state.remove(&Place::Flag(id, Flag::Frozen));
            self.state.remove(&Place::Flag(id, Flag::Evaluating));
            self.state.remove(&Place::Flag(id, Flag::Device));
            return id;
        }
        let id = self.new_object(made);
        self.object_ids.insert(key, id);
        id
    }
}
