//! What happens to the process: imports, the first use of CUDA, the environment.

use super::library_calls::read;
use crate::python::library_call::{Known, ProcessChange, ProcessEvent};

/// What happens to the process, a line each, with the numbers of what has surely happened before.
fn process(source: &str) -> Vec<String> {
    let shown = |what: &ProcessChange| match what {
        ProcessChange::ImportsTorch { package } => format!("imports {package}"),
        ProcessChange::InitializesCuda => "cuda".to_owned(),
        ProcessChange::StartsProcess => "process".to_owned(),
        ProcessChange::SetsVariable { name, value, only_if_unset, .. } => {
            format!("{}{name}={}", if *only_if_unset { "?" } else { "" }, text(value))
        }
    };
    read(source, |script| {
        let line = |event: &ProcessEvent| format!("{} after {:?}", shown(&event.what), event.before);
        script.process.iter().map(line).collect()
    })
}

fn text(value: &Known) -> String {
    match value {
        Known::Text(text) => text.to_string(),
        Known::Int(number) => number.to_string(),
        other => format!("{other:?}"),
    }
}

#[test]
fn the_environment_is_seen_in_every_spelling() {
    let source = r#"
import os
from os import environ as env
NAME = "A"
os.environ[NAME] = "1"
env["B"] = "2"
os.environ.setdefault("C", "3")
os.putenv("D", "4")
os.environ.update({"E": "5"}, F="6")
os.environ |= {"G": "7"}
env["H"] = 8
os.environ["PATH"] += ":x"
"#;
    assert_eq!(
        process(source),
        [
            "A=1 after []",
            "B=2 after [0]",
            "?C=3 after [0, 1]",
            "D=4 after [0, 1, 2]",
            "E=5 after [0, 1, 2, 3]",
            "F=6 after [0, 1, 2, 3, 4]",
            "G=7 after [0, 1, 2, 3, 4, 5]",
            "H=8 after [0, 1, 2, 3, 4, 5, 6]",
        ]
    );
}

#[test]
fn imports_and_the_first_use_of_cuda_come_in_the_order_they_run() {
    let source = r#"
import os, torch

def main():
    os.environ["A"] = "1"
    net = torch.nn.Linear(2, 2).cuda()
    net.cuda()
    os.environ["B"] = "2"

if __name__ == "__main__":
    main()
"#;
    assert_eq!(
        process(source),
        ["imports torch after []", "A=1 after [0]", "cuda after [0, 1]", "B=2 after [0, 1, 2]"]
    );
}

#[test]
fn what_may_not_have_run_is_not_before() {
    let source = r#"
import os
try:
    import torch
except ImportError:
    torch = None
os.environ["A"] = "1"
if torch:
    torch.zeros(1, device="cuda")
os.environ["B"] = "2"
x = torch.zeros(1, device="cpu")
"#;
    assert_eq!(
        process(source),
        ["imports torch after []", "A=1 after []", "cuda after [1, 0]", "B=2 after [1]"]
    );
}

#[test]
fn a_function_that_code_elsewhere_calls_has_no_known_time() {
    let source = r#"
import os
import torch
from elsewhere import run_in_subprocess

def test():
    def inside():
        os.environ["A"] = "1"
    run_in_subprocess(inside)
"#;
    assert_eq!(process(source), ["imports torch after []", "A=1 after []"]);
}

#[test]
fn another_process_that_runs_a_function_has_imported_its_module() {
    let source = r#"
import os
import torch
from elsewhere import spawn

def worker(rank):
    os.environ["A"] = "1"

torch.zeros(1, device="cuda")
spawn(worker)
"#;
    assert_eq!(process(source), ["imports torch after []", "cuda after [0]", "A=1 after [0]"]);
}

#[test]
fn what_is_called_was_imported() {
    let source = r#"
import os
try:
    import torch
except ImportError:
    torch = None
if torch is not None and torch.cuda.is_available():
    os.environ["A"] = "1"
"#;
    assert_eq!(process(source), ["imports torch after []", "A=1 after [0]"]);
}

#[test]
fn another_process_gets_the_environment_as_it_is() {
    let source = r#"
import os, subprocess
import torch
os.environ["A"] = "1"
subprocess.run(["python", "train.py"])
"#;
    assert_eq!(process(source), ["imports torch after []", "A=1 after [0]", "process after [0, 1]"]);
}
