//! What one text differs from another by: one stretch replaced by another.

use vramlens_grammars::Span;

/// What has to be replaced in `before`, and by what, to make it `after`; `None` when they are the same.
/// Cuts lie between characters, and never between the two halves of a line break.
pub fn difference<'a>(before: &str, after: &'a str) -> Option<(Span, &'a str)> {
    if before == after {
        return None;
    }
    let mut start = common(before.bytes(), after.bytes());
    while splits(before, start) || splits(after, start) {
        start -= 1;
    }
    let (left, right) = (before.get(start..)?, after.get(start..)?);
    let mut tail = common(left.bytes().rev(), right.bytes().rev());
    while splits(left, left.len() - tail) || splits(right, right.len() - tail) {
        tail -= 1;
    }
    let span = Span::new(u32::try_from(start).ok()?, u32::try_from(before.len() - tail).ok()?);
    Some((span, right.get(..right.len() - tail)?))
}

/// How many bytes two texts have in common before they differ.
fn common(left: impl Iterator<Item = u8>, right: impl Iterator<Item = u8>) -> usize {
    left.zip(right).take_while(|(left, right)| left == right).count()
}

/// Whether a cut at `offset` goes through a character, or parts a carriage return from its line feed.
fn splits(text: &str, offset: usize) -> bool {
    let (Some(head), Some(tail)) = (text.get(..offset), text.get(offset..)) else { return true };
    head.ends_with('\r') && tail.starts_with('\n')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_difference_is_small() {
        assert_eq!(difference("abc", "abc"), None);
        assert_eq!(difference("a += b\n", "a += b.item()\n"), Some((Span::at(6), ".item()")));
        assert_eq!(difference("a\r\nb", "a\nb"), Some((Span::new(1, 3), "\n")));
        assert_eq!(difference("aé😀b", "aé😁b"), Some((Span::new(3, 7), "😁")));
        assert_eq!(difference("aa", "aaa"), Some((Span::at(2), "a")));
    }

    proptest! {
        #[test]
        fn the_difference_makes_one_text_the_other(before in "[ab\r\né😀]{0,12}", after in "[ab\r\né😀]{0,12}") {
            let made = match difference(&before, &after) {
                None => before.clone(),
                Some((span, content)) => {
                    let (head, tail) = (before.get(..span.start as usize), before.get(span.end as usize..));
                    format!("{}{content}{}", head.unwrap_or("!"), tail.unwrap_or("!"))
                }
            };
            prop_assert_eq!(made, after);
        }
    }
}
