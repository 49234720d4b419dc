//! Texts: names of models, folders and devices, put together.

use std::rc::Rc;

use crate::knowledge::CallEffect;
use crate::python::interpret::Interpreter;
use crate::python::interpret::arguments::Arguments;
use crate::python::syntax::{Constant, ExprId};
use crate::python::value::{Value, What};

impl Interpreter<'_> {
    pub(super) fn formatted(&mut self, parts: &[ExprId]) -> Value {
        let mut known = Value::constant(Constant::Text(String::new()));
        for part in parts {
            let value = self.eval(*part);
            self.show(&value);
            known = joined_text(&known, &value);
        }
        known
    }

    /// The text that a call returns.
    pub(super) fn text_of_call(&self, effect: CallEffect, arguments: &Arguments) -> Value {
        match effect {
            CallEffect::Device => device(arguments),
            CallEffect::EnvironmentOption => {
                let default = self.keyword(arguments, "default");
                environment_option(default.as_ref().or(arguments.positional.get(1)))
            }
            _ => path_of(arguments),
        }
    }
}

/// Two texts, one behind the other. A card by the number of the process is usually the first card.
pub(super) fn joined_text(before: &Value, behind: &Value) -> Value {
    let text = |value: &Value| value.usual_constant().and_then(printed);
    let usual = |text: String| Value::plain(What::Default(Rc::new(Constant::Text(text))));
    match (text(before), text(behind)) {
        (Some(one), Some(other)) if before.as_constant().is_some() && behind.as_constant().is_some() => {
            Value::constant(Constant::Text(one + &other))
        }
        (Some(one), Some(other)) => usual(one + &other),
        (Some(one), None) if one == "cuda:" => usual(one + "0"),
        _ => Value::plain(What::Text),
    }
}

/// A constant as `str` prints it, where that is the same in both languages.
fn printed(constant: &Constant) -> Option<String> {
    match constant {
        Constant::Text(text) => Some(text.clone()),
        Constant::Int(number) => Some(number.to_string()),
        Constant::Float(number) => Some(format!("{number:?}")).filter(|text| !text.contains(['e', 'f', 'N'])),
        Constant::Bool(true) => Some("True".to_owned()),
        Constant::Bool(false) => Some("False".to_owned()),
        Constant::None | Constant::Other => None,
    }
}

/// The device that a name stands for is its name.
fn device(arguments: &Arguments) -> Value {
    match arguments.all().next() {
        Some(name) if name.what.is_text() => name.clone(),
        _ => Value::plain(What::Text),
    }
}

/// What a program reads from the environment is what it says there, and the default where nothing does.
fn environment_option(default: Option<&Value>) -> Value {
    match default.and_then(Value::as_constant) {
        Some(Constant::Text(text)) => Value::plain(What::Default(Rc::new(Constant::Text(text.clone())))),
        _ => Value::plain(What::Text),
    }
}

fn path_of(arguments: &Arguments) -> Value {
    let separator = Value::constant(Constant::Text("/".to_owned()));
    let parts = arguments.positional.iter().filter(|_| arguments.rest.is_empty()).cloned();
    let joined = |before: Value, part: Value| joined_text(&joined_text(&before, &separator), &part);
    parts.reduce(joined).filter(|path| path.what.is_text()).unwrap_or_else(|| Value::plain(What::Text))
}
