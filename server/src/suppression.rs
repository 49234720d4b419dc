//! Comments by which a person says that a finding is meant to be.
//!
//! `# vramlens: ignore` and `# noqa` silence all codes on their line, `# vramlens: ignore[OOM101]` and
//! `# noqa: OOM101` the codes they name; a prefix of a code stands for all that start with it.
//! `ignore` on a line of its own counts for the next line of code, `ignore-file` on a line of its own
//! for the whole module.

use std::collections::HashMap;

use vramlens_grammars::Span;

use crate::lines::LineStarts;
use crate::python::syntax::Comment;

/// What a module's comments silence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suppressions {
    lines: LineStarts,
    file: Codes,
    by_line: HashMap<usize, Codes>,
}

/// The codes a comment silences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Codes {
    all: bool,
    prefixes: Vec<String>,
}

/// What a comment says to us.
#[derive(Debug, PartialEq, Eq)]
enum Directive {
    /// Silences codes on one line.
    Line(Codes),
    /// Silences codes on one line, in the words that other linters share.
    Noqa(Codes),
    /// Silences codes in the whole module.
    File(Codes),
}

/// The word that silences a whole module.
const IGNORE_FILE: &str = "ignore-file";

/// Whether a comment of a text may silence all of it.
pub fn may_silence_file(text: &str) -> bool {
    text.contains(IGNORE_FILE)
}

impl Suppressions {
    /// Reads a module's comments. `text` is the module's text.
    pub fn collect(text: &str, comments: &[Comment]) -> Self {
        let said: Vec<(&Comment, Directive)> = comments
            .iter()
            .flat_map(|comment| {
                directives(comment.span.text(text)).map(move |directive| (comment, directive))
            })
            .collect();
        if said.is_empty() {
            // Hardly any file says something to us: its lines need not be found.
            return Self::default();
        }
        let mut suppressions = Self { lines: LineStarts::new(text), ..Self::default() };
        for (comment, directive) in said {
            let line = suppressions.lines.line(comment.span.start);
            suppressions.obey(directive, text, (line, comment.own_line));
        }
        suppressions
    }

    /// Does what a comment says. `place` is its line, and whether it has the line for itself.
    fn obey(&mut self, directive: Directive, text: &str, place: (usize, bool)) {
        match (directive, place) {
            (Directive::File(codes), (_, true)) => self.file.add(codes),
            (Directive::Line(codes), (line, true)) => {
                let next = self.next_line_of_code(text, line);
                self.add(next, codes);
            }
            // At the end of a line the person means that line, whatever they wrote.
            (Directive::File(codes) | Directive::Noqa(codes) | Directive::Line(codes), (line, _)) => {
                self.add(line, codes);
            }
        }
    }

    /// Whether a finding with this code, at this place in the module, is silenced: by the file, or on
    /// its first or last line.
    pub fn suppresses(&self, code: &str, span: Span) -> bool {
        let last = span.end.saturating_sub(1).max(span.start);
        let on = |offset| self.by_line.get(&self.lines.line(offset)).is_some_and(|codes| codes.hold(code));
        self.file.hold(code) || on(span.start) || on(last)
    }

    fn add(&mut self, line: usize, codes: Codes) {
        self.by_line.entry(line).or_default().add(codes);
    }

    /// The first line below `line` that is neither empty nor only a comment.
    fn next_line_of_code(&self, text: &str, line: usize) -> usize {
        let is_code = |line: &usize| {
            let content = self.lines.span(*line).text(text).trim();
            !content.is_empty() && !content.starts_with('#')
        };
        (line + 1..self.lines.count()).find(is_code).unwrap_or(line)
    }
}

impl Codes {
    fn all() -> Self {
        Self { all: true, prefixes: Vec::new() }
    }

    /// Codes separated by commas or white space. An empty list silences nothing.
    fn listed(list: &str) -> Self {
        let codes = list.split(|mark: char| mark == ',' || mark.is_whitespace());
        let codes = codes.filter(|code| !code.is_empty()).map(str::to_ascii_uppercase);
        Self { all: false, prefixes: codes.collect() }
    }

    fn add(&mut self, other: Codes) {
        self.all |= other.all;
        self.prefixes.extend(other.prefixes);
    }

    fn hold(&self, code: &str) -> bool {
        self.all || self.prefixes.iter().any(|prefix| code.starts_with(prefix.as_str()))
    }
}

/// Reads one comment, from its `#` to the end of the line. A comment may hold several remarks, each
/// after its own `#`.
fn directives(comment: &str) -> impl Iterator<Item = Directive> {
    comment.split('#').filter_map(|remark| {
        let remark = remark.trim();
        ours(remark).or_else(|| noqa(remark))
    })
}

/// Where one more code can be added to a comment that silences its line: at the end of its list.
pub fn list_end(comment: &str) -> Option<usize> {
    let mut start = 0;
    comment.split('#').find_map(|remark| {
        let silences = matches!(ours(remark.trim()), Some(Directive::Line(_)));
        let end = remark.find(']').filter(|_| silences).map(|end| start + end);
        start += remark.len() + 1;
        end
    })
}

fn ours(remark: &str) -> Option<Directive> {
    let said = strip_word(remark, "vramlens")?.trim_start().strip_prefix(':')?.trim_start();
    let (file, rest) = match strip_word(said, IGNORE_FILE) {
        Some(rest) => (true, rest),
        None => (false, strip_word(said, "ignore")?),
    };
    let codes = match rest.trim_start().strip_prefix('[') {
        Some(list) => Codes::listed(list.split_once(']')?.0),
        None if rest.is_empty() || rest.starts_with(char::is_whitespace) => Codes::all(),
        None => return None,
    };
    Some(if file { Directive::File(codes) } else { Directive::Line(codes) })
}

