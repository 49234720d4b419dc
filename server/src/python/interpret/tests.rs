#![allow(clippy::unwrap_used, reason = "tests may fail")]

use std::fmt::Write;
use std::thread;

use vramlens_grammars::{Document, Source};

use crate::analysis::{Analysis, analyze};
use crate::settings::Settings;
use crate::surroundings::Surroundings;

/// What the smallest of common thread stacks has room for.
const SMALL_STACK: usize = 2 * 1024 * 1024;

const MODEL: &str = "import torch\nmodel = torch.nn.Linear(10, 2).cuda()\n";

fn analyzed(text: String) -> Analysis {
    let small = thread::Builder::new().stack_size(SMALL_STACK);
    let run = move || {
        analyze(&Document::python(Source::file(text)), &Surroundings::default(), &Settings::default())
    };
    small.spawn(run).unwrap().join().unwrap()
}

fn codes(analysis: &Analysis) -> Vec<&'static str> {
    analysis.findings.iter().map(|finding| finding.code).collect()
}

/// Functions that call each other from inside as many brackets and blocks as are followed.
fn deep(calls: usize, nesting: usize) -> String {
    let mut text = MODEL.to_owned();
    let (open, close) = ("[".repeat(nesting), "]".repeat(nesting));
    writeln!(text, "def f0(x):\n    return model(x)").unwrap();
    for index in 1..calls {
        writeln!(text, "def f{index}(x):").unwrap();
        for level in 1..=nesting / 2 {
            writeln!(text, "{}if x:", " ".repeat(level)).unwrap();
        }
        writeln!(text, "{}return f{}(x)", " ".repeat(nesting / 2 + 1), index - 1).unwrap();
        writeln!(text, " return {open}f{}(x){close}", index - 1).unwrap();
    }
    writeln!(text, "total = 0\nfor x in data:\n    total += f{}(x)", calls - 1).unwrap();
    text
}

#[test]
fn deep_code_that_calls_deep_code_fits_into_a_small_stack() {
    let analysis = analyzed(deep(10, 180));
    assert_eq!(analysis.failures, []);
    assert!(!codes(&analysis).contains(&"VL002"), "{:?}", analysis.findings);
}

#[test]
fn values_that_may_come_from_everywhere_use_up_the_budget() {
    let mut text = format!("{MODEL}for x in data:\n");
    for chain in 0..60 {
        for branch in 0..150 {
            let word = if branch == 0 { "if" } else { "elif" };
            writeln!(text, "    {word} x == {branch}:\n        s = model(x + {chain})").unwrap();
        }
    }
    assert!(codes(&analyzed(text)).contains(&"VL002"));
}

#[test]
fn graphs_that_lead_to_each_other_use_up_the_budget() {
    let steps = "for x in data:\n    loss = model(x)\n    total = total + loss\n".repeat(9_000);
    assert!(codes(&analyzed(format!("{MODEL}total = 0\n{steps}"))).contains(&"VL002"));
}
