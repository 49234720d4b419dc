//! Values followed into other files of the workspace, and calls from there.

use std::collections::BTreeMap;
use std::sync::Arc;

use vramlens_grammars::parse;

use crate::annotations::{self, Annotated};
use crate::python::imports;
use crate::python::link::link;
use crate::python::lower::lower;
use crate::python::script::Script;
use crate::python::syntax::Module;
use crate::python::tests::facts_of;
use crate::python::units::{Callers, OutgoingCall, Unit, Units};

/// A meter that keeps what it is given.
const METER: (&str, &str) = (
    "utils.py",
    "
class Meter:
    def __init__(self):
        self.sum = 0.0
        self.count = 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n
",
);

/// A network.
const NETWORK: (&str, &str) = (
    "model.py",
    "
import torch.nn as nn
import torch.nn.functional as F

HIDDEN = 128

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(10, HIDDEN)
        self.two = nn.Linear(HIDDEN, 1)

    def forward(self, x):
        return self.two(F.relu(self.one(x)))
",
);

fn lowered(source: &str) -> Module {
    let Ok(tree) = parse::python(source, None) else { panic!("over a cap: {source:.60}") };
    lower(&tree, source)
}

/// The file that an import leads to, of those that are there.
fn target(importer: &str, spelled: &str, files: &[(&str, &str)]) -> Option<usize> {
    let path = spelled.trim_start_matches('.');
    let level = spelled.len() - path.len();
    let mut folder: Vec<&str> = importer.split('/').collect();
    folder.truncate(folder.len().saturating_sub(level));
    let base = if level == 0 { Vec::new() } else { folder };
    let joined: Vec<&str> = base.into_iter().chain(path.split('.')).filter(|part| !part.is_empty()).collect();
    let module = joined.join("/");
    let init = if module.is_empty() { "__init__.py".to_owned() } else { format!("{module}/__init__.py") };
    files.iter().position(|(name, _)| *name == format!("{module}.py") || *name == init)
}

/// The other files around a document called `document`.
fn units(document: (&str, &str), files: &[(&str, &str)]) -> Units {
    let mut units = Units::default();
    let own = imports::of_module(&lowered(document.1));
    let own = own.into_iter().filter_map(|spelled| {
        let target = target(document.0, &spelled, files)?;
        Some(((None, spelled), target))
    });
    units.links.extend(own);
    for (index, (name, source)) in files.iter().enumerate() {
        let module = lowered(source);
        let imports = imports::of_module(&module);
        for import in &imports {
            if let Some(target) = target(name, import, files) {
                units.links.insert((Some(index), import.clone()), target);
            }
        }
        let unit = Unit { name: (*name).to_owned(), text: (*source).to_owned(), module, imports };
        units.files.push(Arc::new(unit));
    }
    units
}

/// Runs `take` on the script of a document among other files.
fn among<T>(document: (&str, &str), files: &[(&str, &str)], take: impl FnOnce(&Script) -> T) -> T {
    let mut module = lowered(document.1);
    link(&mut module, document.1.len(), &units(document, files));
    take(&Script::read(&module, document.1))
}

/// Compares all facts of a document with the annotations in it.
#[track_caller]
fn check_in(name: &str, annotated: &str, files: &[(&str, &str)]) {
    let Annotated { source, notes } = annotations::read(annotated);
    let mut found = among((name, &source), files, facts_of);
    // A call of a module is there once for each forward pass in it.
    found.dedup();
    assert!(
        found == notes,
        "expected:\n{}\nfound:\n{}",
        annotations::write(&source, &notes),
        annotations::write(&source, &found)
    );
}

#[track_caller]
fn check(annotated: &str, files: &[(&str, &str)]) {
    check_in("train.py", annotated, files);
}

#[track_caller]
fn outgoing(source: &str, files: &[(&str, &str)]) -> Vec<OutgoingCall> {
    among(("train.py", source), files, |script| script.outgoing.clone())
}

/// Training with a meter that is made by `made`, after `import`.
fn metered(import: &str, made: &str) -> String {
    format!(
        "
import torch
{import}

def train(model, loader, criterion, optimizer):
    losses = {made}()
    for x, y in loader:
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.update(loss, x.size(0))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sum freed
"
    )
}

#[test]
fn a_meter_of_another_file_keeps_the_graph() {
    check(&metered("from utils import Meter", "Meter"), &[METER]);
}

