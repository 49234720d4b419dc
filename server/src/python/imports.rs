//! The modules that a script imports, as they are spelled.
//!
//! A relative import keeps its dots. `from pkg import name` may mean the package or a module in it, so it gives both
//! `pkg` and `pkg.name`; `from . import name` gives `.` and `.name`.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use crate::python::syntax::{Module, StmtKind};

/// How many lines one import is taken to have at the most, where its end is not found.
const MAX_LINES: usize = 256;

/// What a module imports, wherever in it, each once, in the order of the text.
pub fn of_module(module: &Module) -> Vec<String> {
    let mut spelled = Spelled::default();
    for (_, stmt) in module.stmts() {
        match &stmt.kind {
            StmtKind::Import(modules) => modules.iter().for_each(|imported| spelled.add(&imported.path)),
            StmtKind::ImportFrom(import) => {
                let from = ".".repeat(import.level as usize) + &import.module;
                spelled.add_names(&from, import.names.iter().map(|(name, _)| module.name(*name)));
            }
            _ => {}
        }
    }
    spelled.in_order
}

/// The modules that surely are imported when a module is: by statements of its top level, in no block. Without the parts
/// that a name imported from a package may be.
pub fn at_top_level(module: &Module) -> impl Iterator<Item = Cow<'_, str>> {
    module.body.iter().flat_map(|stmt| match &module.stmt(*stmt).kind {
        StmtKind::Import(modules) => modules.iter().map(|imported| Cow::from(&imported.path)).collect(),
        StmtKind::ImportFrom(import) if import.level == 0 => vec![Cow::from(&import.module)],
        StmtKind::ImportFrom(import) => vec![Cow::from(import.spelled())],
        _ => Vec::new(),
    })
}

/// What a text seems to import, without parsing it: all that stands on lines of its own. What a text in quotes says may
/// be among it.
pub fn scan(text: &str) -> Vec<String> {
    let mut spelled = Spelled::default();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let line = line.trim_start();
        let is_from = line.starts_with("from ") && line.contains(" import");
        if !line.starts_with("import ") && !is_from {
            continue;
        }
        let mut statement = without_comment(line).to_owned();
        let mut left = MAX_LINES;
        while left > 0
            && goes_on(&statement)
            && let Some(more) = lines.next()
        {
            statement = format!("{} {}", statement.trim_end_matches('\\'), without_comment(more));
            left -= 1;
        }
        statement.split(';').for_each(|statement| spelled.add_statement(statement.trim()));
    }
    spelled.in_order
}

fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or(line).trim_end()
}

/// Whether a statement is continued on the next line.
fn goes_on(statement: &str) -> bool {
    statement.ends_with('\\') || (statement.contains('(') && !statement.contains(')'))
}

/// Imports, each once, in the order in which they were met.
#[derive(Default)]
struct Spelled {
    seen: FxHashSet<String>,
    in_order: Vec<String>,
}

impl Spelled {
    fn add(&mut self, spelled: &str) {
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
        if !spelled.is_empty() && spelled.chars().all(is_name) && self.seen.insert(spelled.to_owned()) {
            self.in_order.push(spelled.to_owned());
        }
    }

    fn add_names<'a>(&mut self, from: &str, names: impl Iterator<Item = &'a str>) {
        self.add(from);
        let joint = if from.ends_with('.') { "" } else { "." };
        names.for_each(|name| self.add(&format!("{from}{joint}{name}")));
    }

    fn add_statement(&mut self, statement: &str) {
        let first_word = |part: &'_ str| part.split_whitespace().next().unwrap_or_default().to_owned();
        if let Some(modules) = statement.strip_prefix("import ") {
            modules.split(',').for_each(|module| self.add(&first_word(module)));
        } else if let Some((from, names)) =
            statement.strip_prefix("from ").and_then(|rest| rest.split_once(" import"))
        {
            let names = names.trim_matches(|letter: char| letter.is_whitespace() || "()".contains(letter));
            let names: Vec<String> = names.split(',').map(first_word).collect();
            self.add_names(
                from.trim(),
                names.iter().map(String::as_str).filter(|name| !name.is_empty() && *name != "*"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use vramlens_grammars::{Document, Source};

    use super::*;
    use crate::python::lower::lower;

    fn parsed(text: &str) -> Vec<String> {
        let document = Document::python(Source::file(text.to_owned()));
        let tree = document.syntax.unwrap_or_else(|limit| panic!("{limit:?}"));
        of_module(&lower(&tree, text))
    }

    #[test]
    fn imports_are_found_with_and_without_parsing() {
        for (text, spelled) in [
            ("import torch\nimport torch.nn as nn, utils", vec!["torch", "torch.nn", "utils"]),
            ("from pkg.model import Net, Loss as L", vec!["pkg.model", "pkg.model.Net", "pkg.model.Loss"]),
            ("from . import model", vec![".", ".model"]),
            ("from ..utils.meters import *", vec!["..utils.meters"]),
            (
                "def f():\n    from a import (  # why\n        b,\n        c as d,\n    )",
                vec!["a", "a.b", "a.c"],
            ),
            ("from a import b, \\\n    c\nimport d; import e", vec!["a", "a.b", "a.c", "d", "e"]),
            ("try:\n    import a\nexcept ImportError:\n    a = None\n    import b\n", vec!["a", "b"]),
            ("import a\nimport a\nfrom a import a", vec!["a", "a.a"]),
            ("from a import(b)", vec!["a", "a.b"]),
        ] {
            assert_eq!(parsed(text), spelled, "{text}");
            assert_eq!(scan(text), spelled, "{text}");
        }
    }

    #[test]
    fn what_is_no_import_gives_nothing() {
        let text = "# import a\nfrom the start (it was\nimportant = 1\nx = 'from a import b'\nfrom\nimport \nimport 'a'\n";
        assert_eq!(scan(text), Vec::<String>::new());
    }

    #[test]
    fn an_import_that_does_not_end_is_left_at_last() {
        let text = format!("from a import (b,\n{}import c\n", "x,\n".repeat(2 * MAX_LINES));
        assert_eq!(scan(&text).last().map(String::as_str), Some("c"));
    }
}
