//! What is answered when, and to whom.

use serde_json::{Value, json};
use vramlens_tests::session::Session;

use crate::{SCRIPT, URI, binary, plain};

const NOT_INITIALIZED: i64 = -32002;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

#[test]
fn requests_before_initialize_are_refused_and_notifications_dropped() {
    let mut session = Session::start(binary());
    assert_eq!(session.error("textDocument/codeAction", json!({})), NOT_INITIALIZED);
    assert_eq!(session.error("no/such/method", json!({})), NOT_INITIALIZED);
    assert_eq!(session.error("shutdown", Value::Null), NOT_INITIALIZED);
    session.open_document(URI, SCRIPT);
    session.request("initialize", json!({ "capabilities": {} }));
    assert!(session.unclaimed("textDocument/publishDiagnostics", URI).is_empty());
    session.close();
}

#[test]
fn requests_after_shutdown_are_refused_and_notifications_dropped() {
    let mut session = plain();
    session.request("shutdown", Value::Null);
    assert_eq!(session.error("textDocument/codeAction", json!({})), INVALID_REQUEST);
    assert_eq!(session.error("shutdown", Value::Null), INVALID_REQUEST);
    assert_eq!(session.error("initialize", json!({ "capabilities": {} })), INVALID_REQUEST);
    session.open_document(URI, SCRIPT);
    session.send(&json!({ "jsonrpc": "2.0", "method": "exit" }));
    session.expect_exit(0);
}

#[test]
fn a_second_initialize_is_refused() {
    let mut session = plain();
    assert_eq!(session.error("initialize", json!({ "capabilities": {} })), INVALID_REQUEST);
    session.close();
}

#[test]
fn unknown_methods_are_told_and_unknown_notifications_ignored() {
    let mut session = plain();
    assert_eq!(session.error("no/such/method", json!({})), METHOD_NOT_FOUND);
    assert_eq!(session.error("textDocument/definition", place()), METHOD_NOT_FOUND);
    assert_eq!(session.error("$/no/such/method", json!({})), METHOD_NOT_FOUND);
    session.notify("$/setTrace", json!({ "value": "verbose" }));
    session.notify("no/such/notification", json!([1, 2]));
    session.close();
}

fn place() -> Value {
    json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 0 } })
}

#[test]
fn wrong_parameters_are_told_and_change_nothing() {
    let mut session = plain();
    session.open_document(URI, SCRIPT);
    assert_eq!(session.error("textDocument/codeAction", json!({ "textDocument": 3 })), INVALID_PARAMS);
    for params in [json!(null), json!({}), json!({ "textDocument": { "uri": "no uri" } }), json!([7])] {
        session.notify("textDocument/didOpen", params.clone());
        session.notify("textDocument/didChange", params.clone());
        session.notify("textDocument/didClose", params.clone());
        session.notify("workspace/didChangeConfiguration", params);
    }
    session.change("file:///never/opened.py", 2, &[json!({ "text": "" })]);
    assert_eq!(session.diagnostics(URI, 1).as_array().map(Vec::len), Some(1));
    session.close();
}

#[test]
fn an_id_may_be_used_again_once_it_is_answered() {
    let mut session = plain();
    for _ in 0..2 {
        session.send(&json!({ "jsonrpc": "2.0", "id": "mine", "method": "no/such/method" }));
        assert_eq!(session.answer_to_any("mine")["error"]["code"], METHOD_NOT_FOUND);
    }
    session.close();
}

#[test]
fn a_client_may_say_little_or_much_of_itself() {
    let folders = json!([{ "uri": "file:///a", "name": "a" }, { "uri": "file:///b", "name": "b" }]);
    let unusual = [
        json!({ "processId": null, "rootUri": null, "capabilities": {} }),
        json!({ "rootUri": null, "workspaceFolders": null, "capabilities": {}, "trace": "off" }),
        json!({ "rootPath": "/a", "rootUri": "file:///a", "workspaceFolders": [], "capabilities": {} }),
        json!({ "workspaceFolders": folders, "capabilities": { "experimental": { "x": [1] } } }),
        json!({ "clientInfo": { "name": "x" }, "capabilities": { "textDocument": { "new": true } }, "new": 1 }),
        json!({ "rootUri": "", "clientInfo": 7, "capabilities": { "general": "odd", "workspace": [] } }),
    ];
    for params in unusual {
        let mut session = Session::open_with(binary(), params.clone());
        session.open_document(URI, SCRIPT);
        assert_eq!(session.diagnostics(URI, 1).as_array().map(Vec::len), Some(1), "{params}");
        session.close();
    }
}

#[test]
fn only_what_exists_is_promised() {
    let mut session = Session::start(binary());
    let result = session.request("initialize", json!({ "capabilities": {} }));
    let promised = result["capabilities"].as_object().cloned().unwrap_or_default();
    let promised: Vec<String> = promised.into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        promised,
        ["positionEncoding", "textDocumentSync", "hoverProvider", "codeActionProvider", "inlayHintProvider"]
    );
    assert_eq!(result["capabilities"]["textDocumentSync"]["change"], 2);
    assert_eq!(result["serverInfo"]["name"], "vramlens");
    session.close();
}
