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

/// The sentence under `key` for a number of things. The table may hold two forms, separated by a bar, for
/// one and for any other number; the number is their `{count}`.
pub fn counted(key: &str, count: usize, arguments: &[(&str, &str)]) -> String {
    let number = count.to_string();
    let forms = text(key, &[&[("count", number.as_str())], arguments].concat());
    let (one, many) = forms.split_once('|').unwrap_or((&forms, &forms));
    if count == 1 { one.to_owned() } else { many.to_owned() }
}

fn template(key: &str) -> Option<&'static str> {
    ENGLISH
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .find(|(candidate, _)| *candidate == key)
        .map(|(_, sentence)| sentence)
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
