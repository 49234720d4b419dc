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

/// A table whose heading names its columns. A dash stands for what is not known or does not apply.
#[derive(Debug)]
pub struct Headed {
    columns: Vec<&'static str>,
    lines: Vec<&'static str>,
}

/// One row of a table with names for its columns.
#[derive(Clone, Debug)]
pub struct Record {
    columns: &'static [&'static str],
    values: Row,
}

impl Headed {
    /// The table in a text. Only the lines are found now; a row is split when it is asked for.
    pub fn new(text: &'static str) -> Self {
        let heading = text.lines().next().unwrap_or_default();
        let columns = heading.trim_start_matches(['#', ' ']).split('\t').collect();
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        Self { columns, lines }
    }

    /// The first column of every row, in order.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.lines.iter().filter_map(|line| line.split('\t').next())
    }

    /// The row at a place in the order.
    pub fn record(&'static self, place: usize) -> Option<Record> {
        let line = self.lines.get(place)?;
        Some(Record { columns: &self.columns, values: Row(line.split('\t').collect()) })
    }

    /// Every row, in order.
    pub fn records(&'static self) -> impl Iterator<Item = Record> {
        (0..self.lines.len()).filter_map(|place| self.record(place))
    }
}

impl Record {
    /// What a column says; `None` for a dash.
    pub fn value(&self, column: &str) -> Option<&'static str> {
        let place = self.columns.iter().position(|name| *name == column)?;
        self.values.get(place).filter(|value| *value != "-")
    }

    /// The number in a column.
    pub fn number(&self, column: &str) -> Option<u64> {
        self.value(column)?.parse().ok()
    }

    /// The values of a column with several, separated by semicolons.
    pub fn list(&self, column: &str) -> impl Iterator<Item = &'static str> + use<> {
        self.value(column).into_iter().flat_map(|value| value.split(';'))
    }

    /// The columns as they are written.
    #[cfg(test)]
    pub fn row(&self) -> &Row {
        &self.values
    }
}
