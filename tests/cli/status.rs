//! What the shell is told.

use crate::support::{Folder, Outcome, TRAINING, fixed};

#[test]
fn findings_at_warning_or_above_are_one() {
    let outcome = Folder::with_training().run(&["check"]);
    assert_eq!(outcome.status, 1);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn nothing_found_is_zero() {
    let outcome = Folder::new().file("train.py", fixed()).run(&["check"]);
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""));
    assert_eq!(outcome.stdout, "no findings in 1 file\n");
}

#[test]
fn a_notice_below_warning_is_zero() {
    let folder = Folder::new().file("data.py", "x = 1\n".repeat(400_000));
    let outcome = folder.run(&["check", "--output-format", "json"]);
    assert_eq!((outcome.status, outcome.codes()), (0, vec!["VL002".to_owned()]));
}

#[test]
fn exit_zero_forgives_findings_but_not_failures() {
    let folder = Folder::with_training();
    assert_eq!(folder.run(&["check", "--exit-zero"]).status, 0);
    assert_eq!(folder.run(&["check", "--exit-zero", "--diff"]).status, 0);
    assert_eq!(folder.run(&["check", "--exit-zero", "train.py", "missing.py"]).status, 2);
}

#[test]
fn a_path_that_is_not_there_is_two_and_the_others_are_checked() {
    let outcome = Folder::with_training().run(&["check", "missing.py", "train.py"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.stdout.contains("OOM101"), "{}", outcome.stdout);
    assert_eq!(outcome.stderr, "error: missing.py: there is no such file or folder. Check the path.\n");
}

#[test]
fn wrong_arguments_are_two_and_named() {
    for words in [&["check", "--colour"][..], &["check", "--output-format", "xml"], &["chekc"], &[]] {
        let outcome = Folder::new().run(words);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (2, ""), "{words:?}");
        assert!(outcome.stderr.contains("Usage") || outcome.stderr.contains("--help"), "{}", outcome.stderr);
        let wrong = words.last().copied().unwrap_or("");
        assert!(outcome.stderr.contains(wrong), "{}", outcome.stderr);
    }
}

#[test]
fn help_and_version_are_zero_and_on_standard_output() {
    let folder = Folder::new();
    let help = folder.run(&["check", "--help"]);
    assert_eq!((help.status, help.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(help.stdout);
    let version = folder.run(&["--version"]);
    assert_eq!(version.stdout, format!("vramlens {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_folder_without_scripts_says_so() {
    let outcome = Folder::new().file("notes.txt", "total_loss += loss\n").run(&["check"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (0, ""));
    assert!(outcome.stderr.starts_with("warning: There are no Python scripts"), "{}", outcome.stderr);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut folder = Folder::new();
    for number in 0..200 {
        folder = folder.file(&format!("train{number}.py"), TRAINING);
    }
    for words in [&["check"][..], &["check", "--output-format", "json"], &["check", "--diff"]] {
        let mut command = folder.command(words);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut process = command.spawn().unwrap();
        drop(process.stdout.take());
        let output = process.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(!told.contains("panick") && !told.contains("pipe"), "{told}");
    }
}

/// Runs the binary that fails when a file asks it to.
fn run_with_faults(folder: &Folder, words: &[&str]) -> Outcome {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_vramlens-with-faults"));
    Outcome::of(&command.args(words).current_dir(folder.path(".")).output().unwrap())
}

#[test]
fn a_panic_in_one_file_loses_no_other() {
    let broken = format!("# vramlens-fault: analysis-panic\n{TRAINING}");
    let folder = Folder::with_training().file("broken.py", broken).file("zebra.py", TRAINING);
    let outcome = run_with_faults(&folder, &["check", "--output-format", "concise"]);
    assert_eq!(outcome.status, 2);
    let files: Vec<&str> = outcome.stdout.lines().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(files[..2], ["train.py", "zebra.py"], "{}", outcome.stdout);
    let told = outcome.stderr.lines().filter(|line| line.starts_with("error: broken.py: "));
    assert_eq!(told.count(), 1, "{}", outcome.stderr);
    // A file that could not be analysed is not written.
    assert_eq!(run_with_faults(&folder, &["check", "--fix"]).status, 2);
    assert!(folder.read("broken.py").ends_with(TRAINING));
    assert_eq!(folder.read("zebra.py"), fixed());
}

#[test]
fn a_panic_in_one_rule_loses_no_other_rule() {
    let folder = Folder::new().file("train.py", format!("# vramlens-fault: rule-panic\n{TRAINING}"));
    let outcome = run_with_faults(&folder, &["check", "--output-format", "concise"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.stdout.starts_with("train.py:15:5: OOM101"), "{}", outcome.stdout);
    let told = outcome.stderr.lines().filter(|line| line.starts_with("error: train.py: the rule "));
    assert_eq!(told.count(), 1, "{}", outcome.stderr);
}
