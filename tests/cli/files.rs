//! Which files are checked, and what is said of those that cannot be.

use crate::support::{Folder, Outcome, TRAINING};

fn names(outcome: &Outcome) -> Vec<String> {
    outcome.json().iter().map(|finding| finding["filename"].as_str().unwrap().to_owned()).collect()
}

fn checked(folder: &Folder, words: &[&str]) -> Vec<String> {
    names(&folder.run(&[&["check", "--output-format", "json"], words].concat()))
}

#[test]
fn folders_are_walked_for_scripts_that_git_would_keep() {
    let mut folder = Folder::new().file(".gitignore", "old/\n*_generated.py\n").file("notes.txt", TRAINING);
    for name in [
        "a.py",
        "deep/er/b.PY",
        "old/c.py",
        "d_generated.py",
        ".hidden/e.py",
        "venv/lib/f.py",
        "x/site-packages/torch/g.py",
        "__pycache__/h.py",
    ] {
        folder = folder.file(name, TRAINING);
    }
    assert_eq!(checked(&folder, &[]), ["a.py", "deep/er/b.PY"]);
    assert_eq!(checked(&folder, &["deep", "a.py"]), ["a.py", "deep/er/b.PY"]);
}

#[test]
fn a_path_that_is_named_is_checked_whatever_it_is() {
    let folder = Folder::new()
        .file(".gitignore", "old.py\n")
        .file("vramlens.toml", "exclude = [\"left_out.py\"]\n")
        .file("old.py", TRAINING)
        .file("left_out.py", TRAINING)
        .file("script", TRAINING)
        .file("venv/train.py", TRAINING);
    assert_eq!(checked(&folder, &[]), Vec::<String>::new());
    for name in ["old.py", "left_out.py", "script"] {
        assert_eq!(checked(&folder, &[name]), [name]);
    }
    assert_eq!(checked(&folder, &["venv"]), ["venv/train.py"]);
}

#[test]
fn a_file_is_checked_once() {
    let folder = Folder::with_training();
    assert_eq!(checked(&folder, &["train.py", ".", "./train.py"]), ["train.py"]);
}

#[test]
fn exclude_leaves_out_files_and_folders() {
    let folder =
        Folder::new().file("a.py", TRAINING).file("old/b.py", TRAINING).file("old/deep/c.py", TRAINING);
    assert_eq!(checked(&folder, &["--exclude", "old"]), ["a.py"]);
    assert_eq!(checked(&folder, &["--exclude", "/old/*.py,a.py"]), ["old/deep/c.py"]);
}

#[test]
fn standard_input_is_a_file_with_the_name_it_is_given() {
    let folder = Folder::new().file("quiet/vramlens.toml", "ignore = [\"OOM\"]\n");
    let format = ["check", "--output-format", "json", "-"];
    let outcome = folder.run_with_input(&format, TRAINING.as_bytes());
    assert_eq!((outcome.status, names(&outcome)), (1, vec!["-".to_owned()]));
    let named = [&format[..], &["--stdin-filename", "src/train.py"]].concat();
    let outcome = folder.run_with_input(&named, TRAINING.as_bytes());
    assert_eq!((outcome.status, names(&outcome)), (1, vec!["src/train.py".to_owned()]));
    assert_eq!(outcome.json()[0]["fix"]["edits"][0]["filename"], "src/train.py");
    let quiet = [&format[..], &["--stdin-filename", "quiet/train.py"]].concat();
    assert_eq!(folder.run_with_input(&quiet, TRAINING.as_bytes()).status, 0);
}

#[test]
fn text_that_is_not_utf8_is_named_with_its_place_and_the_others_go_on() {
    let folder = Folder::with_training().file("latin.py", b"x = 1\nname = '\xe9'\n");
    let outcome = folder.run(&["check", "--output-format", "json"]);
    assert_eq!((outcome.status, names(&outcome)), (2, vec!["train.py".to_owned()]));
    assert_eq!(
        outcome.stderr,
        "error: latin.py:2:9: the byte 0xE9 is not UTF-8. Save the file as UTF-8, or leave it out with \
         `--exclude`.\n"
    );
}

#[test]
fn a_binary_file_is_not_text() {
    let folder = Folder::new().file("train.py", b"\x7fELF\x00\xff\xfe");
    let outcome = folder.run(&["check"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (2, ""));
    assert!(outcome.stderr.starts_with("error: train.py: this is not text."), "{}", outcome.stderr);
}

#[test]
fn broken_code_is_no_error() {
    let folder = Folder::new().file("train.py", format!("{TRAINING}def broken(:\n  x = (\n"));
    assert_eq!(folder.run(&["check"]).status, 1);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::with_training();
    let path = folder.path("train.py");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    let outcome = folder.run(&["check"]);
    // The superuser may read everything.
    if std::fs::read(&path).is_ok() {
        assert_eq!(outcome.status, 1);
    } else {
        assert_eq!(outcome.status, 2);
        assert!(outcome.stderr.starts_with("error: train.py: this file may not be read."));
    }
}

#[cfg(unix)]
#[test]
fn links_in_circles_end() {
    let folder = Folder::with_training();
    std::os::unix::fs::symlink(folder.path("."), folder.path("circle")).unwrap();
    std::os::unix::fs::symlink(folder.path("gone.py"), folder.path("dangling.py")).unwrap();
    std::os::unix::fs::symlink(folder.path("train.py"), folder.path("linked.py")).unwrap();
    assert_eq!(checked(&folder, &[]), ["linked.py", "train.py"]);
}
