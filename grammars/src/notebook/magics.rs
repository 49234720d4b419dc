//! `IPython`'s commands in a cell's code, blanked so that the rest is Python and keeps its offsets.

mod lines;

use lines::Lines;

/// Cell magics whose body is Python that runs in the notebook.
const PYTHON_CELL_MAGICS: [&str; 12] = [
    "time",
    "timeit",
    "capture",
    "prun",
    "debug",
    "memit",
    "mprun",
    "lprun",
    "scalene",
    "snakeviz",
    "pyinstrument",
    "wandb",
];

/// Line magics that run the statement after them.
const STATEMENT_MAGICS: [&str; 4] = ["time", "timeit", "prun", "memit"];

/// Statements that cannot follow another on its line.
const COMPOUND: [&str; 9] = ["for", "while", "if", "with", "def", "class", "try", "async", "match"];

/// The code of a cell with the commands in it blanked, byte for byte as long as it was.
pub(super) fn blanked(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some((blank, magic)) = leading_cell_magic(rest) {
        let (head, body) = rest.split_at(blank);
        let name = magic.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        push_blank(head, &mut out);
        if !PYTHON_CELL_MAGICS.contains(&name) {
            push_blank(body, &mut out);
            return out;
        }
        rest = body;
    }
    blank_lines(rest, &mut out);
    out
}

/// The commands of a cell that are blank in `blanked`: where each starts and its line from there on. A cell in another
/// language is one command.
pub(super) fn commands(code: &str, blanked: &str) -> Vec<(usize, String)> {
    let whole = code.trim();
    if whole.starts_with("%%") && blanked.trim().is_empty() {
        return vec![(code.len() - code.trim_start().len(), whole.to_owned())];
    }
    let mut found = Vec::new();
    let mut start = 0;
    for line in code.split_inclusive('\n') {
        let kept = blanked.get(start..start + line.len()).unwrap_or_default();
        let indent = line.len() - line.trim_start().len();
        let command = line.trim();
        if command.starts_with(['%', '!']) && kept.trim() != command {
            found.push((start + indent, command.to_owned()));
        }
        start += line.len();
    }
    found
}

/// The length of the code up to the end of its first line that holds something, when that is a cell
/// magic, and what stands there after the `%%`.
fn leading_cell_magic(code: &str) -> Option<(usize, &str)> {
    let start = code.len() - code.trim_start_matches(['\n', '\r', ' ', '\t']).len();
    let line = code.get(start..)?.split_inclusive('\n').next()?;
    let magic = line.strip_prefix("%%")?;
    let begins_its_line = code.get(..start)?.rsplit('\n').next().is_none_or(str::is_empty);
    begins_its_line.then_some((start + line.len(), magic))
}

fn blank_lines(code: &str, out: &mut String) {
    let mut state = Lines::default();
    let mut in_command = false;
    for line in code.split_inclusive('\n') {
        let written = line.trim_end_matches(['\n', '\r']);
        let indent = written.len() - written.trim_start().len();
        let (margin, command) = written.split_at(indent);
        let starts = state.at_statement() && command.starts_with(['%', '!', '?']);
        if in_command {
            push_blank(line, out);
        } else if starts {
            out.push_str(margin);
            push_command(command, !margin.is_empty(), out);
            push_blank(line.get(written.len()..).unwrap_or(""), out);
        } else {
            push_python(line, &mut state, out);
        }
        in_command = (in_command || starts) && written.ends_with('\\');
    }
}

/// A line of Python, in which a command may be assigned to a name or help be asked for.
fn push_python(line: &str, state: &mut Lines, out: &mut String) {
    let statement = state.at_statement();
    let seen = state.read(line);
    if statement && seen.asks_for_help {
        let indented = line.starts_with([' ', '\t']);
        let text = line.trim();
        let start = line.len() - line.trim_start().len();
        let (margin, rest) = line.split_at(start);
        let (text, end) = rest.split_at(text.len());
        out.push_str(margin);
        push_placeholder(text, if indented { "pass" } else { "" }, out);
        out.push_str(end);
        return;
    }
    match seen.command_at.filter(|_| statement) {
        Some(at) => {
            let (kept, command) = line.split_at(at);
            let text = command.trim_end();
            out.push_str(kept);
            push_placeholder(text, "...", out);
            push_blank(command.get(text.len()..).unwrap_or(""), out);
        }
        None => out.push_str(line),
    }
}

/// A line magic, a shell command or a question. A statement that is timed stays.
fn push_command(command: &str, indented: bool, out: &mut String) {
    if let Some(statement) = timed_statement(command) {
        let (head, kept) = command.split_at(statement);
        push_placeholder(head, "pass;", out);
        out.push_str(kept);
    } else {
        push_placeholder(command, if indented { "pass" } else { "" }, out);
    }
}

/// Where the statement of `%time statement` starts, options left out.
fn timed_statement(command: &str) -> Option<usize> {
    let magic = command.strip_prefix('%')?;
    let name = magic.split_whitespace().next()?;
    if !STATEMENT_MAGICS.contains(&name) {
        return None;
    }
    let mut rest = magic.get(name.len()..)?.trim_start();
    while rest.starts_with('-') {
        rest = after_word(rest);
        let word = rest.split_whitespace().next().unwrap_or("");
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            rest = after_word(rest);
        }
    }
    let word = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    let usable = !rest.is_empty() && !rest.ends_with('\\') && !COMPOUND.contains(&word);
    usable.then_some(command.len() - rest.len())
}

fn after_word(text: &str) -> &str {
    text.find(char::is_whitespace).and_then(|end| text.get(end..)).unwrap_or("").trim_start()
}

/// As many bytes as `text` has: `placeholder`, or a shorter one when it does not fit, and spaces.
fn push_placeholder(text: &str, placeholder: &str, out: &mut String) {
    let placeholder = match placeholder {
        "" => "",
        long if long.len() <= text.len() => long,
        _ => "0",
    };
    let start = out.len();
    out.push_str(placeholder);
    while out.len() - start < text.len() {
        out.push(' ');
    }
}

/// As many bytes as `text` has, with its line ends.
fn push_blank(text: &str, out: &mut String) {
    for byte in text.bytes() {
        out.push(if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { ' ' });
    }
}
