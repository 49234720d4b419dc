//! The forms that findings are printed in.

use serde_json::{Value, json};

use crate::support::{Folder, ROW, TRAINING};

#[test]
fn full() {
    insta::assert_snapshot!(Folder::with_training().run(&["check"]).stdout);
}

#[test]
fn full_is_the_default() {
    let folder = Folder::with_training();
    assert_eq!(folder.run(&["check"]), folder.run(&["check", "--output-format", "full"]));
}

#[test]
fn concise() {
    insta::assert_snapshot!(Folder::with_training().run(&["check", "--output-format", "concise"]).stdout);
}

#[test]
fn concise_is_one_line_for_each_finding() {
    let outcome = Folder::with_training().run(&["check", "--output-format", "concise"]);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("train.py:14:5: OOM101 [warning] "), "{}", lines[0]);
    assert_eq!(lines[1], "1 warning in 1 file; 1 fixable with --fix");
}

#[test]
fn json() {
    insta::assert_snapshot!(Folder::with_training().run(&["check", "--output-format", "json"]).stdout);
}

#[test]
fn every_field_of_json_is_there_and_right() {
    let findings = Folder::with_training().run(&["check", "--output-format", "json"]).json();
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    let fields = [
        "code",
        "name",
        "severity",
        "confidence",
        "growth",
        "message",
        "filename",
        "cell",
        "location",
        "end_location",
        "fix",
        "related",
        "saves_bytes",
        "url",
    ];
    let names: Vec<&str> = finding.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, fields);
    assert_eq!(finding["code"], "OOM101");
    assert_eq!(finding["severity"], "warning");
    assert_eq!(finding["growth"], "nodes-only");
    assert_eq!(finding["filename"], "train.py");
    assert_eq!(finding["cell"], Value::Null);
    assert_eq!(finding["location"], json!({"row": ROW, "column": 5}));
    assert_eq!(finding["end_location"], json!({"row": ROW, "column": 23}));
    let place = json!({"row": ROW, "column": 23});
    assert_eq!(finding["fix"]["applicability"], "safe");
    assert_eq!(
        finding["fix"]["edits"],
        json!([{
            "filename": "train.py", "cell": null, "content": ".item()",
            "location": place, "end_location": place,
        }])
    );
    for related in finding["related"].as_array().unwrap() {
        assert_eq!(related["filename"], "train.py");
        assert!(related["location"]["row"].as_u64().unwrap() >= 1);
        assert!(!related["message"].as_str().unwrap().is_empty());
    }
    assert!(finding["url"].as_str().unwrap().starts_with("https://"));
}

#[test]
fn json_without_findings_is_an_empty_array() {
    let outcome = Folder::new().file("train.py", "x = 1\n").run(&["check", "--output-format", "json"]);
    assert_eq!((outcome.status, outcome.json()), (0, vec![]));
}

#[test]
fn columns_count_scalar_values_and_a_byte_order_mark_does_not_count() {
    let code = TRAINING.replace("    total_loss += loss", "    '😀e\u{301}\u{4e2d}'; total_loss += loss");
    let folder = Folder::new().file("train.py", format!("\u{feff}{code}"));
    let findings = folder.run(&["check", "--output-format", "json"]).json();
    assert_eq!(findings[0]["location"], json!({"row": ROW, "column": 13}));
    assert_eq!(findings[0]["end_location"], json!({"row": ROW, "column": 31}));
    let concise = folder.run(&["check", "--output-format", "concise"]).stdout;
    assert!(concise.starts_with("train.py:14:13: OOM101"), "{concise}");
    let full = folder.run(&["check"]).stdout;
    assert!(full.contains("--> train.py:14:13\n"), "{full}");
}

#[test]
fn rows_count_every_line_end_of_python() {
    let unix = format!("# one\n# two\n{TRAINING}");
    for code in [unix.clone(), unix.replace('\n', "\r\n"), unix.replace("one\n", "one\r")] {
        let folder = Folder::new().file("train.py", &code);
        let findings = folder.run(&["check", "--output-format", "json"]).json();
        assert_eq!(findings[0]["location"], json!({"row": ROW + 2, "column": 5}), "{code:?}");
        let full = folder.run(&["check"]).stdout;
        assert!(full.contains("--> train.py:16:5\n"), "{full}");
    }
}

#[test]
fn the_file_is_named_as_it_was_given() {
    let folder = Folder::new().file("src/train.py", TRAINING);
    let absolute = folder.path("src/train.py").display().to_string();
    for (given, name) in [
        (".", "src/train.py"),
        ("src", "src/train.py"),
        ("./src", "./src/train.py"),
        ("src/train.py", "src/train.py"),
        ("./src/train.py", "./src/train.py"),
        (absolute.as_str(), absolute.as_str()),
    ] {
        let findings = folder.run(&["check", "--output-format", "json", given]).json();
        assert_eq!(findings[0]["filename"], name, "{given}");
        assert_eq!(findings[0]["fix"]["edits"][0]["filename"], name, "{given}");
    }
}

#[test]
fn colour_is_for_those_who_want_it() {
    let folder = Folder::with_training();
    let colours = |name: &str| {
        let output = folder.command(&["check"]).env(name, "1").output().unwrap();
        String::from_utf8(output.stdout).unwrap().contains('\u{1b}')
    };
    assert!(colours("CLICOLOR_FORCE"));
    assert!(!colours("NO_COLOR"));
    assert!(!folder.run(&["check"]).stdout.contains('\u{1b}'));
}

#[test]
fn a_name_cannot_speak_to_the_terminal() {
    let folder = Folder::new().file("tr\u{1b}[31min.py", TRAINING);
    for format in ["full", "concise", "json"] {
        let outcome = folder.run(&["check", "--output-format", format]);
        assert_eq!(outcome.status, 1);
        assert!(!outcome.stdout.contains('\u{1b}'), "{}", outcome.stdout);
    }
}
