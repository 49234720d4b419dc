//! Notebooks: places count inside cells, and a fix changes nothing but the code.

use serde_json::json;

use crate::support::{Folder, TRAINING, fixed};

/// A notebook with the training loop in its fourth cell, indented as Jupyter does.
fn notebook() -> String {
    let loop_start = TRAINING.find("total_loss = ").unwrap();
    let (setup, training) = TRAINING.split_at(loop_start);
    let lines = |code: &str| code.trim_end().split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
    let output = json!([{"name": "stdout", "output_type": "stream", "text": ["total_loss += loss\n"]}]);
    let notebook = json!({
        "cells": [
            {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["total_loss += loss\n", "# é"]},
            {"cell_type": "code", "execution_count": 1, "id": "b", "metadata": {}, "outputs": [],
             "source": lines(setup)},
            {"cell_type": "code", "execution_count": null, "id": "c", "metadata": {}, "outputs": [],
             "source": ["%matplotlib inline\n", "!nvidia-smi"]},
            {"cell_type": "code", "execution_count": 2, "id": "d", "metadata": {"tags": ["x"]},
             "outputs": output, "source": lines(training)},
        ],
        "metadata": {"kernelspec": {"name": "python3", "language": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    });
    let mut text = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, formatter);
    serde::Serialize::serialize(&notebook, &mut serializer).unwrap();
    String::from_utf8(text).unwrap() + "\n"
}

/// The notebook as it should be: one line of code differs.
fn fixed_notebook() -> String {
    notebook().replace("\"    total_loss += loss\\n\"", "\"    total_loss += loss.item()\\n\"")
}

#[test]
fn places_count_inside_the_cell() {
    let folder = Folder::new().file("train.ipynb", notebook());
    let outcome = folder.run(&["check", "--output-format", "json"]);
    assert_eq!((outcome.status, outcome.codes()), (1, vec!["OOM101".to_owned()]), "{}", outcome.stderr);
    let finding = &outcome.json()[0];
    assert_eq!((&finding["filename"], &finding["cell"]), (&json!("train.ipynb"), &json!(3)));
    assert_eq!(finding["location"], json!({"row": 7, "column": 5}));
    assert_eq!(finding["fix"]["edits"][0]["cell"], 3);
    assert_eq!(finding["fix"]["edits"][0]["location"], json!({"row": 7, "column": 23}));
    let concise = folder.run(&["check", "--output-format", "concise"]).stdout;
    assert!(concise.starts_with("train.ipynb:cell 4:7:5: OOM101 [warning] "), "{concise}");
    let full = folder.run(&["check"]).stdout;
    assert!(full.contains("--> train.ipynb:cell 4:7:5\n"), "{full}");
    assert!(full.contains("7 |     total_loss += loss\n"), "{full}");
}

#[test]
fn a_fix_changes_nothing_but_the_code() {
    for mark in ["", "\u{feff}"] {
        let folder = Folder::new().file("train.ipynb", format!("{mark}{}", notebook()));
        let outcome = folder.run(&["check", "--fix"]);
        assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""));
        assert_eq!(folder.read("train.ipynb"), format!("{mark}{}", fixed_notebook()));
        folder.run(&["check", "--fix"]);
        assert_eq!(folder.read("train.ipynb"), format!("{mark}{}", fixed_notebook()));
    }
}

#[test]
fn a_diff_names_the_cell() {
    let folder = Folder::new().file("train.ipynb", notebook());
    let outcome = folder.run(&["check", "--diff"]);
    assert_eq!(outcome.status, 1);
    assert!(outcome.stdout.starts_with("--- train.ipynb:cell 4\n+++ train.ipynb:cell 4\n"));
    assert!(outcome.stdout.contains("\n-    total_loss += loss\n+    total_loss += loss.item()\n"));
    assert_eq!(folder.read("train.ipynb"), notebook());
}

#[test]
fn standard_input_can_be_a_notebook() {
    let words = ["check", "--stdin-filename", "train.ipynb", "-"];
    let outcome = Folder::new().run_with_input(&words, notebook().as_bytes());
    assert_eq!(outcome.status, 1);
    assert!(outcome.stdout.contains("train.ipynb:cell 4"), "{}", outcome.stdout);
    let outcome = Folder::new().run_with_input(&[&words[..], &["--fix"]].concat(), notebook().as_bytes());
    assert_eq!((outcome.status, outcome.stdout), (0, fixed_notebook()));
}

#[test]
fn a_clean_notebook_is_clean() {
    let outcome = Folder::new().file("train.ipynb", fixed_notebook()).run(&["check"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (0, "no findings in 1 file\n"));
}

#[test]
fn what_is_not_a_notebook_is_named_and_the_others_go_on() {
    for content in ["", "{", "[]", "{\"cells\": 3}", "{\"a\": 1}", "import torch\n"] {
        let folder = Folder::with_training().file("broken.ipynb", content);
        let outcome = folder.run(&["check"]);
        assert_eq!(outcome.status, 2, "{content}");
        assert!(outcome.stdout.contains("train.py:14:5"), "{}", outcome.stdout);
        assert!(outcome.stderr.starts_with("error: broken.ipynb:"), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("not a notebook"), "{}", outcome.stderr);
        assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
    }
}

#[test]
fn scripts_and_notebooks_are_fixed_alike() {
    let folder = Folder::with_training().file("train.ipynb", notebook());
    let outcome = folder.run(&["check", "--fix"]);
    assert_eq!(outcome.stdout, "fixed 2 findings in 2 files; no findings in 2 files\n");
    assert_eq!((folder.read("train.py"), folder.read("train.ipynb")), (fixed(), fixed_notebook()));
}

#[test]
fn commands_in_a_cell_are_shown_and_written_as_they_are() {
    let code = "import torch\nmodel = torch.nn.Linear(10, 2).cuda()\nmodel.eval()\nbatches = torch.randn(64, 8, 10)\n\
                for batch in batches:\n    !nvidia-smi --query-gpu=memory.used\n    \
                print(model(batch.cuda()).sum())\n%time print(1)";
    let cell = json!({"cell_type": "code", "metadata": {}, "outputs": [], "source": code});
    let folder = Folder::new()
        .file("eval.ipynb", json!({"cells": [cell], "nbformat": 4, "nbformat_minor": 5}).to_string());
    let full = folder.run(&["check"]).stdout;
    assert!(full.contains("    !nvidia-smi --query-gpu=memory.used\n"), "{full}");
    let outcome = folder.run(&["check", "--fix"]);
    assert!(outcome.stdout.starts_with("fixed 1 finding in 1 file"), "{}{}", outcome.stdout, outcome.stderr);
    let written: serde_json::Value = serde_json::from_str(&folder.read("eval.ipynb")).unwrap();
    let expected = code
        .replace("for batch", "with torch.no_grad():\n    for batch")
        .replace("    !nvidia", "        !nvidia")
        .replace("    print(model", "        print(model");
    assert_eq!(written["cells"][0]["source"], expected);
}
