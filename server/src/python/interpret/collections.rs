//! Lists, tuples, dicts and queues, and Python's functions over them.

use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::{Interpreter, Site};
use crate::python::syntax::{Constant, ExprId, ExprKind, Symbol};
use crate::python::value::{Flag, Key, ObjectId, ObjectKind, Place, Value, What};

impl Interpreter<'_> {
    /// The list that a value is; one of them if it may be several.
    pub(super) fn collection_of(&self, value: &Value) -> Option<ObjectId> {
        let is_list = |id: &ObjectId| {
            self.object(*id)
                .is_some_and(|object| matches!(object.kind, ObjectKind::List | ObjectKind::Bounded(_)))
        };
        value.objects().iter().all(is_list).then(|| value.objects().first().copied()).flatten()
    }

    pub(super) fn call_collection_method(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        id: ObjectId,
        name: Symbol,
        arguments: &Arguments,
    ) -> Value {
        let ExprKind::Attribute { object, .. } = &self.module.expr(callee).kind else {
            return Value::default();
        };
        let target = self.module.expr(*object).span;
        let is_dict = self.object(id).is_some_and(|object| object.kind == ObjectKind::Dict);
        match self.module.name(name) {
            "append" | "appendleft" | "add" | "put" | "put_nowait" | "push" => {
                let item = arguments.first();
                self.state.add(Place::Items(id), &item);
                self.collect(Site::Expr(expr), target, arguments.expr(0), id, &item);
            }
            "insert" => {
                let item = arguments.positional.get(1).cloned().unwrap_or_default();
                self.state.add(Place::Items(id), &item);
                self.collect(Site::Expr(expr), target, arguments.expr(1), id, &item);
            }
            "extend" | "extendleft" => {
                let given = arguments.first();
                let item = self.item_of(&given);
                self.state.add(Place::Items(id), &item);
                // Of an iterable that is not written out, no item can be detached in place.
                let written = arguments.expr(0).filter(|given| {
                    matches!(self.module.expr(*given).kind, ExprKind::List(_) | ExprKind::Tuple(_))
                });
                self.collect(Site::Expr(expr), target, written, id, &item);
            }
            "update" => self.update_dict(expr, id, target, arguments),
            "clear" => {
                self.state.clear_items(id);
                self.note_drop(id);
            }
            "pop" | "popleft" | "popitem" | "get_nowait" => {
                self.note_drop(id);
                return self.item_of_object(id).unwrap_or_default();
            }
            "remove" => self.note_drop(id),
            "get" | "setdefault" if is_dict => return self.dict_get(expr, id, arguments),
            "get" | "copy" => return self.item_or_copy(expr, id, name),
            "items" => return self.dict_items(expr, id),
            "values" => return self.values_of(expr, id),
            "keys" => return Value::plain(What::Text),
            _ => {
                self.consume_all(arguments);
                return Value::default();
            }
        }
        Value::default()
    }

    fn item_or_copy(&mut self, expr: ExprId, id: ObjectId, name: Symbol) -> Value {
        if self.module.name(name) == "copy" {
            return self.values_of(expr, id);
        }
        self.note_drop(id);
        self.item_of_object(id).unwrap_or_default()
    }

    pub(super) fn update_dict(
        &mut self,
        expr: ExprId,
        id: ObjectId,
        target: vramlens_grammars::Span,
        arguments: &Arguments,
    ) {
        for (name, value) in &arguments.keywords {
            let key = Key::Text(std::rc::Rc::from(self.module.name(*name)));
            self.put(Place::Item(id, key), value.clone());
        }
        let given: Vec<Value> = arguments.positional.iter().chain(&arguments.rest).cloned().collect();
        for value in given {
            let Some(other) = value.single_object() else { continue };
            let items: Vec<(Option<Key>, Value)> =
                self.state.items(other).map(|(key, item)| (key.cloned(), item.clone())).collect();
            let is_dict = self.object(other).is_some_and(|object| object.kind == ObjectKind::Dict);
            for (key, item) in items {
                let (key, item) = if is_dict { (key, item) } else { (None, self.second_of_pair(item)) };
                if let Some(key) = key {
                    self.put(Place::Item(id, key), item);
                } else {
                    self.state.add(Place::Items(id), &item);
                    self.collect(Site::Expr(expr), target, None, id, &item);
                }
            }
        }
    }

    /// The item of a key that is not known is read from a dict.
    pub(super) fn note_looked_up(&mut self, id: ObjectId) {
        if self.object(id).is_some_and(|object| object.kind == ObjectKind::Dict) {
            let open: Vec<_> = self.loops.iter().map(|open| (id, open.id)).collect();
            self.record.looked_up.extend(open);
        }
    }

    /// The value of a pair of key and value.
    fn second_of_pair(&self, pair: Value) -> Value {
        let second = |id| self.state.get(&Place::Item(id, Key::Index(1))).cloned();
        pair.single_object().and_then(second).unwrap_or(pair)
    }

    fn dict_get(&mut self, expr: ExprId, id: ObjectId, arguments: &Arguments) -> Value {
        let key = match arguments.first().as_constant() {
            Some(Constant::Int(number)) => Some(Key::Index(*number)),
            Some(Constant::Text(text)) => Some(Key::Text(std::rc::Rc::from(text.as_str()))),
            _ => None,
        };
        let holder = Value::object(id);
        let found = key.as_ref().and_then(|key| self.state.get(&Place::Item(id, key.clone())).cloned());
        if key.is_none() {
            self.note_looked_up(id);
        }
        let found = found.unwrap_or_else(|| self.any_item(&holder));
        let default = arguments.positional.get(1).cloned();
        let is_setdefault = matches!(&self.module.expr(expr).kind, ExprKind::Call { callee, .. }
            if matches!(&self.module.expr(*callee).kind, ExprKind::Attribute { name, .. }
                if self.module.name(*name) == "setdefault"));
        match default {
            Some(default) if is_setdefault => {
                if let Some(made) = default.single_object()
                    && let Some(owner) = self.object(id).map(|object| object.moment.clone())
                    && let Some(object) = self.objects.get_mut(made.0 as usize)
                {
                    // It lives as long as the dict it is put into.
                    object.moment = owner;
                }
                let joined = if matches!(found.what, What::Unknown) { default } else { found.join(&default) };
                self.state.add(Place::Items(id), &joined);
                joined
            }
            Some(default) => found.join(&default),
            None => found,
        }
    }

    fn dict_items(&mut self, expr: ExprId, id: ObjectId) -> Value {
        let item = self.item_of_object(id).unwrap_or_default();
        let pair = self.allocate(expr, 2, ObjectKind::Tuple);
        self.state.set(Place::Item(pair, Key::Index(0)), Value::plain(What::Text));
        self.state.set(Place::Item(pair, Key::Index(1)), item);
        let list = self.allocate(expr, 0, ObjectKind::Bounded(None));
        self.state.set(Place::Items(list), Value::object(pair));
        Value::object(list)
    }

    fn values_of(&mut self, expr: ExprId, id: ObjectId) -> Value {
        let item = self.item_of_object(id).unwrap_or_default();
        let list = self.allocate(expr, 0, ObjectKind::Bounded(None));
        self.state.set(Place::Items(list), item);
        Value::object(list)
    }

    /// The value under a known key.
    pub(super) fn item_at(&mut self, holder: &Value, key: &Key) -> Value {
        if holder.objects().is_empty() {
            return self.part_of(holder, key_number(key));
        }
        let mut joined: Option<Value> = None;
        for id in holder.objects().to_vec() {
            let key = self.counted_from_the_front(id, key);
            let found = self.state.get(&Place::Item(id, key.clone())).cloned();
            let found = found.or_else(|| self.state.get(&Place::Items(id)).cloned());
            let found = found.or_else(|| self.loaded_part(id, Some(&key)));
            let found = found.or_else(|| self.missing_item(id, &key)).unwrap_or_default();
            joined = Some(joined.map_or_else(|| found.clone(), |other| other.join(&found)));
        }
        joined.unwrap_or_default()
    }

    /// A negative index of a sequence whose items are all known, counted from the front.
    fn counted_from_the_front(&self, id: ObjectId, key: &Key) -> Key {
        let Key::Index(index) = key else { return key.clone() };
        if *index >= 0 || self.state.get(&Place::Items(id)).is_some() {
            return key.clone();
        }
        let length = i64::try_from(self.state.items(id).count()).unwrap_or(i64::MAX);
        Key::Index(length.saturating_add(*index))
    }

    fn missing_item(&mut self, id: ObjectId, key: &Key) -> Option<Value> {
        if let Some(made) = self.state.flag(id, Flag::Default).cloned() {
            self.state.set(Place::Item(id, key.clone()), made.clone());
            return Some(made);
        }
        self.module_part(id)
    }

    /// Anything among the items of a value, whatever its key.
    pub(super) fn any_item(&mut self, holder: &Value) -> Value {
        self.items_of(holder).unwrap_or_default()
    }

    /// What iterating a value yields: the keys of a dict, the items of anything else.
    pub(super) fn item_of(&mut self, iterated: &Value) -> Value {
        let is_dict = |id: &ObjectId| self.object(*id).is_some_and(|object| object.kind == ObjectKind::Dict);
        if !iterated.objects().is_empty() && iterated.objects().iter().all(is_dict) {
            return Value::default();
        }
        self.any_item(iterated)
    }

    fn items_of(&mut self, iterated: &Value) -> Option<Value> {
        if let What::ParameterOf(_) = iterated.what {
            return Some(iterated.clone());
        }
        if iterated.objects().is_empty() {
            let what = if iterated.what.is_tensor() { iterated.what.clone() } else { What::Unknown };
            return Some(Value { what, ..iterated.clone() });
        }
        let mut joined: Option<Value> = None;
        for id in iterated.objects().to_vec() {
            if let Some(item) = self.item_of_object(id) {
                joined = Some(joined.map_or_else(|| item.clone(), |other| other.join(&item)));
            }
        }
        joined
    }

    fn item_of_object(&mut self, id: ObjectId) -> Option<Value> {
        if self.object(id).is_some_and(|object| object.kind == ObjectKind::Dict)
            && let Some(made) = self.state.flag(id, Flag::Default).cloned()
        {
            self.state.add(Place::Items(id), &made);
        }
        let mut joined: Option<Value> = None;
        for (_, item) in self.state.items(id) {
            joined = Some(joined.map_or_else(|| item.clone(), |other| other.join(item)));
        }
        joined
            .or_else(|| self.loaded_part(id, None))
            .or_else(|| self.module_part(id))
            .or_else(|| self.prepared_item(id))
    }

    /// An item of a loader whose batches are put on a device.
    fn prepared_item(&self, id: ObjectId) -> Option<Value> {
        let stored = self.state.flag(id, Flag::Device)?.stored;
        Some(Value { stored, ..Value::default() })
    }
}

/// A number for a key, so that parts under different keys are told apart.
fn key_number(key: &Key) -> u32 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    key.hash(&mut hasher);
    u32::try_from(hasher.finish() & 0x7fff_ffff).unwrap_or_default()
}
