//! How text becomes syntax: positions, modules made of pieces, parsers, notebooks.
//!
//! This crate knows languages and file formats and nothing of what a program means. Parsing never
//! fails on bad code: it fails only when a document is over a cap, and says which.

pub mod document;
pub mod edit;
pub mod notebook;
pub mod parse;
pub mod source;
pub mod span;

pub use document::Document;
pub use notebook::{Notebook, NotebookError};
pub use parse::ParseLimit;
pub use source::{Command, Location, Piece, Source};
pub use span::Span;
