//! Changes take effect in the order of arrival, whatever else is going on.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;
use vramlens_tests::session::Session;

use crate::{LINE, SCRIPT, URI, binary, edit, lines, plain};

const CANCELLED: i64 = -32800;

/// A text whose analysis waits until [`Gate::open`].
struct Gate {
    folder: TempDir,
}

impl Gate {
    fn closed() -> Self {
        Self { folder: tempfile::tempdir().unwrap_or_else(|error| panic!("{error}")) }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("open")
    }

    fn script(&self) -> String {
        format!("{SCRIPT}# vramlens-fault: wait {}\n", self.file().display())
    }

    fn open(&self) {
        assert!(fs::write(self.file(), "").is_ok());
    }
}

/// Asks for the fixes on a line, and does not wait for the answer.
fn ask_for_fixes(session: &mut Session, line: u32) -> i64 {
    let place = json!({ "line": line, "character": 4 });
    let params = json!({
        "textDocument": { "uri": URI },
        "range": { "start": place, "end": place },
        "context": { "diagnostics": [], "only": ["quickfix"] },
    });
    session.send_request("textDocument/codeAction", params)
}

/// Waits until the server has read everything sent so far.
fn wait_until_read(session: &mut Session) {
    assert_eq!(session.error("no/such/method", json!({})), -32601);
}

#[test]
fn a_request_sees_every_change_in_front_of_it() {
    let mut session = plain();
    session.open_document(URI, SCRIPT);
    for version in 2..100 {
        // One more blank line at the top.
        session.change(URI, version, &[edit(0, (0, 0), "\n")]);
        let line = LINE + version.unsigned_abs() - 1;
        let id = ask_for_fixes(&mut session, line);
        let fixes = session.answer_to(id);
        let place = &fixes["result"][0]["edit"]["changes"][URI][0]["range"]["start"]["line"];
        assert_eq!(place, line, "{fixes}");
    }
    let id = ask_for_fixes(&mut session, LINE);
    assert_eq!(session.answer_to(id)["result"], json!([]), "the finding has moved away from its first line");
    session.close();
}

#[test]
fn the_newest_version_wins_a_burst() {
    let gate = Gate::closed();
    let mut session = plain();
    session.open_document(URI, &gate.script());
    for version in 2..=200 {
        session.change(URI, version, &[edit(0, (0, 0), "\n")]);
    }
    wait_until_read(&mut session);
    gate.open();
    let last = session.diagnostics(URI, 200);
    assert_eq!(lines(&last), [u64::from(LINE) + 199]);
    let pushed = session.unclaimed("textDocument/publishDiagnostics", URI);
    let versions: Vec<i64> = pushed.iter().filter_map(|m| m["params"]["version"].as_i64()).collect();
    assert!(versions.is_empty(), "diagnostics of versions that nobody has any more: {versions:?}");
    session.close();
}

#[test]
fn no_version_is_published_twice_or_after_a_newer_one() {
    let mut session = plain();
    session.open_document(URI, SCRIPT);
    for version in 2..=200 {
        session.change(URI, version, &[edit(0, (0, 0), "\n")]);
    }
    let pushed = session.unclaimed("textDocument/publishDiagnostics", URI);
    let versions: Vec<i64> = pushed.iter().filter_map(|m| m["params"]["version"].as_i64()).collect();
    assert_eq!(versions.last(), Some(&200));
    assert!(versions.is_sorted_by(|earlier, later| earlier < later), "{versions:?}");
    session.close();
}

#[test]
fn a_result_that_is_out_of_date_when_it_comes_is_dropped() {
    let gate = Gate::closed();
    let mut session = plain();
    session.open_document(URI, &gate.script());
    session.change(URI, 2, &[json!({ "text": "print(1)\n" })]);
    session.open_document("file:///nowhere/closed.py", &gate.script());
    session
        .notify("textDocument/didClose", json!({ "textDocument": { "uri": "file:///nowhere/closed.py" } }));
    wait_until_read(&mut session);
    gate.open();
    assert_eq!(session.diagnostics(URI, 2), json!([]));
    let pushed = session.unclaimed("textDocument/publishDiagnostics", URI);
    assert_eq!(pushed.len(), 1, "only the clearing of the closed document: {pushed:?}");
    assert_eq!(pushed.first().map(|message| &message["params"]["diagnostics"]), Some(&json!([])));
    session.close();
}

#[test]
fn a_cancelled_request_is_answered_at_once() {
    let gate = Gate::closed();
    let mut session = plain();
    session.open_document(URI, &gate.script());
    let waiting = ask_for_fixes(&mut session, LINE);
    let patient = ask_for_fixes(&mut session, LINE);
    session.notify("$/cancelRequest", json!({ "id": waiting }));
    assert_eq!(session.answer_to(waiting)["error"]["code"], CANCELLED);
    // What never was, or is over, cannot be cancelled, and that is no error.
    for id in [json!(waiting), json!(999), json!("x"), json!(null), json!([1])] {
        session.notify("$/cancelRequest", json!({ "id": id }));
    }
    session.notify("$/cancelRequest", json!(null));
    gate.open();
    assert!(session.answer_to(patient)["result"].is_array());
    session.close();
}

#[test]
fn a_waiting_request_holds_up_no_other() {
    let gate = Gate::closed();
    let mut session = plain();
    session.open_document(URI, &gate.script());
    let waiting: Vec<i64> = (0..200).map(|_| ask_for_fixes(&mut session, LINE)).collect();
    wait_until_read(&mut session);
    gate.open();
    for id in waiting {
        assert!(session.answer_to(id)["result"].is_array());
    }
    session.close();
}

#[test]
fn an_id_that_waits_cannot_be_used_twice() {
    let gate = Gate::closed();
    let mut session = plain();
    session.open_document(URI, &gate.script());
    let waiting = ask_for_fixes(&mut session, LINE);
    session.send(&json!({ "jsonrpc": "2.0", "id": waiting, "method": "no/such/method" }));
    assert_eq!(session.answer_to(waiting)["error"]["code"], -32600);
    gate.open();
    assert!(session.answer_to(waiting)["result"].is_array());
    session.close();
}

#[test]
fn a_document_closed_meanwhile_leaves_no_request_waiting() {
    let gate = Gate::closed();
    let mut session = plain();
    session.open_document(URI, &gate.script());
    let waiting = ask_for_fixes(&mut session, LINE);
    session.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(session.answer_to(waiting)["result"], Value::Null);
    gate.open();
    session.close();
}

#[test]
fn a_running_analysis_does_not_keep_the_process() {
    let gate = Gate::closed();
    let mut session = plain();
    session.open_document(URI, &gate.script());
    ask_for_fixes(&mut session, LINE);
    session.close();
}

#[test]
fn changes_flow_while_the_server_waits_for_the_client() {
    let mut session = Session::open(binary(), &json!({ "workspace": { "configuration": true } }));
    session.open_document(URI, SCRIPT);
    for version in 2..=301 {
        // Each makes the server ask for the settings, and none is answered yet.
        session.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
        session.change(URI, version, &[edit(0, (0, 0), "\n")]);
    }
    assert_eq!(lines(&session.diagnostics(URI, 301)), [u64::from(LINE) + 300]);
    // The one after `initialized`, and one a notification.
    for _ in 0..301 {
        let asked = session.called("workspace/configuration");
        session.respond(&asked, &json!([{ "ignore": ["OOM101"] }]));
    }
    session.wait_for_clean(URI);
    session.close();
}
