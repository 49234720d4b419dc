//! Every sentence a person reads, written once under a key, with named arguments.
//!
//! A second language is a second table, not a rewrite.

/// The English table: a key, a tab, the sentence.
const ENGLISH: &str = include_str!("en.tsv");

/// The sentence under `key` with its `{name}` places filled in. An unknown key yields the key itself,
/// so that a slip shows without taking anything down; a test holds the table and the code together.
pub fn text(key: &str, arguments: &[(&str, &str)]) -> String {
    let Some(template) = template(key) else { return key.to_owned() };
    let mut sentence = template.to_owned();
    for (name, value) in arguments {
        sentence = sentence.replace(&format!("{{{name}}}"), value);
    }
    sentence
}

fn template(key: &str) -> Option<&'static str> {
    ENGLISH
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .find(|(candidate, _)| *candidate == key)
        .map(|(_, sentence)| sentence)
}
