//! What the commands of a notebook's cells do to the environment of its process.

use vramlens_grammars::{Command, Source, Span};

use crate::knowledge::commands::is_plain;
use crate::python::syntax::{Module, SetVariable, StmtKind};

/// A variable that a command names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellVariable {
    /// The whole command.
    pub span: Span,
    /// How it names it.
    pub how: How,
    /// The variable.
    pub name: String,
    /// Where it is written.
    pub name_span: Span,
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
    /// `export NAME=value` in a cell that is a script of a shell, which ends with the cell.
    ShellCell,
}

/// The magics that set a variable.
const MAGICS: [&str; 2] = ["%env", "%set_env"];
/// The magics of a cell that is a script of a shell.
const SHELL_CELLS: [&str; 3] = ["%%bash", "%%sh", "%%!"];
/// The words of a shell that set one, for the programs it starts.
const SHELL_WORDS: [&str; 2] = ["export", "set"];

/// The variables that the commands of a notebook name, in order.
pub fn variables(source: &Source) -> Vec<CellVariable> {
    source
        .commands()
        .iter()
        .flat_map(|command| exported_in_cell(command).into_iter().chain(variable(command)))
        .collect()
}

/// The variable, and its value, that a line of a shell sets and that nothing else on the line gets.
pub fn exported(line: &str) -> Option<(&str, &str)> {
    let rest = after_word(line, &SHELL_WORDS)?;
    let (name, value) = rest.split_once('=').filter(|(name, _)| is_name(name.trim_end()))?;
    let value = value.trim();
    (!value.contains([';', '&', '|', ' ', '\n'])).then_some((name.trim(), value))
}

/// What a cell that is a script of a shell sets, where it starts no program that gets it.
fn exported_in_cell(command: &Command) -> Vec<CellVariable> {
    let Some((magic, script)) = command.text.split_once('\n') else { return Vec::new() };
    if !SHELL_CELLS.contains(&magic.split_whitespace().next().unwrap_or_default()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut start = command.span.start + length(magic) + 1;
    for line in script.split_inclusive('\n') {
        let code = line.trim();
        let at = start + length(line) - length(line.trim_start());
        start += length(line);
        if code.is_empty() || code.starts_with('#') {
            continue;
        }
        let Some((name, value)) = exported(code) else { return Vec::new() };
        let end = at + length(code);
        found.push(CellVariable {
            span: Span::new(at, end),
            how: How::ShellCell,
            name: name.to_owned(),
            name_span: Span::at(at),
            value: value.to_owned(),
            value_span: Span::new(end - length(value), end),
        });
    }
    found
}

/// Whether a command behind a place starts a program of the shell's that may have a use for variables of PyTorch.
pub fn starts_program(source: &Source, place: u32) -> bool {
    let behind = source.commands().iter().filter(|command| command.span.start >= place);
    let mut lines = behind.filter_map(|command| command.text.strip_prefix('!'));
    lines.any(|line| {
        let words = shlex::split(line).unwrap_or_default();
        !is_plain(&words) && !words.first().is_some_and(|word| SHELL_WORDS.contains(&word.as_str()))
    })
}

/// Adds what the commands of a notebook set in its process to the statements of its module's top level.
pub fn add_to(module: &mut Module, source: &Source) {
    for variable in variables(source).into_iter().filter(|variable| variable.how == How::Magic) {
        let place = module.body.partition_point(|stmt| module.stmt(*stmt).span.start <= variable.span.start);
        let above = place.checked_sub(1).and_then(|above| module.body.get(above));
        if above.is_some_and(|above| module.stmt(*above).span.end > variable.span.start) {
            // It stands in a block, whose way is not known here.
            continue;
        }
        let is_plain = !variable.value.contains(['$', '{', '"', '\'']);
        let set = SetVariable {
            name: variable.name,
            name_span: variable.name_span,
            value: is_plain.then_some(variable.value),
            value_span: variable.value_span,
        };
        let stmt = module.add_stmt(variable.span, StmtKind::SetVariable(set));
        module.body.insert(place, stmt);
    }
}

fn variable(command: &Command) -> Option<CellVariable> {
    let text = command.text.as_str();
    let (how, rest) = match text.strip_prefix('!') {
        Some(line) => (How::Shell, after_word(line, &SHELL_WORDS)?),
        None => (How::Magic, after_word(text, &MAGICS)?),
    };
    let split = |at: char| rest.split_once(at).filter(|(name, _)| is_name(name.trim_end()));
    let (name, value) = match text.strip_prefix('!') {
        // A shell that goes on with something else gives the variable to it.
        Some(line) => exported(line)?,
        None => split('=').or_else(|| split(' '))?,
    };
    let value = value.trim();
    let end = command.span.start + length(text.trim_end());
    let name = name.trim();
    let name_start = end - length(rest.trim_end());
    Some(CellVariable {
        span: command.span,
        how,
        name: name.to_owned(),
        name_span: Span::new(name_start, name_start + length(name)),
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
