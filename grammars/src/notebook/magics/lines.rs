//! Where statements start: enough of Python's tokens to tell a command from what looks like one inside
//! a string or brackets.

/// What the lines read so far leave open.
#[derive(Default)]
pub(super) struct Lines {
    brackets: u32,
    string: Option<&'static str>,
    continued: bool,
}

/// What a line holds outside strings, comments and brackets.
#[derive(Default)]
pub(super) struct Seen {
    /// Where the command of `name = !command` or `name = %magic` starts.
    pub(super) command_at: Option<usize>,
    /// Whether the line ends with a question mark.
    pub(super) asks_for_help: bool,
}

impl Lines {
    /// Whether the next line starts a statement.
    pub(super) fn at_statement(&self) -> bool {
        self.brackets == 0 && self.string.is_none() && !self.continued
    }

    /// Reads a line.
    pub(super) fn read(&mut self, line: &str) -> Seen {
        let mut seen = Seen::default();
        let mut at = 0;
        self.continued = false;
        while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
            at += match self.string {
                Some(quote) => self.read_in_string(rest, quote),
                None if rest.starts_with('#') => break,
                None => self.read_in_code(rest, at, &mut seen),
            };
        }
        if self.string.is_some_and(|quote| quote.len() == 1) && !self.continued {
            self.string = None;
        }
        seen
    }

    /// Reads one character of a string, and how many bytes that are.
    fn read_in_string(&mut self, rest: &str, quote: &'static str) -> usize {
        if rest.starts_with(quote) {
            self.string = None;
            return quote.len();
        }
        let mut characters = rest.chars();
        let first = characters.next().map_or(0, char::len_utf8);
        if !rest.starts_with('\\') {
            return first;
        }
        self.continued |= rest.get(1..).is_some_and(ends_line);
        first + characters.next().map_or(0, char::len_utf8)
    }

    /// Reads one token, or one character of one, and how many bytes that are.
    fn read_in_code(&mut self, rest: &str, at: usize, seen: &mut Seen) -> usize {
        let opening = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| rest.starts_with(quote));
        if let Some(quote) = opening {
            self.string = Some(quote);
            seen.asks_for_help = false;
            return quote.len();
        }
        let character = rest.chars().next().unwrap_or('\0');
        match character {
            '(' | '[' | '{' => self.brackets += 1,
            ')' | ']' | '}' => self.brackets = self.brackets.saturating_sub(1),
            '\\' => self.continued |= rest.get(1..).is_some_and(ends_line),
            '=' if self.brackets == 0 && seen.command_at.is_none() => {
                let value = rest.get(1..).unwrap_or("").trim_start();
                let is_command = value.starts_with(['!', '%']) && !value.starts_with("!=");
                seen.command_at = is_command.then(|| at + rest.len() - value.len());
            }
            _ => {}
        }
        if !character.is_whitespace() {
            seen.asks_for_help = character == '?';
        }
        character.len_utf8()
    }
}

fn ends_line(text: &str) -> bool {
    text.starts_with(['\n', '\r'])
}
