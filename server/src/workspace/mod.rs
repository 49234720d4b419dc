//! What surrounds a document, read from disk by this folder alone.

pub mod settings;
