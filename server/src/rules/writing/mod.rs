//! How fixes write: lines, literals, statements and arguments as they stand in the text.

pub mod arguments;
pub mod behind;
pub mod deleting;

pub mod lines;
pub mod literal;
pub mod moving;
pub mod removal;
