//! What fails inside stays inside.

use serde_json::{Value, json};

use crate::{LINE, SCRIPT, URI, edit, lines, plain};

const INTERNAL_ERROR: i64 = -32603;

#[test]
fn a_handler_that_panics_is_an_error_response() {
    let mut session = plain();
    session.open_document(URI, SCRIPT);
    for _ in 0..3 {
        assert_eq!(session.error("vramlens/fault", Value::Null), INTERNAL_ERROR);
    }
    assert_eq!(lines(&session.diagnostics(URI, 1)), [u64::from(LINE)]);
    session.change(URI, 2, &[edit(0, (0, 0), "\n")]);
    assert_eq!(lines(&session.diagnostics(URI, 2)), [u64::from(LINE) + 1]);
    session.close();
}

#[test]
fn a_change_that_panics_is_told_and_the_next_one_applied() {
    let mut session = plain();
    session.open_document(URI, SCRIPT);
    session.notify("vramlens/fault", json!({}));
    let told = session.called("window/showMessage");
    assert!(told["params"]["message"].as_str().is_some_and(|told| told.contains("vramlens/fault")), "{told}");
    session.change(URI, 2, &[edit(0, (0, 0), "\n")]);
    assert_eq!(lines(&session.diagnostics(URI, 2)), [u64::from(LINE) + 1]);
    session.close();
}

#[test]
fn a_rule_that_panics_leaves_the_other_findings_and_is_told_once() {
    let mut session = plain();
    let text = format!("{SCRIPT}# vramlens-fault: rule-panic\n");
    session.open_document(URI, &text);
    assert_eq!(lines(&session.diagnostics(URI, 1)), [u64::from(LINE)]);
    session.change(URI, 2, &[edit(0, (0, 0), "\n")]);
    assert_eq!(lines(&session.diagnostics(URI, 2)), [u64::from(LINE) + 1]);
    session.open_document("file:///nowhere/other.py", &text);
    session.diagnostics("file:///nowhere/other.py", 1);
    let told = session.unclaimed("window/showMessage", URI);
    assert_eq!(told.len(), 1, "{told:?}");
    let sentence = told.first().and_then(|message| message["params"]["message"].as_str());
    assert!(sentence.is_some_and(|sentence| sentence.contains("train.py")), "{sentence:?}");
    session.close();
}

#[test]
fn an_analysis_that_panics_is_told_once_and_the_next_version_is_analysed() {
    let mut session = plain();
    session.open_document(URI, &format!("# vramlens-fault: analysis-panic\n{SCRIPT}"));
    assert_eq!(session.diagnostics(URI, 1), json!([]));
    session.change(URI, 2, &[edit(2, (0, 0), "\n")]);
    assert_eq!(session.diagnostics(URI, 2), json!([]));
    session.change(URI, 3, &[edit(0, (0, 50), "")]);
    assert_eq!(lines(&session.diagnostics(URI, 3)), [u64::from(LINE) + 2]);
    assert_eq!(session.unclaimed("window/showMessage", URI).len(), 1);
    session.close();
}
