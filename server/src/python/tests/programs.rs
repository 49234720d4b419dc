//! Programs nobody wrote: random training code never fails and always gives the same answer.

use proptest::prelude::*;
use proptest::sample::select;
use vramlens_grammars::{Document, Source};

use crate::analysis::analyze;
use crate::fixes::fix_all;
use crate::settings::Settings;
use crate::surroundings::Surroundings;

/// Statements of training and evaluation code.
const SIMPLE: &[&str] = &[
    "loss = criterion(model(x), y)",
    "out = model(x)",
    "loss = out.mean()",
    "loss.backward()",
    "loss.backward(retain_graph=True)",
    "total.backward()",
    "optimizer.step()",
    "total += loss",
    "total = total + loss",
    "total += loss.item()",
    "total = 0.0",
    "loss = 0",
    "kept.append(loss)",
    "kept.append(out.detach())",
    "kept = []",
    "kept.clear()",
    "kept[total] = loss",
    "x = model(x)",
    "x = out",
    "model.eval()",
    "model.train()",
    "self.total += loss",
    "loss = step(x)",
    "model, x = x, model",
    "del loss",
    "return loss",
    "yield total",
    "continue",
    "break",
    "total = [model(x) for x in kept]",
    "total = sum(kept)",
    "step = lambda x: step(x) + model(x)",
    "torch.set_grad_enabled(False)",
];

/// The first lines of blocks.
const BLOCKS: &[&str] = &[
    "for x, y in loader:",
    "for x in kept:",
    "while total:",
    "with torch.no_grad():",
    "with torch.enable_grad():",
    "if y:",
    "try:",
    "def step(x):",
    "class model(torch.nn.Module):",
    "async def step(self, x=loss):",
];

#[derive(Clone, Debug)]
enum Line {
    Simple(&'static str),
    Block(&'static str, Vec<Line>),
}

fn line() -> impl Strategy<Value = Line> {
    select(SIMPLE).prop_map(Line::Simple).prop_recursive(4, 40, 6, |inner| {
        (select(BLOCKS), prop::collection::vec(inner, 1..6)).prop_map(|(head, body)| Line::Block(head, body))
    })
}

fn program() -> impl Strategy<Value = String> {
    prop::collection::vec(line(), 1..8).prop_map(|lines| {
        let mut text = "import torch\nmodel = torch.nn.Linear(10, 2)\ntotal = 0.0\nkept = []\n".to_owned();
        write(&mut text, &lines, 0);
        text
    })
}

fn write(text: &mut String, lines: &[Line], depth: usize) {
    for line in lines {
        text.push_str(&"    ".repeat(depth));
        match line {
            Line::Simple(statement) => text.extend([*statement, "\n"]),
            Line::Block(head, body) => {
                text.extend([*head, "\n"]);
                write(text, body, depth + 1);
                if *head == "try:" {
                    text.extend(["    ".repeat(depth).as_str(), "except ValueError: pass\n"]);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_answer_is_the_same_every_time(text in program()) {
        let document = Document::python(Source::file(text));
        let first = analyze(&document, &Surroundings::default(), &Settings::default());
        prop_assert_eq!(&first.failures, &[]);
        prop_assert_eq!(&first, &analyze(&document, &Surroundings::default(), &Settings::default()));
    }

    #[test]
    fn fixes_keep_the_syntax_and_come_to_an_end(text in program()) {
        let document = Document::python(Source::file(text));
        let is_sound = |document: &Document| document.syntax.as_ref().is_ok_and(|tree| !tree.root_node().has_error());
        prop_assume!(is_sound(&document));
        let fixed = fix_all(&document, &Surroundings::default(), &Settings::default(), true).document;
        prop_assert!(is_sound(&fixed), "{}", fixed.source.text());
        let again = fix_all(&fixed, &Surroundings::default(), &Settings::default(), true).document;
        prop_assert_eq!(again.source.text(), fixed.source.text());
    }

    #[test]
    fn lines_in_any_order_never_fail(lines in prop::collection::vec((0..4_usize, select(BLOCKS), select(SIMPLE)), 1..30)) {
        let text: String = lines
            .iter()
            .flat_map(|(depth, head, statement)| ["    ".repeat(*depth), (*head).to_owned(), (*statement).to_owned(), "\n".to_owned()])
            .collect();
        let analysis = analyze(&Document::python(Source::file(text)), &Surroundings::default(), &Settings::default());
        prop_assert_eq!(analysis.failures, []);
    }
}