fn noqa(remark: &str) -> Option<Directive> {
    let rest = strip_word(remark, "noqa")?;
    let codes = match rest.trim_start().strip_prefix(':') {
        Some(list) => Codes::listed(&codes_at_start(list)),
        None if rest.is_empty() || rest.starts_with(char::is_whitespace) => Codes::all(),
        None => return None,
    };
    Some(Directive::Noqa(codes))
}

/// The codes a list starts with; the reason a person gives behind them is not one.
fn codes_at_start(list: &str) -> String {
    let words = list.split(|mark: char| mark == ',' || mark.is_whitespace());
    let codes = words.filter(|word| !word.is_empty()).take_while(|word| {
        let digits = word.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        !digits.is_empty() && digits.len() < word.len() && digits.chars().all(|digit| digit.is_ascii_digit())
    });
    codes.collect::<Vec<_>>().join(" ")
}

/// What follows `word`, in any case, at the start of `text`.
fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word).then_some(rest)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail")]
mod tests {
    use super::*;

    /// Reads `text`, in which every `#` starts a comment unless another one stands before it.
    fn collect(text: &str) -> Suppressions {
        let mut comments = Vec::new();
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            if let Some(hash) = line.find('#') {
                let span = Span::new(offset + count(hash), offset + count(line.trim_end().len()));
                comments.push(Comment { span, own_line: line[..hash].trim().is_empty() });
            }
            offset += count(line.len());
        }
        Suppressions::collect(text, &comments)
    }

    fn count(bytes: usize) -> u32 {
        u32::try_from(bytes).unwrap()
    }

    /// Whether a finding that covers `code` in `text` is silenced.
    fn silences(text: &str, code: &str) -> bool {
        let start = text.find("total += loss").unwrap();
        let span = Span::new(count(start), count(start + "total += loss".len()));
        collect(text).suppresses(code, span)
    }

    #[test]
    fn a_comment_at_the_end_of_the_line_silences_it() {
        for comment in [
            "# vramlens: ignore",
            "# vramlens: ignore[OOM101]",
            "#vramlens:ignore[ oom101 , OOM202 ]",
            "# VRAMlens : Ignore [OOM1]",
            "# type: ignore # vramlens: ignore[OOM101] wanted here",
            "# noqa: E501  # vramlens: ignore[OOM101]",
            "# vramlens: ignore[OOM102]  # vramlens: ignore[OOM101]",
            "# noqa",
            "# noqa: OOM101",
            "#NOQA:E501,OOM101 because it is small",
            "# noqa : OOM1",
            "# vramlens: ignore-file[OOM101]",
        ] {
            assert!(silences(&format!("total += loss  {comment}\n"), "OOM101"), "{comment}");
        }
    }

    #[test]
    fn other_comments_and_other_codes_do_not() {
        for comment in [
            "# vramlens: ignore[OOM102]",
            "# vramlens: ignore[]",
            "# vramlens: ignore[OOM101",
            "# vramlens: ignored",
            "# vramlens ignore",
            "# noqa: E501",
            "# noqa: E501 not for OOM101",
            "# noqa:",
            "# noqaOOM101",
            "# ignore[OOM101]",
        ] {
            assert!(!silences(&format!("total += loss  {comment}\n"), "OOM101"), "{comment}");
        }
    }

    #[test]
    fn a_comment_of_its_own_counts_for_the_next_line_of_code() {
        let below = "# vramlens: ignore[OOM101]\n\n# because\n    total += loss\n";
        assert!(silences(below, "OOM101"));
        assert!(!silences(&below.replace("total", "x = 1\ntotal"), "OOM101"));
        assert!(!silences("total += loss\n# vramlens: ignore\n", "OOM101"));
        assert!(!silences("# noqa\ntotal += loss\n", "OOM101"));
    }

    #[test]
    fn a_comment_for_the_file_counts_everywhere() {
        assert!(silences("x = 1\n# vramlens: ignore-file\ntotal += loss\n", "OOM101"));
        assert!(silences("# vramlens: ignore-file[OOM1]\ntotal += loss\n", "OOM102"));
        assert!(!silences("# vramlens: ignore-file[OOM2]\ntotal += loss\n", "OOM101"));
        assert!(!silences("x = 1  # vramlens: ignore-file\ntotal += loss\n", "OOM101"));
    }

    #[test]
    fn the_first_and_the_last_line_of_a_finding_count() {
        let text =
            "call(  # vramlens: ignore[A]\n  1,  # vramlens: ignore[B]\n)  # noqa: C1\nx = 2  # noqa\n";
        let suppressions = collect(text);
        let span = Span::new(0, count(text.find(')').unwrap() + 1));
        let silenced = |code| suppressions.suppresses(code, span);
        assert_eq!(
            [silenced("A1"), silenced("B1"), silenced("C1"), silenced("D1")],
            [true, false, true, false]
        );
        // A range that ends with its line's end does not reach into the next line.
        let first_line = Span::new(0, count(text.find("  1").unwrap()));
        assert!(!suppressions.suppresses("B1", first_line));
    }

    #[test]
    fn every_kind_of_line_end_counts() {
        assert!(silences("x = 1\r\ntotal += loss  # noqa\r\ny = 2\r\n", "OOM101"));
        assert!(!silences("x = 1  # noqa\r\ntotal += loss\r\n", "OOM101"));
    }
}
