//! A report as `CommonMark`: no HTML, no tables, no links, and nothing that a name could turn into one.

use crate::report::Report;

/// Begins and ends a block; longer where the block holds as many.
const FENCE: &str = "```";

/// The report as Markdown, without a line end at its end.
pub fn write(report: &Report) -> String {
    let mut blocks = vec![format!("**{}**", inline(&report.headline))];
    let points: Vec<String> = report.points.iter().map(|point| format!("- {}", inline(point))).collect();
    blocks.push(points.join("\n"));
    if !report.block.is_empty() {
        let lines = report.block.join("\n");
        let mut fence = FENCE.to_owned();
        while lines.contains(&fence) {
            fence.push('`');
        }
        blocks.push(format!("{fence}text\n{lines}\n{fence}"));
    }
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n")
}

/// A sentence that reads as it is written: what is in backticks as code, all else literally.
fn inline(sentence: &str) -> String {
    let mut written = String::new();
    let mut rest = sentence;
    while let Some((before, after)) = rest.split_once('`') {
        written += &literal(before, written.is_empty());
        // A backtick that is never closed stands for itself.
        let Some((code, after)) = after.split_once('`').filter(|(code, _)| !code.trim().is_empty()) else {
            written += "\\`";
            rest = after;
            continue;
        };
        written.extend(["`", code, "`"]);
        rest = after;
    }
    let first = written.is_empty();
    written + &literal(rest, first)
}

/// Words in which no letter has a meaning of its own. `first` tells that they begin a line.
fn literal(words: &str, first: bool) -> String {
    let mut written = String::new();
    for (index, letter) in words.char_indices() {
        let (before, after) = words.split_at(index);
        if is_special(letter)
            || is_edge(before, after)
            || is_address(before, after)
            || (first && begins(before, letter))
        {
            written.push('\\');
        }
        written.push(letter);
    }
    written
}

fn is_special(letter: char) -> bool {
    matches!(letter, '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '&' | '|' | '~' | '@' | '!')
}

/// Whether an underscore follows that begins or ends emphasis: inside a word it is one like any other.
fn is_edge(before: &str, after: &str) -> bool {
    let is_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let rest = after.strip_prefix('_');
    rest.is_some_and(|rest| !is_word(before.chars().next_back()) || !is_word(rest.chars().next()))
}

/// Whether what follows would make a link of a bare address.
fn is_address(before: &str, after: &str) -> bool {
    after.starts_with("://") || (after.starts_with('.') && before.to_lowercase().ends_with("www"))
}

/// Whether a letter at the start of a line would begin a heading or a list.
fn begins(before: &str, letter: char) -> bool {
    let is_number = !before.is_empty() && before.chars().all(|letter| letter.is_ascii_digit());
    (before.is_empty() && matches!(letter, '#' | '+' | '-' | '='))
        || (is_number && matches!(letter, '.' | ')'))
}
