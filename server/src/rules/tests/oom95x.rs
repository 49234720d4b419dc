//! Commands in the cells of notebooks.

use vramlens_grammars::notebook::source_of;

use super::findings_in;
use super::fixing::check_fix_in_cells;
use crate::finding::Severity;

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
fn other_shells_that_end() {
    assert_eq!(
        codes(&["%%bash\n# the card\nexport CUDA_VISIBLE_DEVICES=1", "import torch"]),
        [("OOM952", Some(0))]
    );
    assert_eq!(codes(&["%%bash\nexport CUDA_VISIBLE_DEVICES=1\npython train.py"]), []);
    let set = "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128";
    for call in ["os.system(\"export SET\")", "subprocess.run('export SET', shell=True)"] {
        let script = format!("import os, subprocess\n{}\nimport torch\n", call.replace("SET", set));
        let findings = super::findings(&script);
        assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["OOM952"], "{call}");
    }
    for call in
        ["os.system('export SET && python train.py')", "os.system('export PATH=/opt')", "os.system('ls')"]
    {
        let script = format!("import os\n{}\nimport torch\n", call.replace("SET", set));
        assert_eq!(super::findings(&script), [], "{call}");
    }
    super::fixing::check_fix(
        "import os\nos.system('export CUDA_VISIBLE_DEVICES=1')\nimport torch\n",
        "import os\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\nimport torch\n",
    );
}

#[test]
fn a_fix_beside_a_cell_of_another_language_keeps_it() {
    let script = "%%bash\nls\npwd";
    check_fix_in_cells(
        &[script, "!export CUDA_VISIBLE_DEVICES=1", "import torch"],
        &[script, "%env CUDA_VISIBLE_DEVICES=1", "import torch"],
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
fn a_setting_behind_the_start_of_cuda_is_told_once() {
    let late = "%env PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";
    assert_eq!(codes(&["import torch\nx = torch.zeros(1).cuda()", late]), [("OOM951", Some(1))]);
    let by_function = "import torch\ndef start():\n    torch.cuda.set_device(0)\nstart()";
    assert_eq!(codes(&[by_function, late]), [("OOM951", Some(1))]);
    let written = "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'";
    assert_eq!(codes(&["import torch", written]), [("OOM402", Some(1))]);
    assert_eq!(severities(&["import torch", late, "!python train.py"]), [Severity::Hint]);
    assert_eq!(severities(&["import torch", late, "!nvidia-smi"]), [Severity::Warning]);
}

fn severities(cells: &[&str]) -> Vec<Severity> {
    findings_in(source_of((0..).zip(cells.iter().copied()))).iter().map(|finding| finding.severity).collect()
}

#[test]
fn what_a_magic_sets_is_read_as_what_a_script_sets() {
    assert_eq!(codes(&["%env PYTORCH_CUDA_ALOC_CONF=expandable_segments:True"]), [("OOM907", Some(0))]);
    assert_eq!(codes(&["%env CUDA_VISIBLE_DEVICES=0, 1"]), [("OOM412", Some(0))]);
    assert_eq!(
        codes(&["import torch\ntorch.cuda.set_device(0)", "%env CUDA_VISIBLE_DEVICES=1"]),
        [("OOM412", Some(1))]
    );
    assert_eq!(codes(&["%env PYTORCH_CUDA_ALLOC_CONF=expandable_segment:True"]), [("OOM405", Some(0))]);
    assert_eq!(codes(&["%env PYTORCH_CUDA_ALLOC_CONF={setting}"]), []);
    assert_eq!(codes(&["%env PYTORCH_CUDA_ALLOC_CONF $setting"]), []);
}

#[test]
fn the_name_and_the_value_of_a_magic_are_mended_in_place() {
    check_fix_in_cells(
        &["x = 1\n%env PYTORCH_CUDA_ALOC_CONF=expandable_segments:True", "import torch"],
        &["x = 1\n%env PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True", "import torch"],
    );
    check_fix_in_cells(
        &["%set_env CUDA_VISIBLE_DEVICES 0, 1", "import torch"],
        &["%set_env CUDA_VISIBLE_DEVICES 0,1", "import torch"],
    );
}

#[test]
fn the_order_is_that_of_the_last_runs() {
    let setting = "%env PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";
    let written = "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'";
    let run = |first: &str, second: &str, runs: [u32; 2]| -> Vec<&'static str> {
        let source = source_of([(0, first), (1, second)]).with_runs((0..).zip(runs));
        findings_in(source).iter().map(|finding| finding.code).collect()
    };
    assert_eq!(run("import torch", setting, [1, 2]), ["OOM951"]);
    assert_eq!(run("import torch", setting, [2, 1]), [""; 0]);
    assert_eq!(run(setting, "import torch", [5, 2]), ["OOM951"]);
    assert_eq!(run(setting, "import torch", [1, 2]), [""; 0]);
    assert_eq!(run(written, "import torch", [5, 2]), ["OOM402"]);
    assert_eq!(run("import torch", written, [2, 1]), [""; 0]);
}

#[test]
fn the_fixes_stay_in_their_cells() {
    check_fix_in_cells(
        &["!nvidia-smi", "!export CUDA_VISIBLE_DEVICES=\"1\"\nx = 1", "import torch"],
        &["!nvidia-smi", "%env CUDA_VISIBLE_DEVICES=1\nx = 1", "import torch"],
    );
    check_fix_in_cells(&["%env CUDA_VISIBLE_DEVICES=\"0\""], &["%env CUDA_VISIBLE_DEVICES=0"]);
}
