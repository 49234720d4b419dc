//! Where the lines of a text start. A line ends with a line feed, a carriage return, or both.

use vramlens_grammars::Span;

/// The first byte of every line of one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineStarts {
    starts: Vec<u32>,
    length: u32,
}

impl LineStarts {
    /// Finds the lines of a text.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(index, byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(index + 1) != Some(&b'\n'),
            _ => false,
        });
        let starts = std::iter::once(0).chain(ends.map(|(index, _)| offset(index + 1))).collect();
        Self { starts, length: offset(bytes.len()) }
    }

    /// The line that holds a byte, counted from 0.
    pub fn line(&self, offset: u32) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// The bytes of a line with its line end; empty past the last line.
    pub fn span(&self, line: usize) -> Span {
        let start = |line: usize| self.starts.get(line).copied().unwrap_or(self.length);
        Span::new(start(line), start(line + 1))
    }

    /// The number of lines; a text that ends with a line end has an empty last line.
    pub fn count(&self) -> usize {
        self.starts.len()
    }
}

/// Texts longer than `u32` are refused before they get here.
fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_python_ends_them() {
        let text = "a\nb\r\nc\rd\u{2028}e\u{b}f\n";
        let lines = LineStarts::new(text);
        let texts: Vec<&str> = (0..lines.count()).map(|line| lines.span(line).text(text)).collect();
        assert_eq!(texts, ["a\n", "b\r\n", "c\r", "d\u{2028}e\u{b}f\n", ""]);
        assert_eq!(
            [lines.line(0), lines.line(1), lines.line(2), lines.line(4), lines.line(99)],
            [0, 0, 1, 1, 4]
        );
    }
}
