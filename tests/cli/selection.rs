//! `--select`, `--ignore` and `--gpu`.

use crate::support::Folder;

fn codes(words: &[&str]) -> Vec<String> {
    let folder = Folder::with_training();
    folder.run(&[&["check", "--output-format", "json"], words].concat()).codes()
}

#[test]
fn codes_and_prefixes_select_and_ignore() {
    for words in [
        &["--select", "OOM101"][..],
        &["--select", "oom"],
        &["--select", "VL001,OOM1"],
        &["--select", "VL001", "--select", "OOM101"],
        &["--ignore", "VL"],
    ] {
        assert_eq!(codes(words), ["OOM101"], "{words:?}");
    }
    for words in [
        &["--select", "VL"][..],
        &["--ignore", "OOM101"],
        &["--ignore", "OOM"],
        &["--select", "OOM101", "--ignore", "OOM1"],
        &["--ignore", "VL,OOM101"],
    ] {
        assert_eq!(codes(words), Vec::<String>::new(), "{words:?}");
    }
}

#[test]
fn a_code_that_is_not_there_is_an_error_that_names_it() {
    for flag in ["--select", "--ignore"] {
        for code in ["OMM101", "OOM101,OMM101"] {
            let outcome = Folder::with_training().run(&["check", flag, code]);
            assert_eq!((outcome.status, outcome.stdout.as_str()), (2, ""));
            assert!(outcome.stderr.contains("`OMM101`"), "{}", outcome.stderr);
            assert!(outcome.stderr.contains("`OOM101`"), "{}", outcome.stderr);
        }
    }
    assert_eq!(Folder::with_training().run(&["check", "--select", ""]).status, 2);
}

#[test]
fn a_pattern_that_is_none_is_an_error_that_names_it() {
    let outcome = Folder::with_training().run(&["check", "--exclude", "{old"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (2, ""));
    assert!(outcome.stderr.contains("`{old`"), "{}", outcome.stderr);
}

#[test]
fn a_card_can_be_named() {
    assert_eq!(codes(&["--gpu", "24GiB"]), ["OOM101"]);
    for words in [&["check", "--gpu"][..], &["check", "--gpu", ""]] {
        assert_eq!(Folder::with_training().run(words).status, 2, "{words:?}");
    }
}
