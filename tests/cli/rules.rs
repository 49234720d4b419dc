//! `vramlens rule`.

use crate::support::Folder;

#[test]
fn rules_are_listed_with_code_name_and_summary() {
    let outcome = Folder::new().run(&["rule"]);
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""));
    let row = outcome.stdout.lines().find(|line| line.starts_with("OOM101 ")).unwrap();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(words[1], "loss-accumulated-with-graph");
    assert!(words.len() > 4, "{row}");
    let mut codes: Vec<&str> =
        outcome.stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let listed = codes.clone();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes, listed);
}

#[test]
fn a_page_is_found_by_code_and_by_name() {
    let folder = Folder::new();
    let page = folder.run(&["rule", "VL001"]);
    assert_eq!(page.status, 0);
    assert!(page.stdout.starts_with("# unusable-setting (VL001)\n"), "{}", page.stdout);
    for name in ["vl001", "unusable-setting", "Unusable-Setting"] {
        assert_eq!(folder.run(&["rule", name]), page);
    }
}

#[test]
fn every_listed_rule_has_its_page() {
    let folder = Folder::new();
    let list = folder.run(&["rule"]).stdout;
    let all = folder.run(&["rule", "--all"]).stdout;
    for row in list.lines() {
        let mut words = row.split_whitespace();
        let (code, name) = (words.next().unwrap(), words.next().unwrap());
        let page = folder.run(&["rule", code]).stdout;
        assert!(page.starts_with(&format!("# {name} ({code})\n")), "{page}");
        assert!(all.contains(&page), "{code}");
    }
}

#[test]
fn an_unknown_code_names_the_nearest() {
    let outcome = Folder::new().run(&["rule", "OMM101"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (2, ""));
    assert!(outcome.stderr.contains("`OMM101`") && outcome.stderr.contains("`OOM101`"), "{}", outcome.stderr);
    let outcome = Folder::new().run(&["rule", "zzz"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.stderr.contains("`zzz`") && outcome.stderr.contains("vramlens rule"));
}
