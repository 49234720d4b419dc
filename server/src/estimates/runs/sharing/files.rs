//! Files beside a script that say how a model is shared.

use std::borrow::Cow;
use std::rc::Rc;

use serde_json::Value;

use crate::estimates::desk::Desk;
use crate::knowledge::Role;
use crate::python::library_call::Known;
use crate::surroundings::is_configuration;

/// The arguments that name such files.
const NAMING: [&str; 5] = ["deepspeed", "fsdp_config", "config", "config_params", "hf_ds_config"];

/// The files that calls name and that were not looked for yet.
pub fn unread(desk: Desk<'_>) -> impl Iterator<Item = String> {
    let telling = |role| matches!(role, Role::TrainingOptions | Role::Sharding | Role::ShardingOptions);
    let calls = desk.calls.iter().filter(move |call| telling(call.role));
    let given = calls.flat_map(|call| NAMING.iter().filter_map(|name| call.arguments.named(name)));
    let named = given.filter_map(|given| given.value.text()).filter(|name| is_configuration(name));
    named.filter(move |name| !desk.surroundings.configurations.contains_key(*name)).map(str::to_owned)
}

/// What a value says: itself, or the file that it names.
pub fn resolved<'a>(value: &'a Known, desk: Desk<'_>) -> Cow<'a, Known> {
    let read = value.text().and_then(|name| desk.surroundings.configurations.get(name)?.as_deref());
    read.map_or(Cow::Borrowed(value), |read| Cow::Owned(known(read)))
}

/// A value of a file as if the script had written it.
fn known(value: &Value) -> Known {
    match value {
        Value::Null => Known::None,
        Value::Bool(value) => Known::Bool(*value),
        Value::Number(number) => {
            let float = || number.as_f64().map_or(Known::Unknown, Known::Float);
            number.as_i64().map_or_else(float, Known::Int)
        }
        Value::String(text) => Known::Text(Rc::from(text.as_str())),
        Value::Array(items) => Known::List(items.iter().map(known).collect()),
        Value::Object(entries) => {
            Known::Table(entries.iter().map(|(key, value)| (Rc::from(key.as_str()), known(value))).collect())
        }
    }
}
