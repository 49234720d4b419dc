//! The names that a stretch of a program's text mentions, read without its syntax tree.

/// A name in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    /// The name.
    pub(super) name: &'a str,
    /// Whether it is only called, or something of it is: what it stands for stays what it is.
    pub(super) called: bool,
    /// Whether a `global` statement before it on its line names it.
    pub(super) global: bool,
}

/// The names in a text, in order: no attributes, nothing in comments or texts, but what texts with values in them hold.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut reader = Reader { text, at: 0, code_in_text: 0, global: false };
    std::iter::from_fn(move || reader.next_word())
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Where the text with values in it ends that was begun last. The words around the values do no harm.
    code_in_text: usize,
    global: bool,
}

impl<'a> Reader<'a> {
    fn next_word(&mut self) -> Option<Word<'a>> {
        loop {
            let rest = self.text.get(self.at..)?;
            let byte = *rest.as_bytes().first()?;
            let in_text = self.at < self.code_in_text;
            match byte {
                b'#' if !in_text => self.at += rest.find('\n').unwrap_or(rest.len()),
                b'"' | b'\'' if !in_text => self.at += text_length(rest),
                b'\n' => {
                    self.global = false;
                    self.at += 1;
                }
                _ if is_start(byte) => {
                    let length = word_length(rest);
                    let (name, after) = rest.split_at(length);
                    let is_attribute = self.is_behind_dot();
                    self.at += length;
                    if after.starts_with(['"', '\'']) && is_prefix(name) {
                        let end = self.at + text_length(after);
                        if name.contains(['f', 'F', 't', 'T']) {
                            self.code_in_text = self.code_in_text.max(end);
                        } else {
                            self.at = end;
                        }
                    } else if name == "global" {
                        self.global = true;
                    } else if !is_attribute && !byte.is_ascii_digit() {
                        return Some(Word { name, called: is_called(after), global: self.global });
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    fn is_behind_dot(&self) -> bool {
        let before = self.text.get(..self.at).unwrap_or_default().trim_end_matches([' ', '\t']);
        before.ends_with('.') && !before.ends_with("..")
    }
}

/// Whether a text goes on with the arguments of a call, of the thing before it or of an attribute of it.
fn is_called(mut after: &str) -> bool {
    while let Some(rest) = after.strip_prefix('.') {
        after = rest.get(word_length(rest)..).unwrap_or_default();
    }
    after.starts_with('(')
}

fn is_start(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

fn word_length(text: &str) -> usize {
    text.bytes().position(|byte| !is_start(byte)).unwrap_or(text.len())
}

/// Whether a word before a quote belongs to the text.
fn is_prefix(word: &str) -> bool {
    word.len() <= 2 && word.bytes().all(|byte| b"rRbBuUfFtT".contains(&byte))
}

/// The length of the quoted text that another one begins with, with its quotes.
fn text_length(text: &str) -> usize {
    let quote = text.get(..1).unwrap_or_default();
    let triple = quote.repeat(3);
    let (opening, is_long) = if text.starts_with(&triple) { (3, true) } else { (1, false) };
    let mut bytes = text.bytes().enumerate().skip(opening);
    while let Some((index, byte)) = bytes.next() {
        let ends = if is_long {
            text.as_bytes().get(index..).is_some_and(|rest| rest.starts_with(triple.as_bytes()))
        } else {
            Some(byte) == quote.bytes().next()
        };
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'\n' if !is_long => return index,
            _ if ends => return index + opening,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<&str> {
        words(text).map(|word| word.name).collect()
    }

    #[test]
    fn attributes_comments_and_texts_are_no_names() {
        let text = "def f(x):\n    \"\"\"No names here.\"\"\"\n    return self.loss + y  # nor here\n";
        assert_eq!(named(text), ["def", "f", "x", "return", "self", "y"]);
        assert_eq!(named("a = 'it\\'s' + b\"x\" + r'\\d' + b"), ["a", "b"]);
        assert_eq!(named("'unclosed\nb"), ["b"]);
        assert_eq!(named("'''two\nlines''' + c\n1e5 0x1f"), ["c"]);
    }

    #[test]
    fn the_values_in_a_text_are_names() {
        assert_eq!(named("f'{loss:.3f}', a"), ["loss", "a"]);
        assert_eq!(named("f'''{a}\n# {b}\n''' + c\n'd'"), ["a", "b", "c"]);
        assert_eq!(named("f'{x['k']}' + y"), ["x", "k", "y"]);
    }

    #[test]
    fn what_is_only_called_is_told_apart() {
        let called: Vec<bool> = words("f(x) + g.h.i(1) + j.k + l").map(|word| word.called).collect();
        assert_eq!(called, [true, false, true, false, false]);
    }

    #[test]
    fn names_of_global_statements_are_told_apart() {
        let global: Vec<&str> =
            words("global a, b\nc = a").filter(|word| word.global).map(|w| w.name).collect();
        assert_eq!(global, ["a", "b"]);
    }
}
