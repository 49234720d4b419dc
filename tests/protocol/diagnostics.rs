//! How findings reach the client.

use serde_json::{Value, json};
use vramlens_tests::session::Session;

use crate::{LINE, SCRIPT, URI, binary, edit, lines, plain, pulling};

const PUSH: &str = "textDocument/publishDiagnostics";

fn pull(session: &mut Session, uri: &str, previous: Option<&Value>) -> Value {
    let mut params = json!({ "textDocument": { "uri": uri } });
    if let (Some(params), Some(previous)) = (params.as_object_mut(), previous) {
        params.insert("previousResultId".to_owned(), previous.clone());
    }
    session.request("textDocument/diagnostic", params)
}

fn close(session: &mut Session, uri: &str) {
    session.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
}

#[test]
fn a_client_that_can_pull_is_not_pushed_to() {
    let mut session = Session::start(binary());
    let result = session.request("initialize", json!({ "capabilities": pulling() }));
    let provider = &result["capabilities"]["diagnosticProvider"];
    assert_eq!(provider["workspaceDiagnostics"], false, "{result}");
    session.notify("initialized", json!({}));
    session.open_document(URI, SCRIPT);
    let report = pull(&mut session, URI, None);
    assert_eq!((&report["kind"], lines(&report["items"])), (&json!("full"), vec![u64::from(LINE)]));
    session.change(URI, 2, &[edit(0, (0, 0), "\n")]);
    assert_eq!(lines(&pull(&mut session, URI, None)["items"]), [u64::from(LINE) + 1]);
    assert!(session.unclaimed(PUSH, URI).is_empty());
    close(&mut session, URI);
    assert_eq!(pull(&mut session, URI, None)["items"], json!([]));
    assert!(session.unclaimed(PUSH, URI).is_empty());
    session.close();
}

#[test]
fn a_client_that_cannot_be_asked_to_pull_again_is_pushed_to() {
    let only_pull = json!({ "textDocument": { "diagnostic": {} } });
    let only_refresh = json!({ "workspace": { "diagnostics": { "refreshSupport": true } } });
    for capabilities in [only_pull, only_refresh, json!({})] {
        let mut session = Session::start(binary());
        let result = session.request("initialize", json!({ "capabilities": capabilities }));
        assert_eq!(result["capabilities"].get("diagnosticProvider"), None);
        session.open_document(URI, SCRIPT);
        assert_eq!(lines(&session.diagnostics(URI, 1)), [u64::from(LINE)]);
        session.close();
    }
}

#[test]
fn an_unchanged_result_is_not_sent_again() {
    let mut session = Session::open(binary(), &pulling());
    session.open_document(URI, SCRIPT);
    let id = pull(&mut session, URI, None)["resultId"].clone();
    assert!(id.is_string());
    let again = pull(&mut session, URI, Some(&id));
    assert_eq!((&again["kind"], &again["resultId"]), (&json!("unchanged"), &id));
    // Something after the finding changes nothing of it, something before it does.
    session.change(URI, 2, &[edit(LINE + 2, (0, 0), "# the end")]);
    assert_eq!(pull(&mut session, URI, Some(&id))["kind"], "unchanged");
    session.change(URI, 3, &[edit(0, (0, 0), "\n")]);
    assert_eq!(pull(&mut session, URI, Some(&id))["kind"], "full");
    session.close();
}

#[test]
fn diagnostics_are_cleared_when_a_document_is_closed() {
    let mut session = plain();
    session.open_document(URI, SCRIPT);
    assert_eq!(lines(&session.diagnostics(URI, 1)), [u64::from(LINE)]);
    close(&mut session, URI);
    let cleared = session.called(PUSH);
    assert_eq!((&cleared["params"]["uri"], &cleared["params"]["diagnostics"]), (&json!(URI), &json!([])));
    close(&mut session, URI);
    session.open_document(URI, SCRIPT);
    assert_eq!(lines(&session.diagnostics(URI, 1)), [u64::from(LINE)]);
    session.close();
}

#[test]
fn diagnostics_are_cleared_when_the_finding_is_gone() {
    let mut session = plain();
    session.open_document(URI, SCRIPT);
    assert_eq!(lines(&session.diagnostics(URI, 1)), [u64::from(LINE)]);
    session.change(URI, 2, &[edit(LINE, (22, 22), ".item()")]);
    assert_eq!(session.diagnostics(URI, 2), json!([]));
    session.close();
}

#[test]
fn a_diagnostic_says_all_that_a_client_can_show() {
    let capabilities = json!({ "textDocument": { "publishDiagnostics": {
        "relatedInformation": true, "codeDescriptionSupport": true, "dataSupport": true } } });
    let mut session = Session::open(binary(), &capabilities);
    session.open_document(URI, SCRIPT);
    let found = session.diagnostics(URI, 1)[0].clone();
    assert_eq!(found["source"], "vramlens");
    assert_eq!(found["code"], "OOM101");
    assert_eq!(found["severity"], 2);
    assert_eq!(found["data"], json!({ "code": "OOM101", "version": 1 }));
    let page = found["codeDescription"]["href"].as_str();
    assert!(page.is_some_and(|page| page.starts_with("https://") && page.contains("oom101")), "{page:?}");
    let related = &found["relatedInformation"][0];
    assert_eq!(related["location"]["uri"], URI, "{found}");
    assert!(related["message"].as_str().is_some_and(|message| !message.is_empty()));
    session.close();
}

#[test]
fn other_places_are_told_in_words_to_a_client_that_cannot_link_to_them() {
    let quiet = json!({ "textDocument": { "publishDiagnostics": {
        "relatedInformation": false, "codeDescriptionSupport": false } } });
    let mut session = Session::open(binary(), &quiet);
    session.open_document(URI, SCRIPT);
    let found = session.diagnostics(URI, 1)[0].clone();
    assert!(found.get("relatedInformation").is_none() && found.get("codeDescription").is_none(), "{found}");
    assert!(found["message"].as_str().is_some_and(|message| message.contains("\nLine ")), "{found}");
    session.close();
}
