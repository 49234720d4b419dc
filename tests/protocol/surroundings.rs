//! What lies around a document: versions and models, as they are and as they change.

#![allow(clippy::needless_pass_by_value, reason = "parameters are written on the spot, with json!")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use vramlens_tests::machine;
use vramlens_tests::session::Session;

use crate::{binary, pulling};

/// A script that loads a model that lies beside it, in the default type of the installed version, and one of the catalog.
const LOADS: &str = "\
from transformers import AutoModelForCausalLM
mine = AutoModelForCausalLM.from_pretrained('./mine').to('cuda')
known = AutoModelForCausalLM.from_pretrained('gpt2').to('cuda')
";

/// A place to rest the pointer on: in the name of what is loaded, on the lines of the two models.
const NAME: u32 = 46;
const MINE: u32 = 1;
const KNOWN: u32 = 2;

fn project() -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let uri = format!("file://{}/train.py", folder.path().display());
    (folder, uri)
}

fn lock(folder: &Path, version: &str) {
    let text = format!("[[package]]\nname = \"transformers\"\nversion = \"{version}\"\n");
    assert!(fs::write(folder.join("uv.lock"), text).is_ok());
}

fn weights(folder: &Path, mebibytes: u64) {
    assert!(machine::weights(&folder.join("mine/model.safetensors"), mebibytes).is_ok());
}

/// The first line of the hover on a line of [`LOADS`].
fn hover(session: &mut Session, uri: &str, line: u32) -> String {
    let position = json!({ "line": line, "character": NAME });
    let params = json!({ "textDocument": { "uri": uri }, "position": position });
    let hover = session.request("textDocument/hover", params);
    hover["contents"]["value"].as_str().unwrap_or_default().lines().next().unwrap_or_default().to_owned()
}

/// Hovers until what is shown holds some words. Reading ahead takes a moment, and every answer shows what was read by then.
fn hover_comes_to_say(session: &mut Session, uri: &str, line: u32, words: &str) {
    let start = std::time::Instant::now();
    let mut said = hover(session, uri, line);
    while !said.contains(words) {
        assert!(start.elapsed().as_secs() < 30, "never {words}: {said}");
        said = hover(session, uri, line);
    }
}

fn open(capabilities: Value, uri: &str) -> Session {
    let mut session = Session::open(binary(), &capabilities);
    session.open_document(uri, LOADS);
    session
}

#[test]
fn versions_are_there_with_the_first_answer() {
    for (version, type_of_it) in [("4.46.3", "float32"), ("5.3.0", "bfloat16")] {
        let (folder, uri) = project();
        lock(folder.path(), version);
        let text = LOADS.replace("'gpt2'", "'Qwen/Qwen2.5-0.5B'");
        let mut session = Session::open(binary(), &json!({}));
        session.open_document(&uri, &text);
        let said = hover(&mut session, &uri, KNOWN);
        assert!(said.contains(type_of_it), "{said}");
        session.close();
    }
}

#[test]
fn a_model_beside_the_script_is_read() {
    let (folder, uri) = project();
    weights(folder.path(), 3000);
    let mut session = open(json!({}), &uri);
    hover_comes_to_say(&mut session, &uri, MINE, "1.57B parameters");
    session.close();
}

#[test]
fn what_is_watched_is_read_again_when_it_has_changed() {
    let (folder, uri) = project();
    lock(folder.path(), "5.3.0");
    weights(folder.path(), 3000);
    let watching = json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
    let mut session = Session::open(binary(), &watching);
    let asked = session.called("client/registerCapability").to_string();
    for name in ["poetry", "requirements*.txt", "dist-info/RECORD", "*.safetensors"] {
        assert!(asked.contains(name), "{asked}");
    }
    session.open_document(&uri, LOADS);
    hover_comes_to_say(&mut session, &uri, MINE, "2.93 GiB");
    lock(folder.path(), "4.46.3");
    let changed = json!({ "changes": [{ "uri": uri.replace("train.py", "uv.lock"), "type": 2 }] });
    session.notify("workspace/didChangeWatchedFiles", changed.clone());
    hover_comes_to_say(&mut session, &uri, MINE, "5.86 GiB");
    weights(folder.path(), 1000);
    session.notify("workspace/didChangeWatchedFiles", changed);
    hover_comes_to_say(&mut session, &uri, MINE, "1.95 GiB");
    session.close();
}

#[test]
fn an_edit_looks_at_no_file() {
    let (folder, uri) = project();
    lock(folder.path(), "5.3.0");
    let text = LOADS.replace("'gpt2'", "'Qwen/Qwen2.5-0.5B'");
    let mut session = Session::open(binary(), &json!({}));
    session.open_document(&uri, &text);
    assert!(hover(&mut session, &uri, KNOWN).contains("bfloat16"));
    lock(folder.path(), "4.46.3");
    session.change(&uri, 2, &[json!({ "text": format!("{text}\n") })]);
    assert!(hover(&mut session, &uri, KNOWN).contains("bfloat16"));
    session.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    hover_comes_to_say(&mut session, &uri, KNOWN, "float32");
    session.close();
}

#[test]
fn a_save_is_a_reason_to_read_again() {
    let watching = json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
    for capabilities in [json!({}), watching] {
        let (folder, uri) = project();
        let mut session = open(capabilities, &uri);
        assert!(hover(&mut session, &uri, MINE).contains("not known"));
        weights(folder.path(), 3000);
        session.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
        hover_comes_to_say(&mut session, &uri, MINE, "1.57B parameters");
        session.close();
    }
}

#[test]
fn what_is_typed_is_looked_for() {
    let (folder, uri) = project();
    weights(folder.path(), 3000);
    let mut session = Session::open(binary(), &json!({}));
    session.open_document(&uri, &LOADS.replace("./mine", "./min"));
    assert!(hover(&mut session, &uri, MINE).contains("not known"));
    session.change(&uri, 2, &[json!({ "text": LOADS })]);
    hover_comes_to_say(&mut session, &uri, MINE, "1.57B parameters");
    session.close();
}

#[test]
fn a_client_that_pulls_is_asked_to_pull_again_only_for_something_new() {
    let (folder, uri) = project();
    weights(folder.path(), 3000);
    let mut session = open(pulling(), &uri);
    assert!(hover(&mut session, &uri, MINE).contains("1.57B parameters"));
    assert!(session.unclaimed("workspace/diagnostic/refresh", &uri).is_empty());
    weights(folder.path(), 1000);
    session.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    let asked = session.called("workspace/diagnostic/refresh");
    session.respond(&asked, &Value::Null);
    session.close();
}

#[test]
fn the_same_diagnostics_are_not_sent_twice() {
    let (_folder, uri) = project();
    let mut session = open(json!({}), &uri);
    session.diagnostics(&uri, 1);
    session.change(&uri, 2, &[json!({ "text": LOADS.replace("mine", "gone") })]);
    session.diagnostics(&uri, 2);
    session.change(&uri, 3, &[json!({ "text": LOADS })]);
    session.diagnostics(&uri, 3);
    assert!(session.unclaimed("textDocument/publishDiagnostics", &uri).is_empty());
    session.close();
}
