//! Programs that are too tangled or too deep end with what is known, and say so.

use vramlens_grammars::{Document, Source, parse};

use super::{check, trainer};
use crate::analysis::analyze;
use crate::finding::Severity;
use crate::python::lower::lower;
use crate::python::script::Script;
use crate::settings::Settings;
use crate::surroundings::Surroundings;

fn exhausts(source: &str) -> bool {
    let Ok(tree) = parse::python(source, None) else { panic!("over a cap: {source:.60}") };
    Script::read(&lower(&tree, source), source).exhausted
}

/// A script in which each function calls the next one many times.
fn tangle(functions: usize, calls: usize) -> String {
    let function = |number: usize| {
        let next = number + 1;
        let call = |call: usize| format!("        y = f{next}(x, model(x) + {call} * y)\n");
        let body: Vec<String> = (0..calls).map(call).collect();
        format!("def f{number}(x, y):\n    for i in x:\n{}    return y\n", body.concat())
    };
    let functions: Vec<String> = (0..functions).map(function).collect();
    format!("import torch\nmodel = torch.nn.Linear(10, 2).cuda()\n{}", functions.concat())
}

#[test]
fn a_tangle_says_that_not_all_was_looked_at() {
    let source = tangle(8, 4);
    assert!(exhausts(&source));
    let findings =
        analyze(&Document::python(Source::file(source)), &Surroundings::default(), &Settings::default())
            .findings;
    let notices: Vec<_> = findings.iter().filter(|finding| finding.code == "VL002").collect();
    assert_eq!(notices.len(), 1, "{findings:#?}");
    assert!(notices.iter().all(|notice| notice.severity == Severity::Information));
}

#[test]
fn long_plain_code_does_not_exhaust_the_budget() {
    let step = "    loss = criterion(model(x), y)\n    loss.backward()\n    optimizer.step()\n";
    let source = format!("import torch\nfor x, y in loader:\n{}", step.repeat(2_000));
    assert!(!exhausts(&source));
    assert!(!exhausts(&tangle(3, 3)));
}

#[test]
fn what_a_tangle_leaves_is_still_found_elsewhere() {
    let training = "
def fit(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        total += loss
    print(total)
";
    let source = format!("{}{training}", tangle(8, 4));
    let findings =
        analyze(&Document::python(Source::file(source)), &Surroundings::default(), &Settings::default())
            .findings;
    assert!(findings.iter().any(|finding| finding.code == "OOM101"), "{findings:#?}");
}

#[test]
fn deep_code_keeps_the_findings_around_it() {
    let deep = [
        format!("x = {}1{}", "(".repeat(900), ")".repeat(900)),
        format!("x = {}1{}", "[".repeat(900), "]".repeat(900)),
        format!("x = {}", vec!["1"; 3_000].join(" + ")),
        format!("x = y{}", ".z".repeat(3_000)),
        format!("x = f{}", "()".repeat(3_000)),
        format!("x = {}y", "not ".repeat(3_000)),
        format!("x = {}", vec!["1 if y else"; 900].join(" ") + " 2"),
    ];
    for deep in deep {
        check(&trainer(&deep, "", ""));
    }
}

#[test]
fn deep_blocks_come_to_an_end() {
    let blocks: String =
        (0..250).map(|depth| " ".repeat(depth) + "for x in y:\n").collect::<Vec<_>>().concat();
    let source = format!("import torch\n{blocks}{}total += model(x)\n", " ".repeat(250));
    let analysis =
        analyze(&Document::python(Source::file(source)), &Surroundings::default(), &Settings::default());
    assert_eq!(analysis.failures, []);
}

#[test]
fn long_chains_of_names_come_to_an_end() {
    let doubled = |number: usize| format!("v{number} = v{0} + v{0}\n", number - 1);
    let chain: Vec<String> = (1..3_000).map(doubled).collect();
    let start = "import torch\nv0 = torch.nn.Linear(10, 2)(torch.ones(10))\n";
    let source = format!("{start}{}v2999.backward()\n", chain.concat());
    let analysis =
        analyze(&Document::python(Source::file(source)), &Surroundings::default(), &Settings::default());
    assert_eq!(analysis.failures, []);
}
