//! A Python script as data: lowered syntax, names, values, events. States facts; never judges.

pub mod lower;
pub mod syntax;
