//! What is shown of an estimate: in a hover, and beside the code.

#![allow(clippy::needless_pass_by_value, reason = "parameters are written on the spot, with json!")]

use serde_json::{Value, json};
use vramlens_tests::session::Session;

use crate::{URI, binary, edit, plain};

/// The line of [`LOADS`] that loads a model which is known, and the characters of its name in UTF-16.
const KNOWN: u32 = 1;
const NAME: (u32, u32) = (61, 67);

/// A script that loads a model that is known, and one that is not.
const LOADS: &str = "\
from transformers import AutoModelForCausalLM
known = '\u{e9}\u{640d}\u{1f600}'; model = AutoModelForCausalLM.from_pretrained('gpt2', torch_dtype='float32').to('cuda')
other = AutoModelForCausalLM.from_pretrained('nobody/nothing')
";

fn open(capabilities: Value) -> Session {
    let mut session = Session::open(binary(), &capabilities);
    session.open_document(URI, LOADS);
    session
}

fn hover(session: &mut Session, line: u32, character: u32) -> Value {
    let position = json!({ "line": line, "character": character });
    session.request("textDocument/hover", json!({ "textDocument": { "uri": URI }, "position": position }))
}

/// What a hover says.
fn said(session: &mut Session, line: u32, character: u32) -> String {
    let hover = hover(session, line, character);
    hover["contents"]["value"].as_str().unwrap_or_else(|| panic!("no hover: {hover}")).to_owned()
}

fn hints(session: &mut Session) -> Vec<Value> {
    let params = json!({
        "textDocument": { "uri": URI },
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } },
    });
    let hints = session.request("textDocument/inlayHint", params);
    hints.as_array().cloned().unwrap_or_else(|| panic!("no list: {hints}"))
}

fn set(session: &mut Session, settings: Value) {
    let settings = json!({ "settings": { "vramlens": settings } });
    session.notify("workspace/didChangeConfiguration", settings);
}

#[test]
fn it_is_promised() {
    let mut session = Session::start(binary());
    let promised = session.request("initialize", json!({ "capabilities": {} }));
    assert_eq!(promised["capabilities"]["hoverProvider"], true);
    assert_eq!(promised["capabilities"]["inlayHintProvider"], true);
    session.close();
}

#[test]
fn a_model_shows_its_weights_and_the_part_that_is_pointed_at() {
    let mut session = open(json!({}));
    let shown = hover(&mut session, KNOWN, NAME.0 + 2);
    let place = |character: u32| json!({ "line": KNOWN, "character": character });
    assert_eq!(shown["range"], json!({ "start": place(NAME.0), "end": place(NAME.1) }));
    assert_eq!(shown["contents"]["kind"], "plaintext");
    let words = said(&mut session, KNOWN, NAME.0);
    assert!(words.contains("475 MiB of weights on the GPU (124M parameters, float32"), "{words}");
    assert_eq!(hover(&mut session, KNOWN, 2), Value::Null);
    assert_eq!(hover(&mut session, 0, 20), Value::Null);
    session.close();
}

#[test]
fn it_is_written_in_what_the_client_reads() {
    for (formats, kind) in [
        (json!(["markdown", "plaintext"]), "markdown"),
        (json!(["plaintext", "markdown"]), "plaintext"),
        (json!(["markdown"]), "markdown"),
        (json!([]), "plaintext"),
    ] {
        let mut session = open(json!({ "textDocument": { "hover": { "contentFormat": formats } } }));
        let shown = hover(&mut session, KNOWN, NAME.0);
        assert_eq!(shown["contents"]["kind"], kind, "{formats}");
        let words = said(&mut session, KNOWN, NAME.0);
        assert_eq!(words.contains("```text\n"), kind == "markdown", "{words}");
        session.close();
    }
}

#[test]
fn a_model_that_is_not_known_says_what_to_do_and_has_no_hint() {
    let mut session = open(json!({}));
    let words = said(&mut session, 2, 48);
    assert!(words.contains("`nobody/nothing`") && words.contains("not known"), "{words}");
    let hints = hints(&mut session);
    let places: Vec<&Value> = hints.iter().map(|hint| &hint["position"]["line"]).collect();
    assert_eq!(places, [KNOWN]);
    session.close();
}

#[test]
fn a_changed_setting_changes_the_next_hover() {
    let mut session = open(json!({}));
    for (gpu, words) in [
        ("RTX 4090", "The weights fit: RTX 4090"),
        ("256MiB", "The weights do not fit: 256 MiB"),
        ("T4", "The weights fit: T4"),
    ] {
        set(&mut session, json!({ "gpu": gpu }));
        let shown = said(&mut session, KNOWN, NAME.0);
        assert!(shown.contains(words), "{gpu}: {shown}");
    }
    session.close();
}

#[test]
fn the_newest_text_is_what_counts() {
    let mut session = open(json!({}));
    let before = said(&mut session, KNOWN, NAME.0);
    session.change(URI, 2, &[edit(KNOWN, NAME, "'gpt2-xl'")]);
    let after = said(&mut session, KNOWN, NAME.0);
    assert!(before.contains("`gpt2`") && after.contains("gpt2-xl"), "{before}\n{after}");
    session.change(URI, 3, &[edit(0, (0, 0), "\n\n")]);
    assert_eq!(hover(&mut session, KNOWN, NAME.0), Value::Null);
    assert_eq!(said(&mut session, KNOWN + 2, NAME.0), after);
    session.close();
}

#[test]
fn a_hint_stands_after_the_call() {
    let mut session = open(json!({}));
    let [hint] = <[Value; 1]>::try_from(hints(&mut session)).unwrap_or_else(|hints| panic!("{hints:?}"));
    let line = LOADS.lines().nth(KNOWN as usize).unwrap_or_default();
    let call = line.split_once(".to(").map_or(line, |(call, _)| call);
    assert_eq!(hint["position"], json!({ "line": KNOWN, "character": call.encode_utf16().count() }));
    assert_eq!((&hint["label"], &hint["paddingLeft"]), (&json!("475 MiB"), &json!(true)));
    assert!(
        hint["tooltip"]["value"].as_str().is_some_and(|words| words.contains("124M parameters")),
        "{hint}"
    );
    session.close();
}

#[test]
fn hints_can_be_turned_off_and_on() {
    let mut session = open(json!({}));
    for (wanted, count) in [(false, 0), (true, 1)] {
        set(&mut session, json!({ "inlayHints": wanted }));
        assert_eq!(hints(&mut session).len(), count);
    }
    session.close();
}

#[test]
fn a_client_that_can_is_asked_to_ask_for_hints_again() {
    let mut session = open(json!({ "workspace": { "inlayHint": { "refreshSupport": true } } }));
    set(&mut session, json!({ "inlayHints": false }));
    let asked = session.called("workspace/inlayHint/refresh");
    session.respond(&asked, &Value::Null);
    assert_eq!(hints(&mut session), Vec::<Value>::new());
    session.close();
    let mut session = open(json!({}));
    set(&mut session, json!({ "inlayHints": false }));
    assert_eq!(session.unclaimed("workspace/inlayHint/refresh", URI), Vec::<Value>::new());
    session.close();
}

#[test]
fn nothing_is_shown_for_a_document_that_is_not_open() {
    let mut session = plain();
    assert_eq!(hover(&mut session, 0, 0), Value::Null);
    session.open_document(URI, LOADS);
    session.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(hover(&mut session, KNOWN, NAME.0), Value::Null);
    session.close();
}
