//! The facts of a script, as the rules read them: written under the code they are about.

mod across_files;
mod broken;
mod gradients;
mod imports;
mod language;
mod library_calls;
mod limits;
mod lives;
mod process;
mod programs;
mod reached;

use vramlens_grammars::{Span, parse};

use super::lower::lower;
use super::script::{Fate, Keeping, Script};
use crate::annotations::{self, Annotated};

/// A function that trains, whole, with other code before it, at the end of its loop and after it.
fn trainer(before: &str, inside: &str, after: &str) -> String {
    format!(
        "
import torch

{before}

def fit(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        total += loss
#       ^^^^^^^^^^^^^ sum freed
        {inside}
    print(total)

{after}
"
    )
}

/// Compares all facts of a script with all annotations in it.
#[track_caller]
fn check(annotated: &str) {
    let Annotated { source, notes } = annotations::read(annotated);
    let found = facts(&source);
    assert!(
        found == notes,
        "expected:\n{}\nfound:\n{}",
        annotations::write(&source, &notes),
        annotations::write(&source, &found)
    );
}

/// Every forward pass whose graph nothing uses and every graph that is kept.
#[track_caller]
fn facts(source: &str) -> Vec<(Span, String)> {
    let Ok(tree) = parse::python(source, None) else { panic!("over a cap: {source:.60}") };
    let module = lower(&tree, source);
    facts_of(&Script::read(&module, source))
}

/// Every forward pass of a script whose graph nothing uses and every graph that is kept.
fn facts_of(script: &Script) -> Vec<(Span, String)> {
    let source = script.text;
    let unused = script.unused.iter().map(|forward| (forward.span, "unused".to_owned()));
    let kept = script.kept.iter().map(|kept| {
        let keeping = match kept.keeping {
            Keeping::Sum => "sum",
            Keeping::Concatenation => "concatenation",
            Keeping::Collection => "collection",
        };
        let fate = match kept.fate {
            Fate::Freed(_) => "freed",
            Fate::Retained(_) => "retained",
            Fate::SentThrough(_) => "sent through",
            Fate::Never => "never freed",
        };
        (kept.span, format!("{keeping} {fate}"))
    });
    let on_first_line = |(span, words)| (annotations::on_first_line(source, span), words);
    let mut facts: Vec<(Span, String)> = unused.chain(kept).map(on_first_line).collect();
    facts.sort();
    facts
}
