//! Settings, from wherever they are written.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;
use vramlens_tests::session::Session;

use crate::{LINE, SCRIPT, URI, binary, lines, pulling};

const PUSH: &str = "textDocument/publishDiagnostics";
const TOLD: &str = "window/showMessage";

/// A folder with a settings file, and the address of a script in it.
fn project(name: &str, settings: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    assert!(fs::write(folder.path().join(name), settings).is_ok());
    let uri = format!("file://{}/train.py", folder.path().display());
    (folder, uri)
}

fn told(session: &mut Session) -> Vec<String> {
    let messages = session.unclaimed(TOLD, URI);
    messages.iter().filter_map(|message| Some(message["params"]["message"].as_str()?.to_owned())).collect()
}

#[test]
fn settings_come_with_initialize() {
    for options in [json!({ "ignore": ["OOM1"] }), json!({ "vramlens": { "ignore": ["OOM101"] } })] {
        let params = json!({ "capabilities": {}, "initializationOptions": options });
        let mut session = Session::open_with(binary(), params);
        session.open_document(URI, SCRIPT);
        assert_eq!(session.diagnostics(URI, 1), json!([]));
        assert!(told(&mut session).is_empty());
        session.close();
    }
}

#[test]
fn settings_are_asked_for() {
    let mut session = Session::open(binary(), &json!({ "workspace": { "configuration": true } }));
    let asked = session.called("workspace/configuration");
    assert_eq!(asked["params"]["items"][0]["section"], "vramlens");
    session.open_document(URI, SCRIPT);
    assert_eq!(lines(&session.diagnostics(URI, 1)), [u64::from(LINE)]);
    session.respond(&asked, &json!([{ "ignore": ["OOM101"], "path": "/x", "trace": { "server": "off" } }]));
    session.wait_for_clean(URI);
    session.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    let asked = session.called("workspace/configuration");
    session.respond(&asked, &json!([null]));
    let again = session.called(PUSH);
    assert_eq!(lines(&again["params"]["diagnostics"]), [u64::from(LINE)]);
    assert!(told(&mut session).is_empty());
    session.close();
}

#[test]
fn settings_are_taken_from_a_client_that_cannot_be_asked() {
    let mut session = Session::open(binary(), &json!({}));
    session.open_document(URI, SCRIPT);
    assert_eq!(lines(&session.diagnostics(URI, 1)), [u64::from(LINE)]);
    let settings = json!({ "settings": { "vramlens": { "ignore": ["OOM101"] }, "other": 1 } });
    session.notify("workspace/didChangeConfiguration", settings);
    session.wait_for_clean(URI);
    session.close();
}

