//! A Python script as data: lowered syntax, names, values, events. States facts; never judges.

pub mod bindings;
pub mod blocks;
mod carried;
pub mod commands;
pub mod division;
pub mod enclosing;
mod facts;
mod graph;
pub mod handlers;
mod happenings;
pub mod holding;
pub mod imports;
mod interpret;
pub mod library_call;
pub mod link;
mod logits;
pub mod lower;
mod reached;
mod record;
pub mod results;
mod scopes;
pub mod script;
mod stashed;
mod state;
pub mod storage;
pub mod syntax;
#[cfg(test)]
mod tests;
pub mod units;
mod usage;
mod value;
mod visit;
