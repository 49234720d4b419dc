//! A Python script as data: lowered syntax, names, values, events. States facts; never judges.

pub mod bindings;
pub mod blocks;
mod facts;
mod graph;
mod happenings;
pub mod imports;
mod interpret;
pub mod library_call;
pub mod lower;
mod record;
mod scopes;
pub mod script;
mod state;
pub mod syntax;
#[cfg(test)]
mod tests;
pub mod units;
mod usage;
mod value;
mod visit;
