//! Tables of text: a line a row, tabs between columns, `#` before a heading.

/// One row of a table.
#[derive(Clone, Debug)]
pub struct Row(Vec<&'static str>);

impl Row {
    /// The first column: what the row is about.
    pub fn first(&self) -> Option<&'static str> {
        self.get(0)
    }

    /// A column by its place.
    pub fn get(&self, column: usize) -> Option<&'static str> {
        self.0.get(column).copied()
    }

    /// The number of columns.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// All columns.
    #[cfg(test)]
    pub fn columns(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().copied()
    }
}

/// The rows of a table.
pub fn rows(table: &'static str) -> impl Iterator<Item = Row> {
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| Row(line.split('\t').collect()))
}
