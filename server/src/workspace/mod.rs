//! What surrounds a document, read from disk by this folder alone.

mod bounded;
mod configurations;
pub mod files;
pub mod models;
pub mod read;
pub mod settings;
pub mod surroundings;
pub mod units;
pub mod variables;
pub mod versions;
pub mod write;
