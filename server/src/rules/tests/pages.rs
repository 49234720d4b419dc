//! The rules' pages: whole, in one form, and their examples show what they say.

use std::collections::BTreeSet;

use vramlens_grammars::notebook::source_of;
use vramlens_grammars::{Document, Source};

use super::findings_in;
use crate::finding::{Finding, Fix, Severity};
use crate::fixes::apply;
use crate::python::division::divide;
use crate::python::division::tests::padding;
use crate::rules::{RULES, Rule};

/// The headings of the page of a rule about GPU memory, in order.
const HEADINGS: [&str; 6] = [
    "## What it finds",
    "## Why it costs memory",
    "## Example",
    "## What stays silent",
    "## The fix",
    "## References",
];

/// The headings of the page of a notice about the tool's own work.
const NOTICE_HEADINGS: [&str; 3] = ["## What it tells", "## Why it matters", "## Example"];

fn memory_rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(|rule| rule.code.starts_with("OOM"))
}

/// The blocks of Python in a page; where it is about notebooks, its cells.
fn examples(page: &str) -> Vec<String> {
    let blocks = page.split("```python\n").flat_map(|part| part.split("```ipython\n")).skip(1);
    blocks.filter_map(|block| block.split_once("```")).map(|(code, _)| code.to_owned()).collect()
}

/// The findings in an example, which is a file or a cell of a notebook.
fn findings(example: &str) -> Vec<Finding> {
    if example.lines().any(|line| line.starts_with(['%', '!'])) {
        return findings_in(source_of([(0, example)]));
    }
    super::findings(example)
}

#[test]
fn codes_and_names_are_unique_and_in_order() {
    let codes: Vec<&str> = RULES.iter().map(|rule| rule.code).collect();
    assert!(codes.is_sorted_by(|one, next| one < next), "{codes:?}");
    let names: BTreeSet<&str> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), RULES.len());
    let is_kebab = |name: &str| {
        name.split('-').all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()))
    };
    assert!(names.iter().all(|name| is_kebab(name)), "{names:?}");
}

#[test]
fn a_page_starts_with_the_name_and_the_code() {
    for rule in RULES {
        let title = format!("# {} ({})\n", rule.name, rule.code);
        assert!(rule.page().starts_with(&title), "{}", rule.code);
    }
}

#[test]
fn a_page_has_its_headings_in_order() {
    for rule in RULES {
        let page = rule.page();
        let headings: Vec<&str> = page.lines().filter(|line| line.starts_with("## ")).collect();
        let expected: &[&str] = if rule.code.starts_with("OOM") { &HEADINGS } else { &NOTICE_HEADINGS };
        assert_eq!(headings, expected, "{}", rule.code);
        for section in page.split("\n## ").skip(1) {
            let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
            assert!(!body.trim().is_empty(), "{}: nothing stands under {heading}", rule.code);
        }
    }
}

#[test]
fn an_example_shows_its_rule_and_no_other() {
    for rule in memory_rules() {
        let page = rule.page();
        let examples = examples(&page);
        let [example, instead] = examples.as_slice() else { panic!("{} needs two examples", rule.code) };
        let codes: Vec<&str> = findings(example).iter().map(|finding| finding.code).collect();
        assert_eq!(codes, [rule.code], "the example of {}", rule.code);
        let left = findings(instead);
        assert!(left.iter().all(|finding| finding.severity < Severity::Warning), "{}: {left:#?}", rule.code);
    }
}

/// A long file is looked at part by part.
#[test]
fn an_example_in_a_long_file_is_told_the_same() {
    for rule in memory_rules() {
        for example in examples(&rule.page()).iter().filter(|example| !example.contains(['%', '!'])) {
            let long = example.clone() + &padding();
            let tree = Document::python(Source::file(long.clone())).syntax;
            assert!(tree.is_ok_and(|tree| !divide(&tree, &long).is_empty()), "{}", rule.code);
            assert_eq!(super::findings(&long), super::findings(example), "{}\n{example}", rule.code);
        }
    }
}

#[test]
fn the_fix_of_an_example_is_what_the_page_says() {
    for rule in memory_rules() {
        let page = rule.page();
        let examples = examples(&page);
        let [example, instead] = examples.as_slice() else { panic!("{} needs two examples", rule.code) };
        let fixes: Vec<Fix> = findings(example).into_iter().filter_map(|finding| finding.fix).collect();
        let has_none = page.contains("## The fix\nNone");
        match fixes.as_slice() {
            [] => assert!(has_none, "{} needs a fix, or to say that there is none", rule.code),
            [fix] if !has_none => assert_eq!(&apply(example, &fix.edits), instead, "{}", rule.code),
            _ => panic!("{} needs one fix, or to say that there is one", rule.code),
        }
    }
}
