//! The facts of a script, as the rules read them.