#[test]
fn however_it_is_imported() {
    let package = ("lib/utils.py", METER.1);
    let reexport = ("lib/__init__.py", "from .utils import Meter\n");
    let by_star = ("lib/__init__.py", "from .utils import *\n");
    let as_part = ("lib/__init__.py", "from . import utils\n");
    check(&metered("from utils import Meter as M", "M"), &[METER]);
    check(&metered("import utils", "utils.Meter"), &[METER]);
    check(&metered("import utils as u", "u.Meter"), &[METER]);
    check(&metered("from utils import *", "Meter"), &[METER]);
    check(&metered("import lib.utils", "lib.utils.Meter"), &[package]);
    check(&metered("from lib import utils", "utils.Meter"), &[package, ("lib/__init__.py", "")]);
    check(&metered("from lib import Meter", "Meter"), &[package, reexport]);
    check(&metered("import lib", "lib.Meter"), &[package, reexport]);
    check(&metered("from lib import Meter", "Meter"), &[package, by_star]);
    check(&metered("import lib", "lib.utils.Meter"), &[package, as_part]);
    check(&metered("from lib import *", "utils.Meter"), &[package, as_part]);
    let inside = metered("", "Meter").replace("    losses =", "    from utils import Meter\n    losses =");
    check(&inside, &[METER]);
    let relative = metered("from .utils import Meter", "Meter");
    check_in("lib/train.py", &relative, &[package]);
    check_in("lib/deep/train.py", &metered("from ..utils import Meter", "Meter"), &[package]);
}

#[test]
fn what_the_other_file_detaches_is_fine() {
    let clean = METER.1.replace("+= value * n", "+= value.item() * n");
    let source = metered("from utils import Meter", "Meter");
    let without: Vec<&str> = source.lines().filter(|line| !line.contains('^')).collect();
    check(&without.join("\n"), &[("utils.py", &clean)]);
}

#[test]
fn a_missing_file_is_a_library() {
    let source = metered("from utils import Meter", "Meter");
    let without: Vec<&str> = source.lines().filter(|line| !line.contains('^')).collect();
    check(&without.join("\n"), &[]);
}

#[test]
fn the_forward_pass_of_an_imported_class_is_followed() {
    let evaluation = |body: &str, decorator: &str| {
        let source = NETWORK.1.replace("    def forward", &format!("    {decorator}\n    def forward"));
        let document = format!(
            "
from model import Net

def evaluate(loader):
    net = Net().cuda()
    net.eval()
    correct = 0
    for x, y in loader:
{body}
        correct += (out.argmax(1) == y).sum().item()
    return correct
"
        );
        check(&document, &[("model.py", &format!("import torch\n{source}"))]);
    };
    evaluation("        out = net(x)\n#             ^^^^^^ unused", "");
    evaluation("        out = net(x)", "@torch.no_grad()");
}

#[test]
fn a_class_built_on_an_imported_one_is_a_module() {
    check(
        "
from model import Net

class Wide(Net):
    def forward(self, x):
        return super().forward(x) * 2

net = Wide()
total = 0
for x in batches:
    total += net(x).sum()
#   ^^^^^^^^^^^^^^^^^^^^^ sum never freed
#            ^^^^^^ unused
print(total)
",
        &[NETWORK],
    );
}

#[test]
fn a_function_of_another_file_runs_in_its_callers_mode() {
    let helper = (
        "helper.py",
        "
def accuracy(model, x, y):
    return (model(x).argmax(1) == y).float().mean().item()
",
    );
    check(
        "
import torch
from helper import accuracy
from model import Net

def evaluate(loader):
    net = Net()
    total = 0
    with torch.no_grad():
        for x, y in loader:
            total += accuracy(net, x, y)
    for x, y in loader:
        total += accuracy(net, x, y)
#                ^^^^^^^^^^^^^^^^^^^ unused
    return total
",
        &[NETWORK, helper],
    );
}

/// An evaluation that cannot know what it evaluates.
const ENGINE: (&str, &str) = (
    "engine.py",
    "
def evaluate(net, loader):
    right = 0
    for x, y in loader:
        right += (net(x).argmax(1) == y).sum().item()
    return right
",
);

#[test]
fn what_the_document_evaluates_with_another_files_loop_is_told_at_its_call() {
    check(
        "
import torch
from engine import evaluate
from model import Net

net = Net().cuda()
print(evaluate(net, loader))
with torch.no_grad():
    print(evaluate(net, loader))
net.eval()
print(evaluate(net, loader))
#     ^^^^^^^^^^^^^^^^^^^^^ unused
",
        &[NETWORK, ENGINE],
    );
}

#[test]
fn what_the_other_file_puts_in_evaluation_mode_is_told_there() {
    let engine = ENGINE.1.replace("    right = 0", "    net.eval()\n    right = 0");
    check(
        "from engine import evaluate\nfrom model import Net\nevaluate(Net(), loader)\n",
        &[NETWORK, ("engine.py", &engine)],
    );
}

