//! The same files give the same output, however many threads there are.

use crate::support::{Folder, Outcome, TRAINING};

#[test]
fn output_does_not_depend_on_threads() {
    let mut folder = Folder::new().file("broken.py", b"\xff").file("vramlens.toml", "selct = []\n");
    for number in 0..60 {
        let repeated = TRAINING.repeat(1 + number * 7 % 5);
        folder = folder.file(&format!("folder{}/train{number}.py", number % 3), repeated);
    }
    for words in [
        &["check"][..],
        &["check", "--output-format", "concise"],
        &["check", "--output-format", "json"],
        &["check", "--diff"],
    ] {
        let with = |threads: &str| {
            let mut command = folder.command(words);
            Outcome::of(&command.env("RAYON_NUM_THREADS", threads).output().unwrap())
        };
        let one = with("1");
        assert!(one.stdout.contains("folder2/train59.py"), "{}", one.stdout);
        for threads in ["2", "16"] {
            assert_eq!(with(threads), one, "{words:?} {threads}");
        }
        assert_eq!(folder.run(words), one, "{words:?}");
    }
}

#[test]
fn findings_stand_in_the_order_of_files_and_places() {
    let folder =
        Folder::new().file("b.py", TRAINING.repeat(3)).file("a.py", TRAINING).file("a/z.py", TRAINING);
    let findings = folder.run(&["check", "b.py", "--output-format", "json", "."]).json();
    let places: Vec<(String, u64)> = findings
        .iter()
        .map(|finding| {
            let file = finding["filename"].as_str().unwrap().to_owned();
            (file, finding["location"]["row"].as_u64().unwrap())
        })
        .collect();
    let mut sorted = places.clone();
    sorted.sort();
    assert_eq!(places, sorted);
    assert_eq!(places.len(), 5);
}
