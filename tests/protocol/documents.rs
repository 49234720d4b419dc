//! The server's copy of a document, and what its positions count.

use serde_json::{Value, json};
use vramlens_tests::session::Session;

use crate::{LINE, SCRIPT, URI, binary, edit, lines, plain};

/// What stands in front of the finding on its own line, in each line ending and script.
const PREFIXES: [&str; 4] = ["'é😀'; ", "'損失'; ", "'e\u{301}'; ", "'👩‍🔬\u{2028}'; "];

fn open_with_encodings(offered: &Value) -> (Session, Value) {
    let mut session = Session::start(binary());
    let general = json!({ "capabilities": { "general": { "positionEncodings": offered } } });
    let result = session.request("initialize", general);
    session.notify("initialized", json!({}));
    (session, result["capabilities"]["positionEncoding"].clone())
}

fn width(text: &str, encoding: &str) -> usize {
    match encoding {
        "utf-8" => text.len(),
        "utf-16" => text.encode_utf16().count(),
        _ => text.chars().count(),
    }
}

#[test]
fn positions_count_what_was_agreed_on() {
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        let (mut session, agreed) = open_with_encodings(&json!([encoding]));
        assert_eq!(agreed, encoding);
        for (version, prefix) in PREFIXES.iter().enumerate() {
            let uri = format!("file:///nowhere/{version}.py");
            let text = SCRIPT.replace("    total_loss += loss", &format!("    {prefix}total_loss += loss"));
            session.open_document(&uri, &text);
            let found = session.diagnostics(&uri, 1);
            let start = &found[0]["range"]["start"];
            assert_eq!(start["line"], LINE, "{encoding} {prefix:?}");
            assert_eq!(start["character"], 4 + width(prefix, encoding), "{encoding} {prefix:?}");
        }
        session.close();
    }
}

#[test]
fn the_cheapest_encoding_that_is_offered_is_taken() {
    for (offered, taken) in [
        (json!(["utf-16", "utf-32", "utf-8"]), "utf-8"),
        (json!(["utf-16", "utf-32"]), "utf-32"),
        (json!([]), "utf-16"),
        (json!(["ebcdic", 3]), "utf-16"),
        (Value::Null, "utf-16"),
    ] {
        let (session, agreed) = open_with_encodings(&offered);
        assert_eq!(agreed, taken, "{offered}");
        session.close();
    }
}

#[test]
fn an_older_client_is_told_the_encoding_in_the_field_it_reads() {
    let mut session = Session::start(binary());
    let capabilities = json!({ "offsetEncoding": ["utf-8", "utf-16"] });
    let result = session.request("initialize", json!({ "capabilities": capabilities }));
    assert_eq!(result["offsetEncoding"], "utf-8");
    session.close();

    let both = json!({ "offsetEncoding": ["utf-8"], "general": { "positionEncodings": ["utf-16"] } });
    let mut session = Session::start(binary());
    let result = session.request("initialize", json!({ "capabilities": both }));
    assert_eq!(result.get("offsetEncoding"), None);
    assert_eq!(result["capabilities"]["positionEncoding"], "utf-16");
    session.close();
}

#[test]
fn edits_count_what_was_agreed_on() {
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        let (mut session, _) = open_with_encodings(&json!([encoding]));
        let spoiled = SCRIPT.replace("    total_loss += loss", "    '😀é損'; total_loss += (loss)");
        session.open_document(URI, &spoiled);
        let at = |text: &str| u32::try_from(4 + width(text, encoding)).unwrap_or(0);
        // The second change counts in what the first one left.
        let opening = at("'😀é損'; total_loss += ");
        let closing = at("'😀é損'; total_loss += loss");
        session.change(
            URI,
            2,
            &[
                edit(LINE, (opening, opening + 1), ""),
                edit(LINE, (closing, closing + 1), ""),
                edit(LINE, (4, at("'😀é損'; ")), ""),
            ],
        );
        let actions = session.actions(URI, (LINE, LINE), &json!({ "diagnostics": [], "only": ["quickfix"] }));
        let end = &actions[0]["edit"]["changes"][URI][0]["range"]["end"];
        assert_eq!(end, &json!({ "line": LINE, "character": 22 }), "{encoding}");
        session.close();
    }
}

#[test]
fn lines_end_with_line_feed_carriage_return_or_both() {
    for ending in ["\n", "\r\n", "\r"] {
        let mut session = plain();
        // Other tools' line ends stand in a comment and end nothing.
        let text = format!("# \u{2028}\u{2029}\u{85}\u{b}\u{c}\n{SCRIPT}").replace('\n', ending);
        session.open_document(URI, &text);
        session.change(URI, 2, &[edit(0, (0, 0), "# one more"), edit(0, (10, 10), ending)]);
        let found = session.diagnostics(URI, 2);
        if ending != "\r" {
            assert_eq!(lines(&found), [u64::from(LINE) + 2], "{ending:?}");
        }
        session.close();
    }
}

#[test]
fn impossible_ranges_are_clamped() {
    let mut session = plain();
    session.open_document(URI, "# 😀\n");
    let half = json!({ "start": { "line": 0, "character": 3 }, "end": { "line": 0, "character": 3 } });
    let backwards = json!({ "start": { "line": 9, "character": 9 }, "end": { "line": 1, "character": 0 } });
    let beyond = json!({ "start": { "line": 0, "character": 4_000_000_000_u32 }, "end": { "line": 77, "character": 1 } });
    session.change(
        URI,
        2,
        &[
            json!({ "range": half, "text": "x" }),
            json!({ "range": backwards, "text": "# end" }),
            json!({ "range": beyond, "text": format!("\n{SCRIPT}") }),
        ],
    );
    assert_eq!(lines(&session.diagnostics(URI, 2)), [u64::from(LINE) + 1]);
    session.close();
}

#[test]
fn a_change_without_a_range_or_a_version_counts_too() {
    let mut session = plain();
    session.open_document(URI, "pass\n");
    let document = json!({ "uri": URI, "version": null });
    let changes = json!([{ "text": SCRIPT }, edit(0, (0, 0), "\n")]);
    session.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    let actions = session.actions(URI, (LINE + 1, LINE + 1), &json!({ "diagnostics": [] }));
    assert!(actions.as_array().is_some_and(|actions| !actions.is_empty()));
    session.close();
}

#[test]
fn only_python_is_looked_at() {
    let mut session = plain();
    let document = |uri: &str, language: &str| {
        json!({ "textDocument": {
        "uri": uri, "languageId": language, "version": 1, "text": SCRIPT } })
    };
    session.notify("textDocument/didOpen", document("file:///nowhere/notes.md", "markdown"));
    session.notify("textDocument/didOpen", document("untitled:Untitled-1", "python"));
    session.notify("textDocument/didOpen", document("file:///nowhere/odd.py", "plaintext"));
    session.diagnostics("untitled:Untitled-1", 1);
    session.diagnostics("file:///nowhere/odd.py", 1);
    assert!(session.unclaimed("textDocument/publishDiagnostics", URI).is_empty());
    session.close();
}

#[test]
fn a_text_over_the_cap_is_survived() {
    let mut session = plain();
    session.open_document(URI, &"x = 1\n".repeat(500_000));
    session.open_document("file:///nowhere/small.py", SCRIPT);
    assert_eq!(lines(&session.diagnostics("file:///nowhere/small.py", 1)), [u64::from(LINE)]);
    session.change(URI, 2, &[json!({ "text": SCRIPT })]);
    assert_eq!(lines(&session.diagnostics(URI, 2)), [u64::from(LINE)]);
    session.close();
}
