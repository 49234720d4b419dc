//! Jupyter notebooks: the code of their cells, read without their outputs.
