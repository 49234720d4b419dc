//! The table and the code are held together: every key that the code names is there and is given all its
//! arguments, and nothing in the table is left over.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may fail")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use super::{counted, nearest, rows, text};

/// A call of `text` or `counted` with a literal key.
#[derive(Debug)]
struct Call {
    place: String,
    key: String,
    is_counted: bool,
    /// The names of the arguments, when they are written in the call or right before it.
    arguments: Option<BTreeSet<String>>,
}

/// The sources of this crate, without these tests.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_test = path == root.join("texts").join("tests.rs");
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") && !is_test {
                sources.push((path.clone(), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    sources
}

fn calls() -> Vec<Call> {
    let call = Regex::new(r#"\b(text|counted)\(\s*"([a-z0-9._-]+)""#).unwrap();
    let mut calls = Vec::new();
    for (path, source) in sources() {
        for found in call.captures_iter(&source) {
            let whole = found.get(0).unwrap();
            calls.push(Call {
                place: path.display().to_string(),
                key: found.get(2).unwrap().as_str().to_owned(),
                is_counted: found.get(1).unwrap().as_str() == "counted",
                arguments: arguments(&source, whole.start(), whole.end()),
            });
        }
    }
    calls
}

/// The names of a call's arguments: from the list in the call, or from the `let arguments = […]` before it.
fn arguments(source: &str, start: usize, end: usize) -> Option<BTreeSet<String>> {
    let (before, after) = (source.get(..start)?, source.get(end..)?);
    let call = bracketed(after, '(', ')')?;
    let list = match call.split_once("&[") {
        Some((_, list)) => bracketed(list, '[', ']')?,
        None if call.contains("&arguments") => {
            let list = before.rfind("let arguments = [")? + "let arguments = [".len();
            bracketed(before.get(list..)?, '[', ']')?
        }
        None => return None,
    };
    let name = Regex::new(r#"\(\s*"([a-z_]+)"\s*,"#).unwrap();
    Some(name.captures_iter(list).map(|found| found.get(1).unwrap().as_str().to_owned()).collect())
}

/// The text up to the bracket that closes one opened before it.
fn bracketed(text: &str, open: char, close: char) -> Option<&str> {
    let mut depth = 1;
    for (index, letter) in text.char_indices() {
        if letter == open {
            depth += 1;
        } else if letter == close {
            depth -= 1;
            if depth == 0 {
                return text.get(..index);
            }
        }
    }
    None
}

fn places(sentence: &str) -> BTreeSet<String> {
    let place = Regex::new(r"\{([a-z_]+)\}").unwrap();
    place.captures_iter(sentence).map(|found| found.get(1).unwrap().as_str().to_owned()).collect()
}

#[test]
fn every_key_in_the_code_is_in_the_table_with_its_arguments() {
    let calls = calls();
    assert!(calls.len() > 20, "the sources were not found");
    for call in calls {
        let row = rows().find(|(key, _)| *key == call.key);
        let (_, sentence) = row.unwrap_or_else(|| panic!("{}: no sentence for {}", call.place, call.key));
        let Some(mut given) = call.arguments else { continue };
        if call.is_counted {
            given.insert("count".to_owned());
        }
        for place in places(sentence) {
            assert!(given.contains(&place), "{}: {} is not given {{{place}}}", call.place, call.key);
        }
        given.remove("count");
        for name in given {
            assert!(places(sentence).contains(&name), "{}: {} has no {{{name}}}", call.place, call.key);
        }
    }
}

#[test]
fn no_sentence_is_unused_or_written_twice() {
    let sources = sources();
    let mut seen = BTreeSet::new();
    for (key, sentence) in rows() {
        assert!(seen.insert(key), "{key} is there twice");
        assert!(!sentence.trim().is_empty(), "{key} says nothing");
        let literal = format!("\"{key}\"");
        assert!(sources.iter().any(|(_, source)| source.contains(&literal)), "{key} is not used");
    }
}

#[test]
fn places_are_filled_once_and_numbers_choose_their_form() {
    let filled = text("settings-unknown-key", &[("key", "{known}"), ("known", "`gpu`")]);
    assert!(filled.starts_with("`{known}` is not a setting"), "{filled}");
    assert_eq!(counted("count-files", 1, &[]), "1 file");
    assert_eq!(counted("count-files", 0, &[]), "0 files");
    assert_eq!(text("no-such-key", &[]), "no-such-key");
}

#[test]
fn the_nearest_names_are_close_or_there_are_none() {
    let known = ["select", "ignore", "gpu"];
    assert_eq!(nearest("selct", known.into_iter()).as_deref(), Some("`select`"));
    assert_eq!(nearest("zzz", known.into_iter()), None);
}
