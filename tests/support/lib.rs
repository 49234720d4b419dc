//! What the black-box tests share: the binary under test and how to run it.
