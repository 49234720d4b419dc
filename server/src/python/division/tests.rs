use vramlens_grammars::{Document, Source};

use super::*;

/// Functions that have nothing to do with anything, so long that a text is divided.
pub(crate) fn padding() -> String {
    let words = "    Joins what is on the left with what is on the right.\n".repeat(60);
    let function = |index: usize| {
        let (name, left, right) =
            (format!("padding_{index}"), format!("left_{index}"), format!("right_{index}"));
        format!(
            "\n\ndef {name}({left}, {right}):\n    \"\"\"\n{words}    \"\"\"\n    return {left} + {right}\n"
        )
    };
    (0..12).map(function).collect()
}

fn divided(text: &str) -> Vec<Part> {
    let syntax = Document::python(Source::file(text.to_owned())).syntax;
    syntax.map(|tree| divide(&tree, text)).unwrap_or_default()
}

/// What each part has of a text that is followed by functions that have nothing to do with it.
fn parts_of(text: &str) -> Vec<String> {
    let long = text.to_owned() + &padding();
    let of_text = |part: Part| -> String {
        let own = part.own.into_iter().filter(|span| (span.start as usize) < text.len());
        own.map(|span| span.text(&long)).collect()
    };
    divided(&long).into_iter().map(of_text).collect()
}

/// Whether the functions `f` and `g` of a text are in one part.
#[track_caller]
fn check(text: &str, together: bool) {
    let parts = parts_of(text);
    assert!(!parts.is_empty(), "not divided: {text}");
    let found = parts.iter().any(|part| part.contains("def f(") && part.contains("def g("));
    assert_eq!(found, together, "{text}\n{parts:#?}");
}

/// `f` and `g`, each with a line of its own, below the top of a file.
fn two(top: &str, in_f: &str, in_g: &str) -> String {
    // The name of the function between them ends a part.
    let between = "def d():\n    pass\n";
    format!("{top}\n\n\ndef f(x):\n    {in_f}\n\n\n{between}\n\ndef g(y):\n    {in_g}\n")
}

#[test]
fn functions_that_share_nothing_are_apart() {
    check(&two("import torch", "return torch.ones(x)", "return torch.ones(y)"), false);
}

#[test]
fn a_function_is_with_what_it_mentions() {
    check(&two("", "return g(x)", "return y"), true);
    check(&two("", "return f'{g(x)}'", "return y"), true);
    check(&two("", "return x.g", "return y"), false);
    check(&two("", "return 'g'  # g", "return y"), false);
}

#[test]
fn what_can_change_holds_together_who_shares_it() {
    check(&two("losses = []", "losses.append(x)", "losses.clear()"), true);
    check(&two("model = make()", "return model(x)", "return model"), true);
    check(&two("best = 0", "global best; best = x", "return best"), true);
    check(&two("from state import model", "return model", "return model"), true);
    check(&two("for i in range(3):\n    held = i", "return held", "return held"), true);
    check(&two("first, *rest = load()", "return rest", "return rest"), true);
}

#[test]
fn what_stays_as_it_is_does_not() {
    check(&two("BATCH = 4", "return BATCH", "return BATCH"), false);
    check(&two("import torch\nDEVICE = torch.device('cuda')", "x.to(DEVICE)", "y.to(DEVICE)"), false);
    check(&two("try:\n    import apex\nexcept ImportError:\n    apex = None", "apex.f()", "apex.g()"), false);
    check(&two("import os\nHOME = os.environ.get('HOME')", "return HOME", "return HOME"), false);
    check(&two("from meters import AverageMeter", "AverageMeter()", "AverageMeter()"), false);
    check(&two("from engine import evaluate", "evaluate(x)", "evaluate(y)"), false);
}

#[test]
fn what_is_made_of_something_that_can_change_can_change() {
    check(&two("model = make()\nother = model", "return other", "return other"), true);
}

#[test]
fn all_parts_are_shown_imports_and_settings_and_no_work() {
    let top = "import os\nos.environ['A'] = '1'\nmodel = make()\nmodel.fit()";
    let text = two(top, "return x", "return y") + &padding();
    let parts = divided(&text);
    assert!(parts.len() > 2);
    for part in parts.iter().skip(1) {
        let shown: String = part.shown.iter().map(|span| span.text(&text)).collect();
        assert!(shown.starts_with("import os\nos.environ['A'] = '1'\n"), "{shown}");
        assert!(!shown.contains("make") && !shown.contains("fit"), "{shown}");
    }
}

#[test]
fn every_byte_belongs_to_one_part() {
    let top = "'What it is.'\nimport os  # noqa\n\n# A comment.\nx = 1; y = 2";
    let text = two(top, "return x", "return y") + &padding();
    let mut own: Vec<Span> = divided(&text).into_iter().flat_map(|part| part.own).collect();
    own.sort_by_key(|span| span.start);
    let end = u32::try_from(text.len()).unwrap_or(0);
    let starts: Vec<u32> = own.iter().map(|span| span.start).chain([end]).collect();
    let ends: Vec<u32> = [0].into_iter().chain(own.iter().map(|span| span.end)).collect();
    assert_eq!(starts, ends);
}

#[test]
fn short_texts_and_texts_that_define_little_are_not_divided() {
    let short = two("", "return x", "return y");
    assert!(divided(&short).is_empty());
    assert!(divided(&("x = load()\nx.run()\n".repeat(2_000) + &short)).is_empty());
    assert!(!divided(&(short + &padding())).is_empty());
}

#[test]
fn a_text_with_all_names_of_another_file_is_not_divided() {
    let text = |top: &str| two(top, "return x", "return y") + &padding();
    assert!(divided(&text("from state import *")).is_empty());
    assert!(!divided(&text("from torch.nn import *")).is_empty());
}

/// Reading it twice at each sign would take longer than anybody waits.
#[test]
fn a_long_sum_at_the_top_is_read_once() {
    let sum = "total = load()".to_owned() + &" + 1".repeat(200);
    check(&two(&sum, "return total", "return total"), true);
    check(&two(&sum, "return x", "return y"), false);
}

#[test]
fn an_edit_leaves_the_parts_behind_it_as_they_are() {
    let text = two("", "return x", "return y") + &padding();
    let edited = text.replacen("return x\n", "return x\n\n\ndef added():\n    return 2\n", 1);
    assert_ne!(text, edited);
    let owned = |text: &str| -> Vec<String> {
        let own = |part: Part| part.own.iter().map(|span| span.text(text)).collect();
        divided(text).into_iter().map(own).collect()
    };
    let (before, after) = (owned(&text), owned(&edited));
    let kept = before.iter().filter(|part| after.contains(part)).count();
    assert!(kept + 2 >= before.len(), "{kept} of {}", before.len());
}
