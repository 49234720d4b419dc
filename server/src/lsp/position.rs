//! Byte offsets to protocol positions and back: the one place where the two meet.
//!
//! Lines end where the protocol says: at LF, CRLF or CR, and nowhere else. Whatever a client sends is
//! clamped to the text: past the end of a line is its end, past the last line is the end of the text,
//! and inside a character is its start.

use ropey::{Rope, RopeSlice};
use tower_lsp::lsp_types::{Position, PositionEncodingKind, Range};
use vramlens_grammars::Span;

/// What a position's `character` counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units; what a client means that says nothing.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

impl Encoding {
    /// The best encoding a client offers: the cheaper it is for us, the better.
    pub fn negotiate<'a>(offered: impl IntoIterator<Item = &'a str>) -> Self {
        let rank = |encoding: &Self| match encoding {
            Self::Utf8 => 0,
            Self::Utf32 => 1,
            Self::Utf16 => 2,
        };
        offered.into_iter().filter_map(Self::named).min_by_key(rank).unwrap_or_default()
    }

    fn named(name: &str) -> Option<Self> {
        match name {
            "utf-8" => Some(Self::Utf8),
            "utf-16" => Some(Self::Utf16),
            "utf-32" => Some(Self::Utf32),
            _ => None,
        }
    }

    /// Its name in the protocol.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// The byte offset of a position, clamped to the text.
    pub fn offset(self, text: &Rope, position: Position) -> usize {
        let line = position.line as usize;
        let (Some(content), Ok(start)) =
            (text.get_line(line).map(without_break), text.try_line_to_byte(line))
        else {
            return text.len_bytes();
        };
        let column = position.character as usize;
        let characters = match self {
            Self::Utf8 => content.try_byte_to_char(column),
            Self::Utf16 => content.try_utf16_cu_to_char(column),
            Self::Utf32 => Ok(column),
        };
        let within = characters.and_then(|characters| content.try_char_to_byte(characters));
        start + within.unwrap_or(content.len_bytes())
    }

    /// The position of a byte offset, clamped to the text.
    pub fn position(self, text: &Rope, offset: usize) -> Position {
        let offset = offset.min(text.len_bytes());
        let line = text.byte_to_line(offset);
        let content = without_break(text.line(line));
        let within = (offset - text.line_to_byte(line)).min(content.len_bytes());
        let characters = content.byte_to_char(within);
        let column = match self {
            Self::Utf8 => content.char_to_byte(characters),
            Self::Utf16 => content.char_to_utf16_cu(characters),
            Self::Utf32 => characters,
        };
        Position::new(number(line), number(column))
    }

    /// The byte range of a range, clamped to the text; a backwards range is turned round.
    pub fn span(self, text: &Rope, range: Range) -> Span {
        let (start, end) = (self.offset(text, range.start), self.offset(text, range.end));
        Span::new(number(start.min(end)), number(start.max(end)))
    }

    /// The range of a byte range.
    pub fn range(self, text: &Rope, span: Span) -> Range {
        Range::new(self.position(text, span.start as usize), self.position(text, span.end as usize))
    }
}

/// A line without the break that ends it.
fn without_break(line: RopeSlice<'_>) -> RopeSlice<'_> {
    let mut length = line.len_chars();
    for ending in ['\n', '\r'] {
        if length > 0 && line.char(length - 1) == ending {
            length -= 1;
        }
    }
    line.slice(..length)
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ENCODINGS: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    /// Text with everything that has ever broken a position.
    fn awkward_text() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "a",
            "loss",
            " ",
            "\t",
            "é",
            "e\u{301}",
            "損失",
            "😀",
            "👩‍🔬",
            "\n",
            "\r\n",
            "\r",
            "\u{2028}",
            "\u{2029}",
            "\u{85}",
            "\u{b}",
            "\u{c}",
            "\u{feff}",
            "\0",
        ]);
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    /// The position of an offset worked out the slow way, from the protocol's words alone.
    fn slow_position(text: &str, offset: usize, encoding: Encoding) -> Position {
        let (mut line, mut column) = (0, 0);
        let mut rest = text.char_indices().peekable();
        while let Some((at, character)) = rest.next() {
            if at >= offset {
                break;
            }
            let breaks =
                character == '\n' || character == '\r' && rest.peek().is_none_or(|next| next.1 != '\n');
            if breaks {
                (line, column) = (line + 1, 0);
            } else if character != '\r' {
                column += match encoding {
                    Encoding::Utf8 => character.len_utf8(),
                    Encoding::Utf16 => character.len_utf16(),
                    Encoding::Utf32 => 1,
                };
            }
        }
        Position::new(line, number(column))
    }

    fn inside_crlf(text: &str, offset: usize) -> bool {
        text.get(..offset).is_some_and(|head| head.ends_with('\r'))
            && text.get(offset..).is_some_and(|tail| tail.starts_with('\n'))
    }

    proptest! {
        #[test]
        fn positions_are_what_the_protocol_says_and_round_trip(text in awkward_text()) {
            let rope = Rope::from_str(&text);
            for encoding in ENCODINGS {
                let boundaries = (0..=text.len()).filter(|at| text.is_char_boundary(*at));
                for offset in boundaries.filter(|at| !inside_crlf(&text, *at)) {
                    let position = encoding.position(&rope, offset);
                    prop_assert_eq!(position, slow_position(&text, offset, encoding));
                    prop_assert_eq!(encoding.offset(&rope, position), offset);
                }
            }
        }

        #[test]
        fn any_position_lands_on_a_character(text in awkward_text(), line in 0u32..50, column in any::<u32>()) {
            let rope = Rope::from_str(&text);
            for encoding in ENCODINGS {
                for column in [column, column % 8] {
                    let offset = encoding.offset(&rope, Position::new(line, column));
                    prop_assert!(text.is_char_boundary(offset));
                    prop_assert!(offset <= text.len());
                }
            }
        }

        #[test]
        fn any_offset_has_a_position(text in awkward_text(), offset in 0usize..400) {
            let rope = Rope::from_str(&text);
            for encoding in ENCODINGS {
                let position = encoding.position(&rope, offset);
                prop_assert!((position.line as usize) < rope.len_lines());
            }
        }
    }

    #[test]
    fn half_a_surrogate_pair_is_its_start() {
        let rope = Rope::from_str("a😀b");
        assert_eq!(Encoding::Utf16.offset(&rope, Position::new(0, 2)), 1);
        assert_eq!(Encoding::Utf16.offset(&rope, Position::new(0, 3)), 5);
    }

    #[test]
    fn the_cheapest_encoding_offered_is_taken() {
        assert_eq!(Encoding::negotiate(["utf-16", "utf-32", "utf-8"]), Encoding::Utf8);
        assert_eq!(Encoding::negotiate(["utf-16", "utf-32"]), Encoding::Utf32);
        assert_eq!(Encoding::negotiate(["utf-7"]), Encoding::Utf16);
        assert_eq!(Encoding::negotiate([]), Encoding::Utf16);
    }
}
