//! Python's own functions over collections and attributes, and what makes collections.

use std::rc::Rc;

use crate::knowledge::CallEffect;
use crate::python::interpret::Interpreter;
use crate::python::interpret::arguments::Arguments;
use crate::python::record::Iterated;
use crate::python::syntax::{Constant, ExprId, ExprKind, Symbol};
use crate::python::value::{Flag, FrameId, Key, Object, ObjectId, ObjectKind, Place, Value, What};

impl Interpreter<'_> {
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
                    Value { what: What::Unknown, ..iterated }
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
                self.set_named_attribute(arguments);
                Value::default()
            }
            _ => Value::default(),
        }
    }

    fn listed(&mut self, expr: ExprId, arguments: &Arguments) -> Value {
        let first = arguments.all().next().cloned();
        let item = first.as_ref().map(|iterated| self.item_of(iterated));
        if let (Some(iterated), Some(item)) = (&first, &item) {
            self.note_all_batches(expr, iterated, item);
        }
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
            Some(bound) => ObjectKind::Bounded(match bound.usual_constant() {
                Some(Constant::Int(length)) => u64::try_from(*length).ok(),
                _ => None,
            }),
        };
        let queue = self.allocate(expr, 0, kind);
        Value::object(queue)
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
        let over = |it: &Self, what| {
            arguments.positional.iter().any(|iterated| it.kind_of_iterated(iterated) == what)
        };
        for (what, over_data) in [(Iterated::Collection, false), (Iterated::Loader, true)] {
            if over(self, what) {
                self.state.set(Place::Flag(list, Flag::OverData), Value::constant(Constant::Bool(over_data)));
            }
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
        self.note_yields(list, &result);
        self.state.set(Place::Items(list), result);
        Value::object(list)
    }

    fn attribute_name(&self, arguments: &Arguments) -> Option<Symbol> {
        self.module.symbol(arguments.positional.get(1)?.as_text()?)
    }

    fn set_named_attribute(&mut self, arguments: &Arguments) {
        let [object, _, value] = arguments.positional.as_slice() else { return };
        let place = self.computed_attribute(object, arguments);
        match (self.attribute_name(arguments), place) {
            (Some(name), _) => self.set_attribute(object, name, value),
            (None, Some(place)) => self.put(place, value.clone()),
            (None, None) => {}
        }
    }

    fn named_attribute(&mut self, expr: ExprId, arguments: &Arguments) -> Value {
        let object = arguments.first();
        if let Some(name) = self.attribute_name(arguments) {
            return self.attribute(expr, &object, name);
        }
        let place = self.computed_attribute(&object, arguments);
        let set_before = place.and_then(|place| self.state.get(&place).cloned());
        set_before.unwrap_or_else(|| Value {
            what: What::Unknown,
            graph: self.graph_of(&object),
            stored: object.stored,
        })
    }

    /// The place of an attribute whose name is computed: names that are written alike are alike.
    fn computed_attribute(&self, object: &Value, arguments: &Arguments) -> Option<Place> {
        let mut written = String::from("=");
        self.write_name(arguments.expr(1)?, &mut written)?;
        Some(Place::Item(object.single_object()?, Key::Text(Rc::from(written))))
    }

    fn write_name(&self, expr: ExprId, into: &mut String) -> Option<()> {
        match &self.module.expr(expr).kind {
            ExprKind::Name(name) => into.push_str(self.module.name(*name)),
            ExprKind::Constant(Constant::Text(text)) => into.push_str(text),
            ExprKind::Binary { left, right, .. } => {
                self.write_name(*left, into)?;
                self.write_name(*right, into)?;
            }
            ExprKind::FormattedText(parts) => {
                parts.iter().try_for_each(|part| self.write_name(*part, into))?;
            }
            _ => return None,
        }
        Some(())
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
}
