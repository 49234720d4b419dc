//! What stands in one file changes what is said of another, as soon as it is typed.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;
use vramlens_tests::session::Session;

use crate::{binary, lines, titles};

/// A script that keeps whatever its model file makes of the loss.
const TRAIN: &str = "\
import torch
from model import logged

model = torch.nn.Linear(10, 2).cuda()
criterion = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for x, y in torch.utils.data.DataLoader(dataset):
    optimizer.zero_grad()
    loss = criterion(model(x.cuda()), y.cuda())
    loss.backward()
    optimizer.step()
    losses.append(logged(loss))
";

const KEEPS: &str = "def logged(loss):\n    return loss\n";
const DETACHES: &str = "def logged(loss):\n    return loss.item()\n";

/// A folder with a script and its model file, and their addresses.
fn project(model: &str) -> (TempDir, String, String) {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let files = [("train.py", TRAIN), ("model.py", model), ("pyproject.toml", "")];
    assert!(files.iter().all(|(name, text)| fs::write(folder.path().join(name), text).is_ok()));
    let [train, model] =
        ["train.py", "model.py"].map(|name| format!("file://{}/{name}", folder.path().display()));
    (folder, train, model)
}

/// Waits until what was pushed about the script is something, or nothing.
fn becomes(session: &mut Session, uri: &str, something: bool) {
    loop {
        let params = session.called("textDocument/publishDiagnostics")["params"].clone();
        let diagnostics = params["diagnostics"].as_array().map_or(0, Vec::len);
        if params["uri"] == uri && (diagnostics > 0) == something {
            return;
        }
    }
}

fn saved(uri: &str) -> Value {
    json!({ "textDocument": { "uri": uri } })
}

#[test]
fn a_script_follows_its_open_model_file_as_it_is_typed() {
    let (_folder, train, model) = project(DETACHES);
    let mut session = Session::open(binary(), &json!({}));
    session.open_document(&model, DETACHES);
    session.open_document(&train, TRAIN);
    becomes(&mut session, &train, false);
    session.change(&model, 2, &[json!({ "text": KEEPS })]);
    becomes(&mut session, &train, true);
    session.change(&model, 3, &[json!({ "text": DETACHES })]);
    becomes(&mut session, &train, false);
    session.close();
}

#[test]
fn what_was_typed_and_not_saved_is_forgotten_with_the_document() {
    let (_folder, train, model) = project(KEEPS);
    let mut session = Session::open(binary(), &json!({}));
    session.open_document(&model, DETACHES);
    session.open_document(&train, TRAIN);
    becomes(&mut session, &train, false);
    session.notify("textDocument/didClose", saved(&model));
    becomes(&mut session, &train, true);
    session.close();
}

#[test]
fn a_script_follows_its_model_file_on_the_disk() {
    let watching = json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
    for capabilities in [json!({}), watching] {
        let (folder, train, model) = project(DETACHES);
        let is_watched = capabilities != json!({});
        let mut session = Session::open(binary(), &capabilities);
        if is_watched {
            assert!(session.called("client/registerCapability").to_string().contains("**/*.py"));
        }
        session.open_document(&train, TRAIN);
        becomes(&mut session, &train, false);
        assert!(fs::write(folder.path().join("model.py"), KEEPS).is_ok());
        if is_watched {
            let changed = json!({ "changes": [{ "uri": model, "type": 2 }] });
            session.notify("workspace/didChangeWatchedFiles", changed);
        } else {
            session.notify("textDocument/didSave", saved(&train));
        }
        becomes(&mut session, &train, true);
        session.close();
    }
}

