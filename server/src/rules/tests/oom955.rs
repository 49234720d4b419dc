//! Models that the cells of a notebook load again.

use vramlens_grammars::notebook::source_of;

use super::fixing::check_fix_in_cells;
use super::{described, findings_in};
use crate::finding::Finding;

const IMPORTS: &str = "import gc\nimport torch\nfrom transformers import AutoModelForCausalLM as Model\nfrom transformers import pipeline";
const LOAD: &str = "model = Model.from_pretrained('org/one-7b', dtype='auto').to('cuda')";
const USE: &str = "print(model.generate(x))";

/// The findings about models that are loaded, each with the cell that it stands in, in cells with the numbers of their
/// runs; the cell with the imports comes first.
fn found(cells: &[(&str, Option<u32>)]) -> Vec<String> {
    let numbered = || (1..).zip(cells);
    let texts = [(0, IMPORTS)].into_iter().chain(numbered().map(|(cell, (text, _))| (cell, *text)));
    let runs = numbered().filter_map(|(cell, (_, run))| Some((cell, (*run)?)));
    let findings = findings_in(source_of(texts).with_runs(runs));
    let about_loads = |finding: &&Finding| ["OOM311", "OOM312", "OOM955", "OOM958"].contains(&finding.code);
    let told = findings.iter().filter(about_loads).map(|finding| {
        let cell = finding.location.cell.map_or_else(String::new, |cell| cell.to_string());
        format!("{cell} {}", described(finding))
    });
    told.collect()
}

/// The same in cells that were never run.
fn found_in(cells: &[&str]) -> Vec<String> {
    let cells: Vec<(&str, Option<u32>)> = cells.iter().map(|text| (*text, None)).collect();
    found(&cells)
}

#[test]
fn a_second_cell_gives_the_name_to_another_model() {
    let other = "model = Model.from_pretrained('org/other-7b', device_map='auto', dtype='auto')";
    assert_eq!(found_in(&[LOAD, USE, other]), ["3 OOM955 warning static"]);
    assert_eq!(found_in(&[LOAD, USE, "base = model", other]), ["4 OOM955 error static"]);
    for release in ["del model", "model = None", "model.to('cpu')", "del model\ngc.collect()"] {
        assert_eq!(found_in(&[LOAD, USE, release, other]), [""; 0], "{release}");
    }
}

#[test]
fn a_function_of_the_notebook_loads() {
    let load =
        "def load(name):\n    model = Model.from_pretrained(name, dtype='auto')\n    return model.to('cuda')";
    let cells = [load, "model = load('org/one-7b')", USE, "model = load('org/other-7b')"];
    assert_eq!(found_in(&cells), ["4 OOM955 warning static"]);
    assert_eq!(
        found_in(&[load, "model = load('org/one-7b')", "del model", "model = load('org/other-7b')"]),
        [""; 0]
    );
    assert_eq!(
        found_in(&[load, "one = load('org/one-7b')", "two = load('org/other-7b')", "one(x), two(x)"]),
        [""; 0]
    );
}

#[test]
fn the_same_model_under_another_name() {
    let again = "chat = Model.from_pretrained('org/one-7b', dtype='auto', device_map='cuda')";
    let compared = "print(model.generate(x), chat.generate(x))";
    assert_eq!(found_in(&[LOAD, USE, again, compared]), ["3 OOM955 warning static"]);
    let pipe = "pipe = pipeline('text-generation', model='org/one-7b', device=0, torch_dtype='auto')";
    assert_eq!(found_in(&[LOAD, USE, pipe, "pipe('x')", USE]), ["3 OOM955 warning static"]);
    let tuned = "pipe = pipeline('text-generation', model='org/tuned-7b', device=0, torch_dtype='auto')";
    assert_eq!(found_in(&[LOAD, USE, tuned, "pipe('x')", USE]), [""; 0]);
    let shared = "pipe = pipeline('text-generation', model=model, device=0, torch_dtype='auto')";
    assert_eq!(found_in(&[LOAD, USE, shared, "pipe('x')", USE]), [""; 0]);
    let trained = "optimizer = torch.optim.AdamW(model.parameters())\nmodel(x).loss.backward()";
    assert_eq!(
        found_in(&[LOAD, trained, again, compared]),
        [""; 0],
        "what is trained is another model by now"
    );
}

#[test]
fn the_numbers_of_the_runs_show_that_a_cell_was_run_again() {
    let runs = |load, user| found(&[(LOAD, load), (USE, user)]);
    assert_eq!(runs(Some(7), Some(3)), ["1 OOM955 warning static"]);
    assert_eq!(runs(Some(2), Some(3)), [""; 0]);
    assert_eq!(runs(Some(2), Some(9)), [""; 0], "a gap may be other cells");
    assert_eq!(runs(Some(7), None), [""; 0]);
    assert_eq!(runs(None, Some(3)), [""; 0]);
}

#[test]
fn numbers_that_show_nothing() {
    assert_eq!(found(&[(LOAD, Some(7)), ("print(x)", Some(3))]), [""; 0], "it needs no model");
    assert_eq!(
        found(&[(LOAD, Some(7)), ("def ask(x):\n    return model(x)", Some(3))]),
        [""; 0],
        "it only may"
    );
    assert_eq!(found(&[(LOAD, Some(7)), ("model = None", Some(5)), (USE, Some(3))]), [""; 0]);
    assert_eq!(found(&[(LOAD, Some(7)), (USE, Some(3)), ("del model", Some(4))]), [""; 0]);
    let guarded = format!("if 'model' in globals():\n    del model\n{LOAD}");
    assert_eq!(found(&[(&guarded, Some(7)), (USE, Some(3))]), [""; 0]);
    let on_host = "model = Model.from_pretrained('org/one-7b', dtype='auto')";
    assert_eq!(found(&[(on_host, Some(7)), ("model.to('cuda')", Some(3)), (USE, Some(4))]), [""; 0]);
    assert_eq!(
        found(&[(on_host, Some(7)), ("model = model.to('cuda')", Some(3)), (USE, Some(4))]),
        [""; 0],
        "the cell that was run again fills host memory"
    );
}

#[test]
fn the_fix_lets_the_old_model_go() {
    let before = "from transformers import AutoModelForCausalLM as Model\nimport torch";
    let other =
        "# the other one\nmodel = Model.from_pretrained('org/other-7b', device_map='cuda', dtype='auto')";
    let first = "model = Model.from_pretrained('org/one-7b', device_map='cuda', dtype='auto')";
    let freed = "# the other one\nimport gc\nmodel = None\ngc.collect()\ntorch.cuda.empty_cache()\nmodel = Model.from_pretrained('org/other-7b', device_map='cuda', dtype='auto')";
    check_fix_in_cells(&[before, first, USE, other], &[before, first, USE, freed]);
}
