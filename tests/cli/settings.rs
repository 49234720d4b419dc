//! Settings files.

use serde_json::json;

use crate::support::{Folder, Outcome, TRAINING};

const FORMAT: [&str; 3] = ["check", "--output-format", "json"];

fn check(folder: &Folder, words: &[&str]) -> Outcome {
    folder.run(&[&FORMAT[..], words].concat())
}

#[test]
fn the_nearest_file_wins_and_files_are_not_merged() {
    let folder = Folder::new()
        .file("vramlens.toml", "ignore = [\"OOM\"]\n")
        .file("quiet/train.py", TRAINING)
        .file("loud/vramlens.toml", "")
        .file("loud/train.py", TRAINING)
        .file("project/pyproject.toml", "[tool.vramlens]\nselect = [\"OOM\"]\n")
        .file("project/deep/train.py", TRAINING);
    let findings = check(&folder, &[]).json();
    let names: Vec<&str> = findings.iter().map(|finding| finding["filename"].as_str().unwrap()).collect();
    assert_eq!(names, ["loud/train.py", "project/deep/train.py"]);
}

#[test]
fn a_project_file_without_our_table_is_passed_over_even_when_it_is_broken() {
    for project in ["[tool.black]\nline-length = 100\n", "[tool.black\nline-length = \n", ""] {
        let folder = Folder::new()
            .file("vramlens.toml", "ignore = [\"OOM\"]\n")
            .file("project/pyproject.toml", project)
            .file("project/train.py", TRAINING);
        let outcome = check(&folder, &[]);
        assert_eq!((outcome.status, outcome.codes().len()), (0, 0), "{project}");
    }
}

#[test]
fn in_one_folder_our_own_file_comes_before_the_project_file() {
    let folder = Folder::with_training()
        .file("vramlens.toml", "ignore = [\"OOM\"]\n")
        .file("pyproject.toml", "[tool.vramlens]\nselect = [\"OOM\"]\n");
    assert_eq!(check(&folder, &[]).status, 0);
}

#[test]
fn the_command_line_wins_over_the_file() {
    let folder = Folder::with_training().file("vramlens.toml", "ignore = [\"OOM101\"]\n");
    assert_eq!(check(&folder, &[]).codes(), Vec::<String>::new());
    assert_eq!(check(&folder, &["--ignore", "VL"]).codes(), ["OOM101"]);
}

#[test]
fn exclude_counts_from_the_folder_of_its_file() {
    let folder = Folder::new()
        .file("project/pyproject.toml", "[tool.vramlens]\nexclude = [\"/old\", \"gen_*.py\"]\n")
        .file("project/old/train.py", TRAINING)
        .file("project/new/gen_a.py", TRAINING)
        .file("project/new/old/train.py", TRAINING)
        .file("old/train.py", TRAINING);
    let findings = check(&folder, &[]).json();
    let names: Vec<&str> = findings.iter().map(|finding| finding["filename"].as_str().unwrap()).collect();
    assert_eq!(names, ["old/train.py", "project/new/old/train.py"]);
    let here = check(&folder, &["--exclude", "new"]).json();
    assert_eq!(here.len(), 2, "the command line's list stands instead of the file's: {here:?}");
}

#[test]
fn an_unknown_key_is_a_finding_on_its_line() {
    let folder = Folder::new().file("train.py", "x = 1\n").file(
        "pyproject.toml",
        "[project]\nname = \"x\"\n\n[tool.vramlens]\nselect = [\"OOM\"]\nselct = [\"OOM\"]\n",
    );
    let outcome = check(&folder, &[]);
    assert_eq!((outcome.status, outcome.codes()), (1, vec!["VL001".to_owned()]));
    let finding = &outcome.json()[0];
    assert_eq!(finding["severity"], "warning");
    assert_eq!(finding["filename"], "pyproject.toml");
    assert_eq!(finding["location"], json!({"row": 6, "column": 1}));
    assert_eq!(finding["end_location"], json!({"row": 6, "column": 6}));
    let message = finding["message"].as_str().unwrap();
    assert!(message.contains("`selct`") && message.contains("`select`"), "{message}");
}

#[test]
fn wrong_values_are_findings_on_their_lines_and_the_rest_counts() {
    let folder = Folder::with_training().file(
        "vramlens.toml",
        "ignore = [\"OOM101\", \"XYZ1\", 3]\ngpu = 24\nexclude = [\"{old\"]\nselect = \"OOM\"\n",
    );
    let outcome = check(&folder, &[]);
    let places: Vec<(String, u64, u64)> = outcome
        .json()
        .iter()
        .map(|finding| {
            let place = &finding["location"];
            let code = finding["code"].as_str().unwrap().to_owned();
            (code, place["row"].as_u64().unwrap(), place["column"].as_u64().unwrap())
        })
        .collect();
    let at = |row, column| ("VL001".to_owned(), row, column);
    assert_eq!(places, [at(1, 21), at(1, 29), at(2, 7), at(3, 12), at(4, 10)]);
    assert_eq!(outcome.status, 1);
}

#[test]
fn a_file_that_is_not_toml_is_an_error_with_its_place_and_two() {
    let folder = Folder::with_training().file("vramlens.toml", "ignore = [\"OOM101\"]\nselect = = 3\n");
    let outcome = folder.run(&["check", "--output-format", "concise"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.stdout.contains("train.py:14:5: OOM101"), "{}", outcome.stdout);
    let told = "vramlens.toml:2:10: VL001 [error]";
    assert!(outcome.stdout.contains(told), "{}", outcome.stdout);
    let diff = folder.run(&["check", "--diff"]);
    assert_eq!(diff.status, 2);
    assert!(diff.stderr.contains(told), "{}", diff.stderr);
}

#[test]
fn a_settings_file_is_told_of_once() {
    let mut folder = Folder::new().file("vramlens.toml", "gpuu = \"H100\"\n");
    for number in 0..20 {
        folder = folder.file(&format!("folder{number}/train.py"), "x = 1\n");
    }
    assert_eq!(check(&folder, &[]).codes(), ["VL001"]);
    assert_eq!(check(&folder, &["--ignore", "VL001"]).codes(), Vec::<String>::new());
    assert_eq!(check(&folder, &["--select", "OOM"]).codes(), ["VL001"]);
}
