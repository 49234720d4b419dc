//! How the process ends, and that it always does.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use vramlens_tests::session::{Session, exit_status, frame};

use crate::{SCRIPT, URI, binary, plain};

fn exit() -> Value {
    json!({ "jsonrpc": "2.0", "method": "exit" })
}

#[test]
fn exit_after_shutdown_ends_well_with_the_input_still_open() {
    plain().close();
}

#[test]
fn exit_without_shutdown_fails_with_the_input_still_open() {
    let mut session = plain();
    session.send(&exit());
    session.expect_exit(1);
}

#[test]
fn exit_before_initialize_fails() {
    let mut session = Session::start(binary());
    session.send(&exit());
    session.expect_exit(1);
}

#[test]
fn the_end_of_the_input_ends_the_process() {
    let mut session = plain();
    session.end_input();
    session.expect_exit(1);

    let mut session = plain();
    session.request("shutdown", Value::Null);
    session.end_input();
    session.expect_exit(0);
}

#[test]
fn a_shutdown_with_exit_behind_it_is_still_answered() {
    let mut session = plain();
    session.open_document(URI, SCRIPT);
    let mut bytes = frame(&json!({ "jsonrpc": "2.0", "id": "last", "method": "shutdown" }));
    bytes.extend(frame(&exit()));
    session.send_raw(&bytes);
    let answer = session.answer_to_any("last");
    assert_eq!(answer.get("result"), Some(&Value::Null), "{answer}");
    session.expect_exit(0);
}

#[test]
fn requests_in_front_of_the_end_are_answered() {
    let mut session = plain();
    session.open_document(URI, SCRIPT);
    let params = json!({
        "textDocument": { "uri": URI },
        "range": { "start": { "line": 10, "character": 4 }, "end": { "line": 10, "character": 5 } },
        "context": { "diagnostics": [] },
    });
    let id = session.send_request("textDocument/codeAction", params);
    session.end_input();
    assert!(session.answer_to(id)["result"].is_array());
    session.expect_exit(1);
}

#[cfg(unix)]
#[test]
fn the_process_ends_when_its_client_is_gone() {
    let mut client = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
    let client = client.as_mut().unwrap_or_else(|error| panic!("cat: {error}"));
    let params = json!({ "processId": client.id(), "capabilities": {} });
    let mut session = Session::open_with(binary(), params);
    session.open_document(URI, SCRIPT);
    session.diagnostics(URI, 1);
    drop(client.stdin.take());
    assert!(client.wait().is_ok_and(|status| status.success()));
    session.expect_exit(1);
}

#[test]
fn a_client_that_never_reads_does_not_keep_the_process() {
    let mut command = Command::new(binary());
    let spawned = command.arg("server").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut server = spawned.unwrap_or_else(|error| panic!("{error}"));
    let mut messages = vec![
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } }),
        json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }),
    ];
    // Far more answers than a pipe holds.
    messages.extend((0..5_000).map(|id| json!({ "jsonrpc": "2.0", "id": id, "method": "no/such/method" })));
    messages.push(exit());
    let bytes: Vec<u8> = messages.iter().flat_map(frame).collect();
    let mut input = server.stdin.take().unwrap_or_else(|| panic!("standard input is not piped"));
    assert!(input.write_all(&bytes).is_ok(), "the server stopped reading");
    assert_eq!(exit_status(&mut server).code(), Some(1));
}