#[test]
fn a_decorator_that_picks_a_switch_may_switch_gradients_off() {
    let switch = (
        "switch.py",
        "
import torch

def quiet(new=check()):
    def decorate(function):
        return (torch.inference_mode if new else torch.no_grad)()(function)
    return decorate
",
    );
    check(
        "
from model import Net
from switch import quiet

@quiet()
def evaluate(loader):
    net = Net()
    net.eval()
    right = 0
    for x, y in loader:
        right += (net(x).argmax(1) == y).sum().item()
    return right
",
        &[NETWORK, switch],
    );
}

#[test]
fn what_is_too_long_to_follow_leaves_the_document_whole() {
    let doubled: Vec<String> =
        (0..40).map(|step| format!("    for i in x:\n        x = layer_{step}(x)")).collect();
    let layers: Vec<String> =
        (0..40).map(|step| format!("def layer_{step}(x):\n    return x + x * x - x\n")).collect();
    let long = format!("{}\ndef run(x):\n{}\n    return x\n", layers.join("\n"), doubled.join("\n"));
    let calls = "    run(run(run(run(run(x)))))\n".repeat(20);
    let document = format!("from long import run\nfor x in batches:\n{calls}");
    let exhausted = among(("train.py", &document), &[("long.py", &long)], |script| script.exhausted);
    assert!(!exhausted);
}

#[test]
fn what_a_file_keeps_for_itself_is_told_there() {
    let trainer = (
        "trainer.py",
        "
def fit(model, loader, criterion):
    total = 0
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        total += loss
    return total
",
    );
    check(
        "from trainer import fit\nfrom model import Net\nfit(Net(), loader, criterion)\n",
        &[NETWORK, trainer],
    );
}

#[test]
fn a_helper_that_fills_the_documents_list_is_told_at_its_call() {
    let helper = (
        "helper.py",
        "
def step(model, x, history):
    loss = model(x).mean()
    loss.backward()
    history.append(loss)
",
    );
    check(
        "
from helper import step
from model import Net

net = Net()
history = []
for x in batches:
    step(net, x, history)
#   ^^^^^^^^^^^^^^^^^^^^^ collection freed
print(history)
",
        &[NETWORK, helper],
    );
}

#[test]
fn files_may_import_each_other() {
    let one = ("one.py", "from two import two\ndef one(x):\n    return two(x)\n");
    let two = ("two.py", "import one\ndef two(x):\n    return x if x else one.one(x)\n");
    check("from one import one\nfrom two import two\nfor x in y:\n    one(two(x))\n", &[one, two]);
}

#[test]
fn a_global_is_one_of_its_own_file() {
    let counter = (
        "counter.py",
        "
kept = []

def keep(loss):
    global kept
    kept.append(loss)
",
    );
    check(
        "
from counter import keep
from model import Net

kept = None
net = Net()
for x in batches:
    loss = net(x).mean()
    loss.backward()
    keep(loss)
#   ^^^^^^^^^^ collection freed
",
        &[NETWORK, counter],
    );
}

#[test]
fn a_file_with_a_syntax_error_still_gives_what_can_be_read() {
    let broken = format!("{}\ndef half(:\n    x = \n", METER.1);
    check(&metered("from utils import Meter", "Meter"), &[("utils.py", &broken)]);
}

#[test]
fn calls_of_other_files_are_listed_with_their_mode() {
    let source = "
import torch
import utils
from helper import evaluate

def main(model):
    meter = utils.Meter()
    with torch.no_grad():
        evaluate(model)
    meter.update(1)
";
    let helper = ("helper.py", "from utils import Meter\ndef evaluate(model):\n    Meter().update(2)\n");
    let call = |unit: &str, function: &str, without_gradients| OutgoingCall {
        unit: unit.to_owned(),
        function: function.to_owned(),
        without_gradients,
    };
    let mut found = outgoing(source, &[METER, helper]);
    found.sort_by(|one, other| {
        (&one.function, one.without_gradients).cmp(&(&other.function, other.without_gradients))
    });
    assert_eq!(
        found,
        [
            call("utils.py", "Meter.__init__", false),
            call("utils.py", "Meter.__init__", true),
            call("utils.py", "Meter.update", false),
            call("utils.py", "Meter.update", true),
            call("helper.py", "evaluate", true),
        ]
    );
}

#[test]
fn a_function_whose_callers_have_switched_gradients_off_runs_without() {
    let source = "
def evaluate(model, loader):
    model.eval()
    total = 0
    for x, y in loader:
        total += (model(x).argmax(1) == y).sum().item()
    return total
";
    let module = lowered(source);
    let unused = |with_gradients, without_gradients| {
        let callers = Callers { with_gradients, without_gradients };
        let callers = BTreeMap::from([("evaluate".to_owned(), callers)]);
        Script::called(&module, source, &callers).unused.len()
    };
    assert_eq!(
        [unused(false, false), unused(true, false), unused(true, true), unused(false, true)],
        [1, 1, 1, 0]
    );
}
