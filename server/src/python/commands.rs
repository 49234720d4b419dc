//! What the commands of a notebook's cells do to the environment of its process.

use vramlens_grammars::{Command, Source, Span};

/// A variable that a command names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellVariable {
    /// The whole command.
    pub span: Span,
    /// How it names it.
    pub how: How,
    /// The variable.
    pub name: String,
    /// Its value as written.
    pub value: String,
    /// Where the value is written.
    pub value_span: Span,
}

/// How a command names a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// `%env NAME=value`: sets it in the notebook's process.
    Magic,
    /// `!export NAME=value`: sets it in a shell that ends with the line.
    Shell,
}

/// The magics that set a variable.
const MAGICS: [&str; 2] = ["%env", "%set_env"];
/// The words of a shell that set one, for the programs it starts.
const SHELL_WORDS: [&str; 2] = ["export", "set"];

/// The variables that the commands of a notebook name, in order.
pub fn variables(source: &Source) -> Vec<CellVariable> {
    source.commands().iter().filter_map(variable).collect()
}

fn variable(command: &Command) -> Option<CellVariable> {
    let text = command.text.as_str();
    let (how, rest) = match text.strip_prefix('!') {
        Some(line) => (How::Shell, after_word(line, &SHELL_WORDS)?),
        None => (How::Magic, after_word(text, &MAGICS)?),
    };
    let split = |at: char| rest.split_once(at).filter(|(name, _)| is_name(name.trim_end()));
    let (name, value) = match how {
        How::Shell => split('=')?,
        How::Magic => split('=').or_else(|| split(' '))?,
    };
    let value = value.trim();
    // A shell that goes on with something else gives the variable to it.
    if how == How::Shell && value.contains([';', '&', '|', ' ']) {
        return None;
    }
    let end = command.span.start + length(text.trim_end());
    Some(CellVariable {
        span: command.span,
        how,
        name: name.trim().to_owned(),
        value: value.to_owned(),
        value_span: Span::new(end - length(value), end),
    })
}

/// What stands behind one of these words at the start of a text.
fn after_word<'a>(text: &'a str, words: &[&str]) -> Option<&'a str> {
    let text = text.trim_start();
    let rest = words.iter().find_map(|word| text.strip_prefix(word))?;
    rest.starts_with([' ', '\t']).then(|| rest.trim_start())
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn length(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}
