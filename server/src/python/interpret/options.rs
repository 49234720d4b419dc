//! Command line options: what a parser's defaults say about what it parses.

use std::rc::Rc;

use crate::python::interpret::Interpreter;
use crate::python::interpret::arguments::Arguments;
use crate::python::syntax::{Constant, ExprId};
use crate::python::value::{Key, ObjectId, ObjectKind, Place, Value, What};

impl Interpreter<'_> {
    /// A method of an option parser. The options are kept as its items, by the name they are read under.
    pub(super) fn call_parser_method(
        &mut self,
        expr: ExprId,
        parser: ObjectId,
        name: &str,
        arguments: &Arguments,
    ) -> Value {
        match name {
            "add_argument" => {
                if let Some(option) = self.option_name(arguments) {
                    let default = self.option_default(arguments);
                    self.state.set(Place::Item(parser, Key::Text(option)), default);
                }
                Value::default()
            }
            "add_argument_group" | "add_mutually_exclusive_group" => Value::object(parser),
            "parse_args" => self.parsed(expr, parser),
            "parse_known_args" => {
                let parsed = self.parsed(expr, parser);
                let pair = self.allocate(expr, 1, ObjectKind::Tuple);
                self.state.set(Place::Item(pair, Key::Index(0)), parsed);
                Value::object(pair)
            }
            _ => Value::default(),
        }
    }

    /// The name that an option is read under: as given, or that of its first long form.
    fn option_name(&self, arguments: &Arguments) -> Option<Rc<str>> {
        let named = self.keyword(arguments, "dest");
        if let Some(name) = named.as_ref().and_then(Value::as_text) {
            return Some(Rc::from(name));
        }
        let forms: Vec<&str> = arguments.positional.iter().filter_map(Value::as_text).collect();
        let form = forms.iter().find(|form| form.starts_with("--")).or(forms.first())?;
        Some(Rc::from(form.trim_start_matches('-').replace('-', "_")))
    }

    /// What an option is when it is not given.
    fn option_default(&self, arguments: &Arguments) -> Value {
        let action = self.keyword(arguments, "action");
        let default = match action.as_ref().and_then(Value::as_text) {
            Some("store_true") => Some(Constant::Bool(false)),
            Some("store_false") => Some(Constant::Bool(true)),
            _ => self.keyword(arguments, "default").and_then(|default| default.as_constant().cloned()),
        };
        // A missing default is `None`, and such an option is nearly always given.
        let default = default.filter(|default| *default != Constant::None);
        default.map_or_else(Value::default, |default| Value::plain(What::Default(Rc::new(default))))
    }

    /// The options, parsed.
    fn parsed(&mut self, expr: ExprId, parser: ObjectId) -> Value {
        let options: Vec<(Option<Key>, Value)> =
            self.state.items(parser).map(|(key, default)| (key.cloned(), default.clone())).collect();
        let parsed = self.allocate(expr, 0, ObjectKind::Dict);
        for (key, default) in options {
            let Some(Key::Text(name)) = key else { continue };
            if let Some(symbol) = self.module.symbol(&name) {
                self.state.set(Place::Attribute(parsed, symbol), default);
            }
        }
        Value::object(parsed)
    }
}
