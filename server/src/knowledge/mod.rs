//! What libraries do, as tables.