#[test]
fn a_function_follows_how_another_open_file_calls_it() {
    let engine = "\
import torch


def evaluate(model, loader, criterion):
    model.eval()
    losses = []
    for x, y in loader:
        losses.append(criterion(model(x.cuda()), y.cuda()))
    return torch.stack(losses).mean()
";
    let call = "import torch\nfrom engine import evaluate\n\nmodel = torch.nn.Linear(10, 2).cuda()\nwith torch.no_grad():\n    evaluate(model, torch.utils.data.DataLoader(data), torch.nn.CrossEntropyLoss())\n";
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let files = [("engine.py", engine), ("main.py", call), ("pyproject.toml", "")];
    assert!(files.iter().all(|(name, text)| fs::write(folder.path().join(name), text).is_ok()));
    let [engine_uri, main_uri] =
        ["engine.py", "main.py"].map(|name| format!("file://{}/{name}", folder.path().display()));
    let mut session = Session::open(binary(), &json!({}));
    session.open_document(&engine_uri, engine);
    becomes(&mut session, &engine_uri, false);
    session.open_document(&main_uri, call);
    session.change(&main_uri, 2, &[json!({ "text": call.replace("torch.no_grad()", "open('log')") })]);
    becomes(&mut session, &engine_uri, true);
    session.close();
}

/// The line of [`TRAIN`] that keeps what its model file returns.
const KEPT: u32 = 12;

#[test]
fn a_script_that_is_opened_is_told_once_with_what_its_imports_say() {
    for (model, count) in [(KEEPS, 1), (DETACHES, 0)] {
        let (_folder, train, _) = project(model);
        let mut session = Session::open(binary(), &json!({}));
        session.open_document(&train, TRAIN);
        let told = session.diagnostics(&train, 1);
        assert_eq!(told.as_array().map(Vec::len), Some(count), "{told}");
        session.change(&train, 2, &[json!({ "text": format!("{TRAIN}\n") })]);
        session.diagnostics(&train, 2);
        assert!(session.unclaimed("textDocument/publishDiagnostics", &train).is_empty());
        session.close();
    }
}

#[test]
fn actions_know_from_the_first_what_the_imports_say() {
    let (_folder, train, _) = project(KEEPS);
    let mut session = Session::open(binary(), &json!({}));
    session.open_document(&train, TRAIN);
    let offered = session.actions(&train, (KEPT, KEPT), &json!({ "diagnostics": [] }));
    assert!(titles(&offered).iter().any(|title| title.starts_with("Ignore OOM102")), "{offered}");
    session.close();
}

#[test]
fn a_slow_disk_keeps_nobody_waiting_for_long() {
    let (folder, train, _) = project(KEEPS);
    let disk = folder.path().join("ready");
    let text = format!("{TRAIN}total = 0.0\nfor x in losses:\n    total = total + criterion(model(x), x)\n");
    let text = format!("{text}# vramlens-fault: slow-disk {}\n", disk.display());
    let mut session = Session::open(binary(), &json!({}));
    session.open_document(&train, &text);
    let alone = session.diagnostics(&train, 1);
    assert!(lines(&alone).contains(&15) && !lines(&alone).contains(&u64::from(KEPT)), "{alone}");
    assert!(
        session
            .actions(&train, (15, 15), &json!({ "diagnostics": [] }))
            .as_array()
            .is_some_and(|all| !all.is_empty())
    );
    assert!(fs::write(disk, "").is_ok());
    let together = session.diagnostics(&train, 1);
    assert!(lines(&together).contains(&u64::from(KEPT)), "{together}");
    session.close();
}

#[test]
fn a_document_that_is_opened_again_answers_what_was_asked_before() {
    let (folder, train, _) = project(KEEPS);
    let disk = folder.path().join("ready");
    let mut session = Session::open(binary(), &json!({}));
    session.open_document(&train, &format!("{TRAIN}# vramlens-fault: slow-disk {}\n", disk.display()));
    let place = json!({ "line": KEPT, "character": 0 });
    let params = json!({ "textDocument": { "uri": train }, "range": { "start": place, "end": place },
        "context": { "diagnostics": [] } });
    let asked = session.send_request("textDocument/codeAction", params);
    session.open_document(&train, TRAIN);
    assert!(fs::write(disk, "").is_ok());
    let offered = session.answer_to(asked)["result"].clone();
    assert!(titles(&offered).iter().any(|title| title.starts_with("Ignore OOM102")), "{offered}");
    session.close();
}
