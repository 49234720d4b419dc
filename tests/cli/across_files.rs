//! A script is read together with the files of its project that it imports, and that import it.

use crate::support::{Folder, Outcome};

/// An evaluation that keeps gradients on, if nobody who calls it has switched them off.
const ENGINE: &str = "\
import torch


def evaluate(model, loader, criterion):
    model.eval()
    losses = []
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        losses.append(loss)
    return torch.stack(losses).mean()
";

/// The rows of [`ENGINE`] on which a forward pass records what it need not, and on which losses pile up with their graphs.
const ROWS: [u64; 2] = [8, 9];

/// A script that calls the evaluation where `CALL` stands.
const MAIN: &str = "\
import torch
from engine import evaluate

model = torch.nn.Linear(10, 2).cuda()
criterion = torch.nn.CrossEntropyLoss()
loader = torch.utils.data.DataLoader(dataset)
CALL
";

/// The same with gradients switched off.
const WITHOUT: &str = "with torch.no_grad():\n    print(evaluate(model, loader, criterion))";
const WITH: &str = "print(evaluate(model, loader, criterion).item())";

fn main(call: &str) -> String {
    MAIN.replace("CALL", call)
}

/// The files and rows of findings at warning or above.
fn warned(outcome: &Outcome) -> Vec<(String, u64)> {
    let findings = outcome.json();
    let loud = findings
        .iter()
        .filter(|finding| ["error", "warning"].contains(&finding["severity"].as_str().unwrap()));
    let place = |finding: &serde_json::Value| {
        (finding["filename"].as_str().unwrap().to_owned(), finding["location"]["row"].as_u64().unwrap())
    };
    loud.map(place).collect()
}

fn check(folder: &Folder, paths: &[&str]) -> Vec<(String, u64)> {
    warned(&folder.run(&[&["check", "--output-format", "json"], paths].concat()))
}

#[test]
fn an_evaluation_that_is_only_called_without_gradients_is_silent() {
    let folder = Folder::new().file("engine.py", ENGINE).file("main.py", main(WITHOUT));
    assert_eq!(check(&folder, &["."]), []);
    assert_eq!(check(&folder, &["engine.py"]), [], "alone as well");
}

#[test]
fn an_evaluation_that_is_called_with_gradients_is_told_of() {
    let folder = Folder::new().file("engine.py", ENGINE).file("main.py", main(WITH));
    let told = check(&folder, &["."]);
    assert!(ROWS.iter().all(|row| told.contains(&("engine.py".to_owned(), *row))), "{told:?}");
}

#[test]
fn one_caller_with_gradients_is_enough() {
    let folder = Folder::new()
        .file("engine.py", ENGINE)
        .file("main.py", main(WITHOUT))
        .file("scripts/other.py", main(WITH));
    let told = check(&folder, &["engine.py"]);
    assert_eq!(told, ROWS.map(|row| ("engine.py".to_owned(), row)));
}

#[test]
fn the_order_of_the_files_makes_no_difference() {
    let folder =
        Folder::new().file("engine.py", ENGINE).file("main.py", main(WITHOUT)).file("more.py", main(WITH));
    let one = folder.run(&["check", "engine.py", "main.py", "more.py"]);
    let other = folder.run(&["check", "more.py", "main.py", "engine.py"]);
    assert_eq!(one, other);
    let mut single = folder.command(&["check", "."]);
    let single = Outcome::of(&single.env("RAYON_NUM_THREADS", "1").output().unwrap());
    assert_eq!(one, single);
}

#[test]
fn a_meter_of_another_file_is_known() {
    let meter = "class Meter:\n    def __init__(self):\n        self.total = 0\n\n    def update(self, value):\n        self.total += value\n";
    let train = "\
import torch
from utils import Meter

model = torch.nn.Linear(10, 2).cuda()
criterion = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
meter = Meter()
for x, y in torch.utils.data.DataLoader(dataset):
    optimizer.zero_grad()
    loss = criterion(model(x.cuda()), y.cuda())
    loss.backward()
    optimizer.step()
    meter.update(loss)
";
    let folder = Folder::new().file("train.py", train).file("utils.py", meter);
    let told = check(&folder, &["train.py"]);
    assert!(told.contains(&("train.py".to_owned(), 13)), "{told:?}");
    let folder = folder.file("utils.py", meter.replace("+= value", "+= value.item()"));
    assert_eq!(check(&folder, &["train.py"]), []);
}

#[test]
fn packages_with_relative_imports_are_followed() {
    let folder = Folder::new()
        .file("pyproject.toml", "")
        .file("src/project/__init__.py", "from .engine import evaluate\n")
        .file("src/project/engine.py", ENGINE)
        .file("scripts/main.py", main(WITHOUT).replace("from engine", "from project"));
    assert_eq!(check(&folder, &["."]), []);
    let folder = folder.file("scripts/main.py", main(WITH).replace("from engine", "from project"));
    let told = check(&folder, &["src"]);
    assert_eq!(told, ROWS.map(|row| ("src/project/engine.py".to_owned(), row)));
}

#[test]
fn files_that_import_each_other_come_to_an_end() {
    let folder = Folder::new()
        .file("engine.py", format!("from main import model\n{ENGINE}"))
        .file("main.py", format!("import engine\nimport main\n{}", main(WITHOUT)));
    assert_eq!(check(&folder, &["."]), []);
}

#[test]
fn standard_input_is_read_as_the_file_that_it_is_named() {
    let folder = Folder::new().file("main.py", main(WITHOUT));
    let words = ["check", "--output-format", "json", "--stdin-filename", "engine.py", "-"];
    let outcome = folder.run_with_input(&words, ENGINE.as_bytes());
    assert_eq!(outcome.stderr, "");
    let folder = folder.file("engine.py", ENGINE);
    assert_eq!(warned(&folder.run_with_input(&words, ENGINE.as_bytes())), []);
}

#[test]
fn a_file_beside_a_script_that_cannot_be_read_says_nothing() {
    let folder = Folder::new().file("engine.py", b"\xff\xfe".as_slice()).file("main.py", main(WITHOUT));
    let outcome = folder.run(&["check", "main.py"]);
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""));
}

#[test]
fn a_file_that_imports_pytorch_is_an_import_of_pytorch() {
    let script = "import os\nimport helpers\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\nimport torch\n";
    let told = |helpers: &str, deeper: &str| {
        let folder = Folder::new().file("train.py", script).file("pyproject.toml", "");
        folder.file("helpers.py", helpers).file("deeper.py", deeper).run(&["check", "train.py"]).stdout
    };
    let directly = told("import torch\n", "");
    assert!(
        directly.contains("OOM402")
            && directly.contains("--> train.py:3:1")
            && directly.contains("`import helpers`"),
        "{directly}"
    );
    assert!(told("from deeper import x\n", "from torch import nn\nx = 1\n").contains("OOM402"));
    for helpers in [
        "import math\n",
        "def late():\n    import torch\n",
        "try:\n    import torch\nexcept ImportError:\n    torch = None\n",
    ] {
        assert!(!told(helpers, "").contains("OOM402"), "{helpers}");
    }
}
