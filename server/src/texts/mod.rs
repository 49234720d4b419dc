//! Every sentence a person reads, written once under a key, with named arguments.
//!
//! A second language is a second table, not a rewrite.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// The English table: a key, a tab, the sentence.
const ENGLISH: &str = include_str!("en.tsv");

/// The sentence under `key` with its `{name}` places filled in. An unknown key yields the key itself,
/// so that a slip shows without taking anything down; a test holds the table and the code together.
pub fn text(key: &str, arguments: &[(&str, &str)]) -> String {
    template(key).map_or_else(|| key.to_owned(), |template| fill(template, arguments))
}

/// The sentence under `key` for a number of things. The table may hold two forms, separated by a bar, for
/// one and for any other number; the number is their `{count}`.
pub fn counted(key: &str, count: usize, arguments: &[(&str, &str)]) -> String {
    let Some(forms) = template(key) else { return key.to_owned() };
    let (one, many) = forms.split_once('|').unwrap_or((forms, forms));
    let number = count.to_string();
    let arguments = [&[("count", number.as_str())], arguments].concat();
    fill(if count == 1 { one } else { many }, &arguments)
}

/// Fills the places of a sentence in one pass, so that nothing a user wrote is taken for a place.
fn fill(template: &str, arguments: &[(&str, &str)]) -> String {
    let mut sentence = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        sentence.push_str(before);
        let argument = after.split_once('}').and_then(|(name, after)| {
            let (_, value) = arguments.iter().find(|(given, _)| *given == name)?;
            Some((value, after))
        });
        if let Some((value, after)) = argument {
            sentence.push_str(value);
            rest = after;
        } else {
            sentence.push('{');
            rest = after;
        }
    }
    sentence + rest
}

fn template(key: &str) -> Option<&'static str> {
    static TABLE: LazyLock<FxHashMap<&str, &str>> = LazyLock::new(|| rows().collect());
    TABLE.get(key).copied()
}

/// The rows of the table: a key and its sentence.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    ENGLISH.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
}

/// A text without characters that would move a cursor, colour a terminal, break a line or turn the
/// direction of what follows.
pub fn harmless(text: &str) -> String {
    let is_harmful = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|letter| if is_harmful(letter) { '\u{fffd}' } else { letter }).collect()
}

/// The known names that `written` was most likely meant to be, in a form to read aloud; `None` when
/// nothing comes close.
pub fn nearest<'a>(written: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    const CLOSE: f64 = 0.75;
    let mut close: Vec<(f64, &str)> = known
        .map(|name| (strsim::jaro_winkler(&written.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness >= CLOSE)
        .collect();
    close.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(right.1)));
    let names: Vec<String> = close.iter().take(3).map(|(_, name)| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

#[cfg(test)]
mod tests;
