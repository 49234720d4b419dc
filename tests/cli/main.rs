//! The command line as a person and a shell meet it: the real binary, its output and its exit status.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail")]

mod across_files;
mod estimates;
mod files;
mod fixes;
mod formats;
mod notebooks;
mod order;
mod rules;
mod runs;
mod selection;
mod settings;
mod sharing;
mod showcase;
mod status;
mod support;
mod suppression;
mod surroundings;
