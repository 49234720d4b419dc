//! The arguments of a call, evaluated.

use std::rc::Rc;

use crate::python::interpret::Interpreter;
use crate::python::syntax::{Argument, ArgumentKind, ExprId, Symbol};
use crate::python::value::{Key, ObjectKind, Value, What};

/// Evaluated arguments.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    /// By place.
    pub positional: Vec<Value>,
    /// By name.
    pub keywords: Vec<(Symbol, Value)>,
    /// By name, where the name stands nowhere in the module but in the text of a key.
    pub unpacked: Vec<(Rc<str>, Value)>,
    /// From `*` and `**` whose length or keys are not known: one value for each.
    pub rest: Vec<Value>,
    /// The expressions of the positional arguments, as long as nothing is unpacked before them.
    exprs: Vec<ExprId>,
}

impl Arguments {
    /// Arguments by place only.
    pub fn positional(values: Vec<Value>) -> Self {
        Self { positional: values, ..Self::default() }
    }

    /// The first positional argument.
    pub fn first(&self) -> Value {
        self.positional.first().cloned().unwrap_or_default()
    }

    /// The expression of a positional argument.
    pub fn expr(&self, place: usize) -> Option<ExprId> {
        self.exprs.get(place).copied()
    }

    /// All values.
    pub fn all(&self) -> impl Iterator<Item = &Value> {
        let named = self.keywords.iter().map(|(_, value)| value);
        let unpacked = self.unpacked.iter().map(|(_, value)| value);
        self.positional.iter().chain(named).chain(unpacked).chain(&self.rest)
    }

    /// The number of arguments.
    pub fn len(&self) -> usize {
        self.positional.len() + self.keywords.len() + self.unpacked.len() + self.rest.len()
    }
}

impl Interpreter<'_> {
    pub(super) fn eval_arguments(&mut self, arguments: &[Argument]) -> Arguments {
        let mut evaluated = Arguments::default();
        for argument in arguments {
            let value = self.eval(argument.value);
            self.note_tensor(argument.value, &value);
            match argument.kind {
                ArgumentKind::Positional => {
                    if evaluated.exprs.len() == evaluated.positional.len() && evaluated.rest.is_empty() {
                        evaluated.exprs.push(argument.value);
                    }
                    evaluated.positional.push(value);
                }
                ArgumentKind::Keyword(name) => evaluated.keywords.push((name, value)),
                ArgumentKind::Unpacked => self.unpack_sequence(&value, &mut evaluated),
                ArgumentKind::UnpackedMapping => self.unpack_mapping(&value, &mut evaluated),
            }
        }
        evaluated
    }

    /// The value of a keyword argument.
    pub(super) fn keyword(&self, arguments: &Arguments, name: &str) -> Option<Value> {
        let by_symbol = self.module.symbol(name).and_then(|symbol| {
            arguments.keywords.iter().find(|(keyword, _)| *keyword == symbol).map(|(_, value)| value)
        });
        let unpacked = || arguments.unpacked.iter().find(|(key, _)| **key == *name).map(|(_, value)| value);
        by_symbol.or_else(unpacked).cloned()
    }

    /// Gives the items of a sequence as arguments by place.
    pub(super) fn unpack_sequence(&mut self, value: &Value, into: &mut Arguments) {
        let known = value.single_object().filter(|object| {
            self.object(*object)
                .is_some_and(|object| matches!(object.kind, ObjectKind::Tuple | ObjectKind::List))
                && self.state.items(*object).all(|(key, _)| key.is_some())
        });
        if let Some(object) = known {
            let items: Vec<Value> = self.state.items(object).map(|(_, item)| item.clone()).collect();
            into.positional.extend(items);
            return;
        }
        let item = self.item_of(value);
        into.rest.push(item);
    }

    fn unpack_mapping(&mut self, value: &Value, into: &mut Arguments) {
        let Some(object) = value.single_object() else {
            into.rest.push(Value { what: What::Unknown, ..value.clone() });
            return;
        };
        let items: Vec<(Option<Key>, Value)> =
            self.state.items(object).map(|(key, item)| (key.cloned(), item.clone())).collect();
        for (key, item) in items {
            match key {
                Some(Key::Text(text)) => match self.module.symbol(&text) {
                    Some(symbol) => into.keywords.push((symbol, item)),
                    None => into.unpacked.push((text, item)),
                },
                _ => into.rest.push(item),
            }
        }
    }
}
