//! The scripts that the README's first command shows.

use crate::support::{Outcome, command};

fn check(words: &[&str]) -> Outcome {
    let mut command = command(vramlens_tests::workspace_root());
    Outcome::of(&command.args(["check", "--exit-zero", "tests/showcase"]).args(words).output().unwrap())
}

#[test]
fn the_showcase_shows() {
    let outcome = check(&[]);
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(outcome.stdout);
}

#[test]
fn every_script_but_the_clean_one_has_a_finding_at_warning_or_above() {
    let findings = check(&["--output-format", "json"]).json();
    for name in ["classic_loop.py", "collect_predictions.py", "finetune.ipynb", "trainer_class.py"] {
        let shown = findings.iter().any(|finding| {
            finding["filename"] == format!("tests/showcase/{name}")
                && (finding["severity"] == "warning" || finding["severity"] == "error")
        });
        assert!(shown, "{name}");
    }
    let clean = findings.iter().filter(|finding| finding["filename"] == "tests/showcase/clean.py");
    assert_eq!(clean.count(), 0);
}
