//! Bytes that are no message.

use serde_json::{Value, json};
use vramlens_tests::session::{Session, frame};

use crate::{SCRIPT, URI, binary, plain};

/// The server is there and knows its document.
fn expect_alive(mut session: Session) {
    session.open_document("file:///nowhere/after.py", SCRIPT);
    assert_eq!(session.diagnostics("file:///nowhere/after.py", 1).as_array().map(Vec::len), Some(1));
    session.close();
}

fn error_without_id(session: &mut Session) -> i64 {
    session.answer_to_any(Value::Null)["error"]["code"].as_i64().unwrap_or(0)
}

#[test]
fn a_wrong_length_costs_one_message() {
    let body = json!({ "jsonrpc": "2.0", "method": "$/stray" }).to_string();
    for length in [1, body.len() - 1, body.len() + 7] {
        let mut session = plain();
        session.send_raw(format!("Content-Length: {length}\r\n\r\n{body}").as_bytes());
        session.send(&json!({ "jsonrpc": "2.0", "method": "$/swallowed" }));
        assert_eq!(error_without_id(&mut session), -32700, "length {length}");
        expect_alive(session);
    }
}

#[test]
fn what_is_no_message_is_answered_as_such() {
    let mut session = plain();
    session.send_raw(&[b"Content-Length: 4\r\n\r\n".as_slice(), &[0xff, 0xfe, 0x00, 0x80]].concat());
    assert_eq!(error_without_id(&mut session), -32700);
    session.send_raw(&frame(&json!([])));
    assert_eq!(error_without_id(&mut session), -32600);
    session.send_raw(&frame(&json!({ "jsonrpc": "2.0" })));
    assert_eq!(error_without_id(&mut session), -32600);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    session.send_raw(format!("Content-Length: {}\r\n\r\n{deep}", deep.len()).as_bytes());
    assert_eq!(error_without_id(&mut session), -32700);
    expect_alive(session);
}

#[test]
fn stray_lines_and_unusual_headers_are_read_over() {
    let mut session = plain();
    session.send_raw(b"some tool's warning\r\n\r\nContent-Length: -3\r\nContent-Length: x\r\n\r\n");
    let body = json!({ "jsonrpc": "2.0", "id": "odd", "method": "no/such" }).to_string();
    let header =
        format!("CONTENT-LENGTH:{}\r\nContent-Type: application/vscode-jsonrpc\r\nA: b\r\n", body.len());
    session.send_raw(format!("{header}\r\n{body}").as_bytes());
    assert_eq!(session.answer_to_any("odd")["error"]["code"], -32601);
    expect_alive(session);
}

#[test]
fn an_answer_to_nothing_is_ignored() {
    let mut session = plain();
    session.send(&json!({ "jsonrpc": "2.0", "id": 99, "result": null }));
    session.send(&json!({ "jsonrpc": "2.0", "id": "x", "error": { "code": 1, "message": "?" } }));
    session.send(&json!({ "jsonrpc": "2.0", "id": null, "result": {} }));
    expect_alive(session);
}

#[test]
fn half_a_frame_and_then_the_end_ends_the_process() {
    for part in ["Content-Len", "Content-Length: 99\r\n", "Content-Length: 99\r\n\r\n{\"jsonrpc\""] {
        let mut session = plain();
        session.open_document(URI, SCRIPT);
        session.diagnostics(URI, 1);
        session.send_raw(part.as_bytes());
        session.end_input();
        session.expect_exit(1);
    }
}

#[test]
fn bytes_before_the_first_message_do_not_keep_it_away() {
    let mut session = Session::start(binary());
    session.send_raw(b"\x00\xff\xfe garbage without an end");
    session.request("initialize", json!({ "capabilities": {} }));
    expect_alive(session);
}
