//! What `torch.load` reads back, and what its parts are copied into.

use std::rc::Rc;

use crate::knowledge::ModuleEffect;
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::{Interpreter, Site};
use crate::python::library_call::Action;
use crate::python::syntax::{ExprId, Symbol};
use crate::python::value::{Key, Object, ObjectId, ObjectKind, Value};

impl Interpreter<'_> {
    /// Whether a value is something that was read back.
    pub(super) fn is_loaded(&self, value: &Value) -> bool {
        value.single_object().is_some_and(|id| self.is_loaded_object(id))
    }

    /// Whether an object was read back, or is a part of what was.
    pub(super) fn is_loaded_object(&self, id: ObjectId) -> bool {
        self.object(id).is_some_and(|object| object.kind == ObjectKind::Loaded)
    }

    /// The part of something that was read back under a key, or some part of it.
    pub(super) fn loaded_part(&mut self, whole: ObjectId, key: Option<&Key>) -> Option<Value> {
        let owner = self.object(whole).filter(|object| object.kind == ObjectKind::Loaded)?.clone();
        if let Some(part) = self.loaded_parts.get(&(whole, key.cloned())) {
            return Some(Value::object(*part));
        }
        let part = self.new_object(Object { owner: Some(whole), ..owner });
        self.loaded_parts.insert((whole, key.cloned()), part);
        Some(Value::object(part))
    }

    /// A method of what was read back that hands out parts of it; `None` for any other.
    pub(super) fn loaded_method(
        &mut self,
        expr: ExprId,
        id: ObjectId,
        name: Symbol,
        arguments: &Arguments,
    ) -> Option<Value> {
        match self.module.name(name) {
            "get" | "pop" | "setdefault" => {
                let key = arguments.first().as_text().map(|text| Key::Text(Rc::from(text)));
                self.loaded_part(id, key.as_ref())
            }
            "copy" | "state_dict" | "float" | "half" => Some(Value::object(id)),
            "items" => {
                let part = self.loaded_part(id, None)?;
                Some(self.named(expr, part))
            }
            "values" => self.loaded_part(id, None),
            _ => None,
        }
    }

    /// `load_state_dict` copies what it is given into a module or an optimizer.
    pub(super) fn note_copied(
        &mut self,
        call: ExprId,
        receiver: &Value,
        name: Symbol,
        arguments: &Arguments,
    ) {
        let copies = self.knowledge.module_method(self.module.name(name)) == Some(ModuleEffect::LoadsState);
        if !copies || self.happenings.noted.is_empty() {
            return;
        }
        let kinds: Vec<&ObjectKind> =
            receiver.objects().iter().filter_map(|id| Some(&self.object(*id)?.kind)).collect();
        let are = |kind: fn(&ObjectKind) -> bool| !kinds.is_empty() && kinds.iter().all(|one| kind(one));
        let optimizer = if are(|kind| matches!(kind, ObjectKind::Optimizer)) {
            Some(true)
        } else {
            are(|kind| matches!(kind, ObjectKind::Module | ObjectKind::Instance(_))).then_some(false)
        };
        let mut given: Vec<ObjectId> = arguments.first().objects().to_vec();
        self.each_held(&arguments.first(), &mut |held| given.extend(held.objects()));
        self.copied.extend(given.iter().copied());
        let mut roots: Vec<ObjectId> = given.into_iter().map(|id| self.whole_of(id)).collect();
        roots.sort_unstable();
        roots.dedup();
        for root in roots {
            self.occur(Site::Expr(call), root, Rc::from(""), Action::CopiedInto { optimizer });
        }
    }

    /// The parts of something that was read back with the tensors that were copied.
    pub(super) fn copied_parts(&self, whole: ObjectId) -> Vec<ObjectId> {
        if !self.is_loaded_object(whole) {
            return Vec::new();
        }
        let parts = self.copied.iter().copied().filter(|part| *part != whole && self.is_loaded_object(*part));
        let mut parts: Vec<ObjectId> = parts.filter(|part| self.whole_of(*part) == whole).collect();
        parts.sort_unstable();
        parts
    }

    /// What an object is a part of, if it was read back.
    fn whole_of(&self, id: ObjectId) -> ObjectId {
        let mut whole = id;
        while let Some(owner) =
            self.object(whole).filter(|_| self.is_loaded_object(whole)).and_then(|part| part.owner)
        {
            whole = owner;
        }
        whole
    }
}
