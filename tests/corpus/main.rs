//! The corpus: training scripts with known mistakes, and scripts that only look as if they had them.
//!
//! `cases/` holds folders with a `case.toml` that says what is to be reported; `clean/` holds folders
//! in which nothing may be reported at warning level or above. `README.md` describes the fields.

mod alias;
mod figures;
mod fixing;
mod folder;
mod judge;
mod kinds;
mod rename;
mod tree;

use std::fmt::Write;
use std::path::Path;
use std::sync::LazyLock;

use folder::{Folder, Input};
use judge::Miss;
use kinds::Kinds;

/// The folders, read once for all tests.
fn corpus() -> &'static [Folder] {
    static FOLDERS: LazyLock<Vec<Folder>> = LazyLock::new(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut folders = Folder::read_all(&root.join("cases"), "case.toml");
        folders.extend(Folder::read_all(&root.join("clean"), "clean.toml"));
        folders
    });
    &FOLDERS
}

/// Fails with one line a miss, and says how many of what was looked at are right.
fn assert_none(misses: &[Miss], looked_at: usize) {
    let mut table = String::new();
    for miss in misses {
        let _ = writeln!(table, "{miss}");
    }
    assert!(misses.is_empty(), "\n{table}{} misses in {looked_at} folders", misses.len());
}

#[test]
fn labels_point_at_code() {
    let kinds = Kinds::read();
    let misses: Vec<Miss> =
        corpus().iter().flat_map(|folder| judge::badly_labelled(folder, &kinds)).collect();
    assert_none(&misses, corpus().len());
}

#[test]
fn what_lies_beside_a_program_is_read() {
    let folders = corpus();
    let folder = folders.iter().find(|folder| folder.name == "706-short-name-on-2-8");
    let torch = folder.and_then(|folder| folder.inputs.first()?.surroundings.versions.get("torch"));
    assert_eq!(torch.and_then(|known| known.exact.as_deref()), Some("2.8.0"));
}

#[test]
fn reports_what_is_wrong_and_nothing_else() {
    let (folders, kinds) = (corpus(), Kinds::read());
    let misses: Vec<Miss> = folders.iter().flat_map(|folder| judge::judge(folder, &kinds)).collect();
    assert_none(&misses, folders.len());
}

#[test]
fn estimates_are_what_was_worked_out_by_hand() {
    let folders = corpus();
    let misses: Vec<Miss> = folders.iter().flat_map(figures::judge).collect();
    assert_none(&misses, folders.len());
}

#[test]
fn names_do_not_decide() {
    let folders = corpus();
    let misses = each_input(folders, |input| judge::changes(input, &rename::renamed(&input.document)));
    assert_none(&misses, folders.len());
}

#[test]
fn aliases_of_imports_do_not_decide() {
    let folders = corpus();
    let misses = each_input(folders, |input| judge::changes(input, &alias::aliased(&input.document)));
    assert_none(&misses, folders.len());
}

#[test]
fn a_fix_removes_its_finding_and_nothing_else() {
    let folders = corpus();
    let misses = each_input(folders, fixing::single_fixes);
    assert_none(&misses, folders.len());
}

#[test]
fn fixing_everything_ends() {
    let folders = corpus();
    let misses = each_input(folders, fixing::all_fixes);
    assert_none(&misses, folders.len());
}

fn each_input(folders: &[Folder], check: impl Fn(&Input) -> Vec<Miss>) -> Vec<Miss> {
    let inputs = folders.iter().flat_map(|folder| &folder.inputs);
    inputs.flat_map(check).collect()
}
