//! What can be done about findings.

use serde_json::{Value, json};
use vramlens_tests::session::Session;

use crate::{LINE, SCRIPT, URI, binary, edit, plain, titles};

/// The script with a second sum of the same kind below the first.
fn twice() -> String {
    let more = SCRIPT.replace("total_loss += loss\n", "total_loss += loss\n    other_loss += loss\n");
    more.replace("total_loss = 0.0\n", "total_loss = other_loss = 0.0\n")
}

fn actions(session: &mut Session, context: &Value) -> Value {
    session.actions(URI, (LINE, LINE), context)
}

fn open(capabilities: &Value, text: &str) -> Session {
    let mut session = Session::open(binary(), capabilities);
    session.open_document(URI, text);
    session
}

fn versioned() -> Value {
    json!({ "workspace": { "workspaceEdit": { "documentChanges": true } } })
}

/// An insertion at the end of the finding's line.
fn insertion(text: &str) -> Value {
    let end = json!({ "line": LINE, "character": 22 });
    json!({ "range": { "start": end, "end": end }, "newText": text })
}

#[test]
fn the_fix_comes_first_and_ignoring_last() {
    let mut session = plain();
    session.open_document(URI, SCRIPT);
    let offered = actions(&mut session, &json!({ "diagnostics": [] }));
    let kinds: Vec<&Value> = offered.as_array().into_iter().flatten().map(|action| &action["kind"]).collect();
    assert_eq!(kinds, ["quickfix", "source.fixAll.vramlens", "quickfix"]);
    assert_eq!(titles(&offered).last(), Some(&"Ignore OOM101 on this line"));
    let fix = &offered[0];
    assert_eq!(fix["isPreferred"], true);
    assert_eq!(fix["diagnostics"][0]["code"], "OOM101");
    assert_eq!(fix["edit"]["changes"][URI], json!([insertion(".item()")]));
    let ignore = &offered[2];
    assert_eq!(ignore.get("isPreferred"), None);
    assert_eq!(ignore["edit"]["changes"][URI], json!([insertion("  # vramlens: ignore[OOM101]")]));
    session.close();
}

#[test]
fn nothing_is_needed_of_the_diagnostics_that_a_client_echoes() {
    let mut session = plain();
    session.open_document(URI, SCRIPT);
    let place = json!({ "start": { "line": LINE, "character": 4 }, "end": { "line": LINE, "character": 5 } });
    let bare = json!({ "range": place, "message": "?" });
    for context in [json!({ "diagnostics": [] }), json!({ "diagnostics": [bare] })] {
        let params = json!({ "textDocument": { "uri": URI }, "range": place, "context": context });
        let offered = session.request("textDocument/codeAction", params);
        assert_eq!(offered[0]["edit"]["changes"][URI], json!([insertion(".item()")]));
    }
    assert_eq!(session.actions(URI, (0, 1), &json!({ "diagnostics": [], "only": ["quickfix"] })), json!([]));
    session.close();
}

