use proptest::prelude::*;
use tower_lsp::lsp_types::{Position, Range};

use vramlens_grammars::{Location, Span};

use super::*;
use crate::python::division::tests::padding;
use crate::report;

/// A text whose every `load(...)` has an estimate, shown on `load` and on its argument. One of `unknown`
/// has no amount.
pub fn checked_with_loads(text: &str) -> Checked {
    let uri = Url::parse("file:///a.py").unwrap_or_else(|_| unreachable!());
    let mut checked = OpenDocument::new(text, 1, 0).snapshot().check(uri, Arc::default(), Arc::default());
    let location = |start: usize, end: usize| {
        let [start, end] = [start, end].map(|offset| u32::try_from(offset).unwrap_or(u32::MAX));
        Location { cell: None, span: Span::new(start, end) }
    };
    let estimate = |(start, _): (usize, &str)| {
        let arguments = start + "load(".len();
        let end = text[start..].find(')').map_or(text.len(), |end| start + end);
        let mut estimate = report::tests::llama(location(start, end + 1));
        estimate.hover = vec![location(start, start + "load".len()), location(arguments, end)];
        if text[arguments..end].contains("unknown") {
            estimate.amount = Err("Nothing is known of it.".to_owned());
        }
        estimate
    };
    checked.estimates = text.match_indices("load(").map(estimate).collect();
    checked
}

/// A script's text as somebody types it: whole lines, and pieces of them.
fn typing() -> impl Strategy<Value = Vec<(u32, u32, u32, u32, &'static str)>> {
    let text = prop::sample::select(vec![
        "",
        "\n",
        "    ",
        "(",
        ")",
        "\"\"\"",
        "'",
        ":",
        "#",
        "x",
        ".item()",
        "é😀",
        "\r\n",
        "\\\n",
        "    total_loss += loss\n",
        "def f():\n",
        "for x in y:\n    ",
        "with torch.no_grad():\n",
    ]);
    prop::collection::vec((0u32..14, 0u32..30, 0u32..3, 0u32..8, text), 1..12)
}

const SCRIPT: &str = "\
import torch
model = torch.nn.Linear(10, 2).cuda()
criterion = torch.nn.CrossEntropyLoss()
loader = torch.utils.data.DataLoader(data)
total_loss = 0.0
for x, y in loader:
    loss = criterion(model(x.cuda()), y.cuda())
    loss.backward()
    total_loss += loss
print(total_loss / len(loader))
";

proptest! {
    // Each case is up to twelve analyses and as many again.
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// However a text came about, it is checked as if it had just been opened.
    #[test]
    fn an_edited_document_is_the_same_as_a_fresh_one(edits in typing()) {
        type_into(SCRIPT, edits)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// A long text is checked part by part, and anew only where it changed.
    #[test]
    fn an_edited_long_document_is_the_same_as_a_fresh_one(edits in typing()) {
        let long = format!("import torch\n{FUNCTIONS}{}", padding());
        type_into(&long, edits)?;
    }
}

const FUNCTIONS: &str = "

def train(loader, model, criterion):
    total = 0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        total += loss
    return total


def evaluate(loader, model):
    for x, y in loader:
        print(model(x.cuda()))
";

/// Edits a text, and compares each state with a fresh one.
fn type_into(text: &str, edits: Vec<(u32, u32, u32, u32, &'static str)>) -> Result<(), TestCaseError> {
    let uri = Url::parse("file:///a.py").unwrap_or_else(|_| unreachable!());
    let mut document = OpenDocument::new(text, 1, 0);
    let (settings, surroundings) = (Arc::default(), Arc::default());
    let check = |document: &OpenDocument| {
        document.snapshot().check(uri.clone(), Arc::clone(&settings), Arc::clone(&surroundings))
    };
    for (generation, (line, column, lines, columns, text)) in (1..).zip(edits) {
        document.accept(Arc::new(check(&document)));
        let edit = change((line, column), (line + lines, column + columns), text);
        document.change(&[edit], None, Encoding::Utf16);
        document.renew(generation);
        let edited = check(&document);
        let text = document.snapshot().text.to_string();
        let fresh = check(&OpenDocument::new(&text, 1, 0));
        let syntax =
            |checked: &Checked| checked.document.syntax.clone().map(|tree| tree.root_node().to_sexp());
        prop_assert_eq!(syntax(&edited), syntax(&fresh), "{:?}", text);
        prop_assert_eq!(edited.findings, fresh.findings);
        prop_assert_eq!(edited.estimates, fresh.estimates);
    }
    Ok(())
}

fn change(start: (u32, u32), end: (u32, u32), text: &str) -> TextDocumentContentChangeEvent {
    let range = Range::new(Position::new(start.0, start.1), Position::new(end.0, end.1));
    TextDocumentContentChangeEvent { range: Some(range), range_length: None, text: text.to_owned() }
}

#[test]
fn changes_apply_each_to_what_the_one_before_left() {
    let mut document = OpenDocument::new("a\nb\n", 1, 0);
    document.change(
        &[change((1, 0), (1, 1), "xyz"), change((1, 3), (9, 9), "\r\nw"), change((0, 1), (0, 0), "😀")],
        Some(4),
        Encoding::Utf16,
    );
    let snapshot = document.snapshot();
    assert_eq!((snapshot.text.to_string().as_str(), snapshot.version), ("😀\nxyz\r\nw", 4));
}

#[test]
fn a_change_without_a_range_is_the_whole_text() {
    let mut document = OpenDocument::new("a", 1, 0);
    let whole = TextDocumentContentChangeEvent { range: None, range_length: None, text: "b".to_owned() };
    document.change(&[whole], None, Encoding::Utf8);
    assert_eq!(document.snapshot().text.to_string(), "b");
    assert_eq!(document.snapshot().version, 1);
}

#[test]
fn a_result_for_an_older_state_is_not_current() {
    let mut document = OpenDocument::new("a", 1, 0);
    let uri = Url::parse("file:///a.py").unwrap_or_else(|_| unreachable!());
    let old = document.snapshot().check(uri.clone(), Arc::default(), Arc::default());
    document.renew(1);
    assert!(!document.is_current(&old));
    assert!(document.is_current(&document.snapshot().check(uri, Arc::default(), Arc::default())));
}
