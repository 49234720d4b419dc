//! Byte ranges, the only positions that exist inside the project.

use std::ops::Range;

/// A half-open range of bytes in one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` to `end`.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The empty range at `offset`.
    pub fn at(offset: u32) -> Self {
        Self { start: offset, end: offset }
    }

    /// Whether `other` lies wholly inside this range.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The text this range covers; empty when the range does not fit the text.
    pub fn text(self, text: &str) -> &str {
        text.get(self.as_range()).unwrap_or("")
    }

    /// The range as `usize`, for slicing.
    pub fn as_range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}