#[test]
fn the_edit_is_for_the_text_as_it_is_now() {
    let mut session = open(&versioned(), SCRIPT);
    session.diagnostics(URI, 1);
    session.change(URI, 7, &[edit(0, (0, 0), "\n\n"), edit(LINE + 2, (0, 4), "        ")]);
    let stale = json!({ "range": { "start": { "line": LINE, "character": 4 }, "end": { "line": LINE, "character": 22 } },
        "message": "?", "data": { "code": "OOM101", "version": 1 } });
    let offered = session.actions(URI, (LINE + 2, LINE + 2), &json!({ "diagnostics": [stale] }));
    let change = &offered[0]["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({ "uri": URI, "version": 7 }));
    let end = json!({ "line": LINE + 2, "character": 26 });
    assert_eq!(change["edits"], json!([{ "range": { "start": end, "end": end }, "newText": ".item()" }]));
    session.close();
}

#[test]
fn edits_name_their_version_only_to_clients_that_declare_it() {
    let mut session = open(&json!({}), SCRIPT);
    let edit = actions(&mut session, &json!({ "diagnostics": [] }))[0]["edit"].clone();
    assert!(edit.get("changes").is_some() && edit.get("documentChanges").is_none(), "{edit}");
    session.close();

    let mut session = open(&versioned(), SCRIPT);
    let offered = actions(&mut session, &json!({ "diagnostics": [] }));
    for action in offered.as_array().into_iter().flatten() {
        let edit = &action["edit"];
        assert!(edit.get("changes").is_none(), "{edit}");
        assert_eq!(edit["documentChanges"][0]["textDocument"]["version"], 1);
    }
    session.close();
}

#[test]
fn fix_all_is_one_edit_for_all_findings() {
    let mut session = plain();
    session.open_document(URI, &twice());
    for only in ["source.fixAll.vramlens", "source.fixAll", "source"] {
        let offered = session.actions(URI, (0, 0), &json!({ "diagnostics": [], "only": [only] }));
        assert_eq!(offered.as_array().map(Vec::len), Some(1), "{only}: {offered}");
        let action = &offered[0];
        assert_eq!(action["kind"], "source.fixAll.vramlens");
        let edits = &action["edit"]["changes"][URI];
        assert_eq!(edits.as_array().map(Vec::len), Some(1));
        let edit = &edits[0];
        assert_eq!(edit["range"]["start"], json!({ "line": LINE, "character": 22 }));
        assert_eq!(edit["range"]["end"], json!({ "line": LINE + 1, "character": 22 }));
        assert_eq!(edit["newText"], ".item()\n    other_loss += loss.item()");
    }
    for only in ["source.fixAll.other", "source.organizeImports", "refactor", "quick"] {
        let offered = actions(&mut session, &json!({ "diagnostics": [], "only": [only] }));
        assert_eq!(offered, json!([]), "{only}");
    }
    session.close();
}

#[test]
fn fix_all_is_not_offered_where_nothing_can_be_fixed() {
    let mut session = plain();
    session.open_document(URI, "print(1)\n");
    assert_eq!(actions(&mut session, &json!({ "diagnostics": [] })), json!([]));
    session.close();
}

#[test]
fn fix_all_is_worked_out_when_it_is_chosen_if_the_client_can_wait() {
    let capabilities = json!({ "textDocument": { "codeAction": {
        "dataSupport": true, "resolveSupport": { "properties": ["edit"] } } } });
    let mut session = open(&capabilities, &twice());
    let offered = actions(&mut session, &json!({ "diagnostics": [] }));
    let mut all = offered.as_array().into_iter().flatten();
    let all = all.find(|action| action["kind"] == "source.fixAll.vramlens").cloned().unwrap_or_default();
    assert_eq!(all.get("edit"), None, "{all}");
    session.change(URI, 2, &[edit(0, (0, 0), "\n")]);
    let resolved = session.request("codeAction/resolve", all);
    let start = &resolved["edit"]["changes"][URI][0]["range"]["start"];
    assert_eq!(start, &json!({ "line": LINE + 1, "character": 22 }), "{resolved}");
    assert_eq!(session.error("codeAction/resolve", json!({ "title": "not ours" })), -32602);
    session.close();
}

#[test]
fn ignoring_extends_a_list_that_is_there() {
    let mut session = plain();
    let text = SCRIPT.replace("+= loss\n", "+= loss  # vramlens: ignore[OOM999]\n");
    session.open_document(URI, &text);
    let offered = actions(&mut session, &json!({ "diagnostics": [], "only": ["quickfix"] }));
    let ignore = offered.as_array().and_then(|offered| offered.last()).cloned().unwrap_or_default();
    let change = &ignore["edit"]["changes"][URI][0];
    assert_eq!(change["newText"], ", OOM101", "{offered}");
    assert_eq!(change["range"]["start"]["character"], 22 + "  # vramlens: ignore[OOM999".len());
    session.close();
}

/// A script whose trainer keeps all activations: the model is loaded on line 1, the options are written on line 2.
const TRAINER: &str = "\
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen2.5-7B', torch_dtype='auto')
args = TrainingArguments('out', bf16=True)
data = load_data()
trainer = Trainer(model=model, args=args, train_dataset=data)
trainer.train()
";

#[test]
fn an_opportunity_is_offered_at_the_options_the_model_and_the_trainer() {
    let mut session = plain();
    session.open_document(URI, TRAINER);
    let offered = |session: &mut Session, line: u32| {
        let offered = session.actions(URI, (line, line), &json!({ "diagnostics": [] }));
        let is_it = |action: &&Value| {
            action["title"].as_str().is_some_and(|title| title.contains("gradient_checkpointing=True"))
        };
        offered.as_array().into_iter().flatten().find(is_it).cloned()
    };
    for (line, kind) in [(2, "quickfix"), (1, "refactor.rewrite"), (4, "refactor.rewrite")] {
        let action = offered(&mut session, line).unwrap_or_else(|| panic!("nothing on line {line}"));
        assert_eq!(action["kind"], kind);
        let edit = &action["edit"]["changes"][URI][0];
        assert_eq!(edit["newText"], ", gradient_checkpointing=True");
        assert_eq!(edit["range"]["start"]["line"], 2);
    }
    assert_eq!(offered(&mut session, 3), None);
    session.close();
}