#[test]
fn a_client_that_pulls_is_asked_to_pull_again() {
    let mut session = Session::open(binary(), &pulling());
    session.open_document(URI, SCRIPT);
    let settings = json!({ "settings": { "vramlens": { "ignore": ["OOM101"] } } });
    session.notify("workspace/didChangeConfiguration", settings);
    let asked = session.called("workspace/diagnostic/refresh");
    session.respond(&asked, &Value::Null);
    let report = session.request("textDocument/diagnostic", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(report["items"], json!([]));
    session.close();
}

#[test]
fn the_nearest_file_counts_and_the_editor_wins_key_by_key() {
    let files = [
        ("vramlens.toml", "ignore = [\"OOM101\"]\n"),
        ("pyproject.toml", "[tool.vramlens]\nignore = [\"OOM101\"]\n"),
    ];
    for (name, text) in files {
        let (_folder, uri) = project(name, text);
        for (options, found) in [
            (json!({}), vec![]),
            (json!({ "gpu": "24GiB" }), vec![]),
            (json!({ "ignore": [] }), vec![u64::from(LINE)]),
        ] {
            let params = json!({ "capabilities": {}, "initializationOptions": options });
            let mut session = Session::open_with(binary(), params);
            session.open_document(&uri, SCRIPT);
            assert_eq!(lines(&session.diagnostics(&uri, 1)), found, "{name} {options}");
            session.close();
        }
    }
}

#[test]
fn a_settings_file_is_read_again_when_it_has_changed() {
    let (folder, uri) = project("vramlens.toml", "ignore = [\"OOM101\"]\n");
    let watching = json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
    let mut session = Session::open(binary(), &watching);
    let asked = session.called("client/registerCapability");
    assert!(asked.to_string().contains("**/vramlens.toml"), "{asked}");
    session.respond(&asked, &Value::Null);
    session.open_document(&uri, SCRIPT);
    assert_eq!(session.diagnostics(&uri, 1), json!([]));
    assert!(fs::write(folder.path().join("vramlens.toml"), "").is_ok());
    session.notify("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    assert_eq!(lines(&session.diagnostics(&uri, 1)), [u64::from(LINE)]);
    session.close();
}

#[test]
fn a_settings_file_is_read_again_on_save_when_nobody_watches_it() {
    let (folder, uri) = project("vramlens.toml", "ignore = [\"OOM101\"]\n");
    let mut session = Session::open(binary(), &json!({}));
    session.open_document(&uri, SCRIPT);
    assert_eq!(session.diagnostics(&uri, 1), json!([]));
    assert!(fs::write(folder.path().join("vramlens.toml"), "").is_ok());
    session.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(lines(&session.diagnostics(&uri, 1)), [u64::from(LINE)]);
    session.close();
}

#[test]
fn excluded_files_are_left_alone() {
    let (_folder, uri) = project("vramlens.toml", "exclude = [\"train.py\"]\n");
    let mut session = Session::open(binary(), &json!({}));
    session.open_document(&uri, SCRIPT);
    assert_eq!(session.diagnostics(&uri, 1), json!([]));
    session.close();
}

#[test]
fn a_card_that_is_not_known_is_told_with_the_nearest() {
    let (_folder, uri) = project("vramlens.toml", "# The big one.\ngpu = \"RTX 409\"\n");
    let params = json!({ "capabilities": {}, "initializationOptions": { "gpu": "H10" } });
    let mut session = Session::open_with(binary(), params);
    session.open_document(&uri, SCRIPT);
    session.diagnostics(&uri, 1);
    let told = told(&mut session);
    let [editor, file] = told.as_slice() else { panic!("{told:?}") };
    assert!(editor.contains("`H10`") && editor.contains("`H100"), "{editor}");
    assert!(file.contains("vramlens.toml:2: `RTX 409`") && file.contains("`RTX 4090`"), "{file}");
    session.close();
}

#[test]
fn unknown_keys_are_told_once() {
    let params = json!({ "capabilities": {}, "initializationOptions": { "ignroe": ["OOM101"] } });
    let mut session = Session::open_with(binary(), params);
    let settings = json!({ "settings": { "vramlens": { "ignroe": [] } } });
    session.notify("workspace/didChangeConfiguration", settings.clone());
    session.notify("workspace/didChangeConfiguration", settings);
    let told = told(&mut session);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told.iter().all(|sentence| sentence.contains("`ignroe`") && sentence.contains("ignore")),
        "{told:?}"
    );
    session.close();
}

#[test]
fn unknown_keys_in_a_file_are_told_with_their_place() {
    let (_folder, uri) = project("vramlens.toml", "gpu = \"24GiB\"\nignroe = []\n");
    let mut session = Session::open(binary(), &json!({}));
    for name in ["a", "b"] {
        let uri = uri.replace("train", name);
        session.open_document(&uri, SCRIPT);
        assert_eq!(lines(&session.diagnostics(&uri, 1)), [u64::from(LINE)]);
    }
    let told = told(&mut session);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told.iter().all(|sentence| sentence.contains("vramlens.toml:2: `ignroe`")), "{told:?}");
    session.close();
}
