//! What holds for any text and any edit.

use proptest::prelude::*;
use tree_sitter::Tree;
use vramlens_grammars::{Span, edit, parse};

use crate::python::lower::lower;

const LINES: [&str; 24] = [
    "import torch",
    "def f(a, *b, c=1, **d):",
    "    for x, y in loader:",
    "        total += loss",
    "    return [i for i in x if i]",
    "@decorated(1)",
    "class A(B, metaclass=C):",
    "    async def g(self): yield 1",
    "with a as b, c:",
    "    x = '''text",
    "more''' + f\"{x!r:>{y}}\"",
    "if a and b: pass",
    "elif (n := 1) > 2:",
    "else:",
    "try:",
    "except (A, B) as e:",
    "finally:",
    "match a:",
    "    case Point(x=0, y=b) | [c, *d]:",
    "x = y = model(a, *b, k=1, **c)[1:2, ...]",
    "print 'old'",
    "# é comment",
    "x = {'a': 1, **b} \\",
    "",
];

const PIECES: [&str; 24] = [
    "(", ")", "[", "]", "{", "}", "'", "\"\"\"", "f'{", ":", "\n", "\n    ", "\t", "=", "+=", "x", " ", ".",
    ",", "#", "\\\n", "\r\n", "é", "def ",
];

/// Statements that are whole on their own, so that code made of them has no errors.
const STATEMENTS: [&str; 14] = [
    "import torch",
    "x = 1",
    "def f(a, *b, c=1, **d):\n    for x, y in loader:\n        total += loss\n    return x",
    "@decorated(1)\nclass A(B):\n    # first\n    async def g(self): yield 1\n\n    x: int = 1\n    # last",
    "with a as b, c:\n    pass\n# between",
    "x = '''text\n  more''' + f\"{x!r:>{y}} é\"",
    "if a:\n    b\nelif (n := 1) > 2:\n    c\nelse:\n    d",
    "try:\n    a\nexcept (A, B) as e:\n    b\nfinally:\n    c",
    "match a:\n    case Point(x=0, y=b) | [c, *d]:\n        pass\n    case _:\n        pass",
    "x = model(\n    a,\n    *b,\n    k=1,\n)[1:2, ...]",
    "print(x, [\n    i for i in x\n    if i\n])",
    "x = {'a': 1, **b} \\\n    | c",
    "match = type(print)\ntype = match[x]",
    "",
];

/// What is typed or pasted at the start of a line, mostly without breaking the code.
const LINE_STARTS: [&str; 8] = ["# ", "    ", "\n", "    # é\n", "x = 1\n", "q", "if q:\n", "    pass\n"];

fn clean_code() -> impl Strategy<Value = String> {
    let statement = proptest::sample::select(&STATEMENTS[..]);
    proptest::collection::vec(statement, 1..12).prop_map(|statements| statements.join("\n") + "\n")
}

fn code() -> impl Strategy<Value = String> {
    let line = proptest::sample::select(&LINES[..]);
    proptest::collection::vec(line, 0..30).prop_map(|lines| lines.join("\n"))
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => proptest::sample::select(&PIECES[..]).prop_map(str::to_owned),
        1 => proptest::sample::select(&LINES[..]).prop_map(|line| format!("\n{line}\n")),
        1 => any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

/// A place to edit, in shares of the text's length, and what to put there.
fn edit() -> impl Strategy<Value = (u16, u8, String)> {
    (any::<u16>(), prop_oneof![3 => 0..4_u8, 1 => 0..60_u8], pieces())
}

fn parsed(text: &str, previous: Option<&Tree>) -> Tree {
    let Ok(tree) = parse::python(text, previous) else { panic!("over a cap") };
    tree
}

/// The same place, moved to the start of its line.
fn line_start(text: &str, range: &std::ops::Range<usize>) -> usize {
    text.get(..range.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1)
}

/// The range of `text` that an edit replaces, at whole characters.
fn range(text: &str, place: u16, length: u8) -> std::ops::Range<usize> {
    let whole = |offset: usize| (0..=offset).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let start = whole(text.len() * usize::from(place) / usize::from(u16::MAX));
    start..whole(text.len().min(start + usize::from(length))).max(start)
}

fn check_edits(
    mut text: String,
    edits: Vec<(u16, u8, String)>,
    at: impl Fn(&str, std::ops::Range<usize>) -> std::ops::Range<usize>,
) -> Result<(), TestCaseError> {
    let mut tree = parsed(&text, None);
    for (place, length, replacement) in edits {
        let range = at(&text, range(&text, place, length));
        let span = Span::new(u32::try_from(range.start).unwrap_or(0), u32::try_from(range.end).unwrap_or(0));
        let moved = edit::edited(&tree, &text, span, &replacement);
        text.replace_range(range, &replacement);
        tree = parsed(&text, Some(&moved));
        let fresh = parsed(&text, None);
        prop_assert_eq!(tree.root_node().to_sexp(), fresh.root_node().to_sexp(), "{:?}", &text);
        let (again, once) = (lower(&tree, &text), lower(&fresh, &text));
        prop_assert_eq!(format!("{again:?}"), format!("{once:?}"), "{:?}", &text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_lowered(text in any::<String>()) {
        lower(&parsed(&text, None), &text);
    }

    #[test]
    fn any_pieces_of_code_are_lowered(text in proptest::collection::vec(pieces(), 0..60)) {
        let text = text.concat();
        let module = lower(&parsed(&text, None), &text);
        for (_, expr) in module.exprs() {
            prop_assert!(text.get(expr.span.as_range()).is_some(), "{:?} of {:?}", expr, &text);
        }
        for (_, stmt) in module.stmts() {
            prop_assert!(text.get(stmt.span.as_range()).is_some(), "{:?} of {:?}", stmt, &text);
        }
    }

    #[test]
    fn parsing_after_edits_gives_what_parsing_anew_gives(
        text in code(),
        edits in proptest::collection::vec(edit(), 1..5),
    ) {
        check_edits(text, edits, |_, range| range)?;
    }

    #[test]
    fn so_it_does_in_code_without_errors(
        text in clean_code(),
        edits in proptest::collection::vec(
            (any::<u16>(), 0..6_u8, proptest::sample::select(&LINE_STARTS[..]).prop_map(str::to_owned)),
            1..6,
        ),
    ) {
        // Indentation is taken away at times, and nothing else is.
        check_edits(text, edits, |text, range| {
            let start = line_start(text, &range);
            let indented = range.len() == 4 && text.get(start..).is_some_and(|rest| rest.starts_with("    "));
            start..start + if indented { 4 } else { 0 }
        })?;
    }

    #[test]
    fn so_it_does_when_names_change(
        text in clean_code(),
        edits in proptest::collection::vec((any::<u16>(), 1..2_u8, Just("q".to_owned())), 1..6),
    ) {
        check_edits(text, edits, |text, range| {
            let name = text.get(range.clone()).is_some_and(|replaced| replaced.chars().all(char::is_alphabetic));
            if name { range } else { range.start..range.start }
        })?;
    }
}
