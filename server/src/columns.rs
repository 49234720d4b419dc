//! Text in aligned columns.

/// The side of a column that its cells stand at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A line for each row, with two blanks between its columns and none at its end. A column that is empty in
/// every row takes no room.
pub fn aligned<const COLUMNS: usize>(rows: &[[String; COLUMNS]], sides: [Side; COLUMNS]) -> Vec<String> {
    let mut widths = [0; COLUMNS];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let line = |row: &[String; COLUMNS]| {
        let columns = row.iter().zip(widths).zip(sides).filter(|((_, width), _)| *width > 0);
        let cells = columns.map(|((cell, width), side)| match side {
            Side::Left => format!("{cell:<width$}"),
            Side::Right => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_one_another() {
        let rows = [["a", "", "1.5"], ["größer", "", "10"], ["c", "", ""]];
        let lines = aligned(&rows.map(|row| row.map(str::to_owned)), [Side::Left, Side::Left, Side::Right]);
        assert_eq!(lines, ["a       1.5", "größer   10", "c"]);
    }
}
