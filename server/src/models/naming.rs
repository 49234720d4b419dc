//! What a model's name says: how it is stored, which other name it was made from, how large it is.
