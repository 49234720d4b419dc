//! Commands in the cells of notebooks.

use vramlens_grammars::notebook::source_of;

use super::findings_in;
use super::fixing::check_fix_in_cells;

/// The codes of the findings in some cells, with the cell that each stands in.
fn codes(cells: &[&str]) -> Vec<(&'static str, Option<u32>)> {
    let findings = findings_in(source_of((0..).zip(cells.iter().copied())));
    findings.iter().map(|finding| (finding.code, finding.location.cell)).collect()
}

#[test]
fn a_variable_of_a_shell_that_ends() {
    assert_eq!(codes(&["!export CUDA_VISIBLE_DEVICES=1", "import torch"]), [("OOM952", Some(0))]);
    assert_eq!(
        codes(&["! export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128\nx = 1"]),
        [("OOM952", Some(0))]
    );
}

#[test]
fn variables_that_reach_somebody() {
    for cell in [
        "!export CUDA_VISIBLE_DEVICES=1 && python train.py",
        "!CUDA_VISIBLE_DEVICES=1 python train.py",
        "!export PATH=/opt/bin",
        "%env CUDA_VISIBLE_DEVICES=1",
        "%env",
        "%env CUDA_VISIBLE_DEVICES",
        "%env GREETING=\"hello\"",
    ] {
        assert_eq!(codes(&[cell, "import torch"]), [], "{cell}");
    }
}

#[test]
fn quotes_in_a_value() {
    assert_eq!(codes(&["%env CUDA_VISIBLE_DEVICES='0'"]), [("OOM953", Some(0))]);
    assert_eq!(codes(&["%set_env CUDA_VISIBLE_DEVICES=\"0\""]), [("OOM953", Some(0))]);
}

#[test]
fn a_setting_behind_the_import() {
    let late = ["import torch", "x = 1", "%env PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"];
    assert_eq!(codes(&late), [("OOM951", Some(2))]);
    assert_eq!(codes(&[late[2], late[0]]), []);
}

#[test]
fn the_fixes_stay_in_their_cells() {
    check_fix_in_cells(
        &["!nvidia-smi", "!export CUDA_VISIBLE_DEVICES=\"1\"\nx = 1", "import torch"],
        &["!nvidia-smi", "%env CUDA_VISIBLE_DEVICES=1\nx = 1", "import torch"],
    );
    check_fix_in_cells(&["%env CUDA_VISIBLE_DEVICES=\"0\""], &["%env CUDA_VISIBLE_DEVICES=0"]);
}
