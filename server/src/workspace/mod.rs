//! What surrounds a document, read from disk by this folder alone.

pub mod files;
pub mod read;
pub mod settings;
pub mod write;
