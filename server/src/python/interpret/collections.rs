//! Lists, tuples, dicts and queues, and Python's functions over them.

use crate::knowledge::CallEffect;
use crate::python::interpret::arguments::Arguments;
use crate::python::interpret::{Interpreter, Site};
use crate::python::syntax::{Constant, ExprId, ExprKind, Symbol};
use crate::python::value::{Flag, FrameId, Key, Object, ObjectId, ObjectKind, Place, Value, What};

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

    fn update_dict(
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
            for (key, item) in items {
                if let Some(key) = key {
                    self.put(Place::Item(id, key), item);
                } else {
                    self.state.add(Place::Items(id), &item);
                    self.collect(Site::Expr(expr), target, None, id, &item);
                }
            }
        }
    }

    fn dict_get(&mut self, expr: ExprId, id: ObjectId, arguments: &Arguments) -> Value {
        let key = match arguments.first().as_constant() {
            Some(Constant::Int(number)) => Some(Key::Index(*number)),
            Some(Constant::Text(text)) => Some(Key::Text(std::rc::Rc::from(text.as_str()))),
            _ => None,
        };
        let holder = Value::object(id);
        let found = key.as_ref().and_then(|key| self.state.get(&Place::Item(id, key.clone())).cloned());
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

    /// Python's own functions over collections and attributes.
    pub(super) fn call_builtin(&mut self, expr: ExprId, effect: CallEffect, arguments: &Arguments) -> Value {
        match effect {
            CallEffect::List => self.listed(expr, arguments),
            CallEffect::Tuple => {
                let tuple = self.allocate(expr, 0, ObjectKind::Tuple);
                for (index, value) in arguments.all().cloned().collect::<Vec<_>>().into_iter().enumerate() {
                    let key = Key::Index(i64::try_from(index).unwrap_or(i64::MAX));
                    self.state.set(Place::Item(tuple, key), value);
                }
                Value::object(tuple)
            }
            CallEffect::Dict => self.new_dict(expr, arguments),
            CallEffect::Namespace => {
                let object = self.allocate(expr, 0, ObjectKind::Dict);
                for (name, value) in &arguments.keywords {
                    self.put(Place::Attribute(object, *name), value.clone());
                }
                Value::object(object)
            }
            CallEffect::DefaultDict => {
                let dict = self.allocate(expr, 0, ObjectKind::Dict);
                self.default_of_dict(expr, dict, &arguments.first());
                Value::object(dict)
            }
            CallEffect::Deque => self.new_deque(expr, arguments),
            CallEffect::PassesItems | CallEffect::Filter => {
                let iterated =
                    if effect == CallEffect::Filter { arguments.positional.get(1).cloned() } else { None };
                let iterated = iterated.or_else(|| arguments.all().next().cloned()).unwrap_or_default();
                if iterated.objects().is_empty() {
                    Value { what: What::Unknown, graph: iterated.graph }
                } else {
                    iterated
                }
            }
            CallEffect::Picks => match arguments.positional.as_slice() {
                [iterated] => self.item_of(&iterated.clone()),
                several => several.iter().skip(1).fold(arguments.first(), |picked, other| picked.join(other)),
            },
            CallEffect::TypeOf => match arguments.first().single_object().and_then(|id| self.object(id)) {
                Some(Object { kind: ObjectKind::Instance(class), .. }) => {
                    Value::plain(What::Class(*class, FrameId(0)))
                }
                _ => Value::default(),
            },
            CallEffect::Next => {
                let iterated = arguments.first();
                self.item_of(&iterated)
            }
            CallEffect::Enumerate | CallEffect::Zip => self.tuples(expr, effect, arguments),
            CallEffect::Map => self.mapped(expr, arguments),
            CallEffect::GetAttribute => self.named_attribute(expr, arguments),
            CallEffect::SetAttribute => {
                if let (Some(name), Some(value)) =
                    (self.attribute_name(arguments), arguments.positional.get(2))
                {
                    let object = arguments.first();
                    self.set_attribute(&object, name, &value.clone());
                }
                Value::default()
            }
            _ => Value::default(),
        }
    }

    fn listed(&mut self, expr: ExprId, arguments: &Arguments) -> Value {
        let first = arguments.all().next().cloned();
        let item = first.map(|iterated| self.item_of(&iterated));
        let list = self.allocate(expr, 0, ObjectKind::List);
        if let Some(item) = item {
            self.state.set(Place::Items(list), item);
        }
        Value::object(list)
    }

    fn new_dict(&mut self, expr: ExprId, arguments: &Arguments) -> Value {
        let dict = self.allocate(expr, 0, ObjectKind::Dict);
        let target = self.module.expr(expr).span;
        self.update_dict(expr, dict, target, arguments);
        Value::object(dict)
    }

    fn new_deque(&mut self, expr: ExprId, arguments: &Arguments) -> Value {
        let bound = self.keyword(arguments, "maxlen").or_else(|| arguments.positional.get(1).cloned());
        let kind = match bound {
            None => ObjectKind::List,
            Some(bound) if bound.is_none() => ObjectKind::List,
            Some(bound) => ObjectKind::Bounded(match bound.as_constant() {
                Some(Constant::Int(length)) => u64::try_from(*length).ok(),
                _ => None,
            }),
        };
        let queue = self.allocate(expr, 0, kind);
        Value::object(queue)
    }

    /// Makes the item that a missing key of a `defaultdict` yields: it lives as long as the dict.
    fn default_of_dict(&mut self, expr: ExprId, dict: ObjectId, factory: &Value) {
        if let Some(made) = self.made_by(expr, factory, 3) {
            self.state.set(Place::Flag(dict, Flag::Default), made);
        }
    }

    /// What a factory without arguments makes.
    pub(super) fn made_by(&mut self, expr: ExprId, factory: &Value, tag: u8) -> Option<Value> {
        match &factory.what {
            What::Library(path) => match self.knowledge.call(path)? {
                CallEffect::List | CallEffect::Deque => {
                    Some(Value::object(self.allocate(expr, tag, ObjectKind::List)))
                }
                CallEffect::Dict => Some(Value::object(self.allocate(expr, tag, ObjectKind::Dict))),
                CallEffect::NoGraph => Some(Value::constant(Constant::Int(0))),
                _ => None,
            },
            What::Class(class, _) => {
                let object = self.allocate(expr, tag, ObjectKind::Instance(*class));
                self.initialize(expr, object, *class, &Arguments::default());
                Some(Value::object(object))
            }
            What::Function(closure) => Some(self.call_closure(expr, *closure, &Arguments::default())),
            _ => None,
        }
    }

    fn tuples(&mut self, expr: ExprId, effect: CallEffect, arguments: &Arguments) -> Value {
        let mut items: Vec<Value> = Vec::new();
        if effect == CallEffect::Enumerate {
            items.push(Value::plain(What::Number));
        }
        let most = if effect == CallEffect::Enumerate { 1 } else { usize::MAX };
        for iterated in arguments.positional.iter().take(most) {
            items.push(self.item_of(iterated));
        }
        if items.is_empty()
            && let Some(pair) = arguments.rest.first().and_then(Value::single_object)
        {
            return self.transposed(expr, pair);
        }
        let pair = self.allocate(expr, 1, ObjectKind::Tuple);
        for (index, item) in items.into_iter().enumerate() {
            self.state.set(Place::Item(pair, Key::Index(i64::try_from(index).unwrap_or(i64::MAX))), item);
        }
        if let Some(rest) = arguments.rest.first() {
            let rest = self.item_of(rest);
            self.state.set(Place::Items(pair), rest);
        }
        let list = self.allocate(expr, 0, ObjectKind::Bounded(None));
        self.state.set(Place::Items(list), Value::object(pair));
        if arguments.positional.iter().any(|iterated| self.is_loader(iterated)) {
            self.state.set(Place::Flag(list, Flag::OverData), Value::constant(Constant::Bool(true)));
        }
        Value::object(list)
    }

    /// `zip(*pairs)`: all first items, all second items, and so on.
    fn transposed(&mut self, expr: ExprId, pair: ObjectId) -> Value {
        let parts: Vec<Value> = self.state.items(pair).map(|(_, part)| part.clone()).collect();
        let columns = self.allocate(expr, 0, ObjectKind::Tuple);
        for (index, part) in parts.into_iter().enumerate() {
            let tag = 32_u8.saturating_add(u8::try_from(index).unwrap_or(u8::MAX));
            let column = self.allocate(expr, tag, ObjectKind::Bounded(None));
            self.state.set(Place::Items(column), part);
            let key = Key::Index(i64::try_from(index).unwrap_or(i64::MAX));
            self.state.set(Place::Item(columns, key), Value::object(column));
        }
        Value::object(columns)
    }

    fn mapped(&mut self, expr: ExprId, arguments: &Arguments) -> Value {
        let Some((function, iterables)) = arguments.positional.split_first() else { return Value::default() };
        let items: Vec<Value> = iterables.iter().map(|iterated| self.item_of(iterated)).collect();
        let result = self.call_value(expr, function, &Arguments::positional(items));
        let list = self.allocate(expr, 6, ObjectKind::Bounded(None));
        self.state.set(Place::Items(list), result);
        Value::object(list)
    }

    fn attribute_name(&self, arguments: &Arguments) -> Option<Symbol> {
        self.module.symbol(arguments.positional.get(1)?.as_text()?)
    }

    fn named_attribute(&mut self, expr: ExprId, arguments: &Arguments) -> Value {
        let object = arguments.first();
        match self.attribute_name(arguments) {
            Some(name) => self.attribute(expr, &object, name),
            None => Value { what: What::Unknown, graph: self.graph_of(&object) },
        }
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
            return Some(Value { what, graph: iterated.graph.clone() });
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
        joined.or_else(|| self.module_part(id))
    }
}

/// A number for a key, so that parts under different keys are told apart.
fn key_number(key: &Key) -> u32 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    key.hash(&mut hasher);
    u32::try_from(hasher.finish() & 0x7fff_ffff).unwrap_or_default()
}
