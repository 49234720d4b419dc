//! What the syntax of a training or serving script means for GPU memory, and everything said about it.

pub mod analysis;
#[cfg(test)]
mod annotations;
pub mod cli;
mod columns;
pub mod estimate;
pub mod estimates;
#[cfg(feature = "fault-injection")]
pub mod faults;
pub mod finding;
pub mod fixes;
pub mod knowledge;
pub mod lines;
pub mod lsp;
pub mod memory;
mod merging;
pub mod models;
pub mod python;
pub mod report;
pub mod rules;
pub mod settings;
pub mod suppression;
pub mod surroundings;
mod table;
pub mod texts;
pub mod versions;
pub mod workspace;
