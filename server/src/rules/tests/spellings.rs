//! One mistake in every way it is written: what a loop keeps of each step, after its backward, without one, detached.

use crate::finding::Severity;

/// How a loss of every step is kept: before the loop, in it, with `VALUE` for what is kept.
struct Spelling {
    name: &'static str,
    before: &'static str,
    keep: &'static str,
}

const fn spelled(name: &'static str, before: &'static str, keep: &'static str) -> Spelling {
    Spelling { name, before, keep }
}

const SPELLINGS: [Spelling; 28] = [
    spelled("augmented", "total = 0.0", "total += VALUE"),
    spelled("sum", "total = 0.0", "total = total + VALUE"),
    spelled("sum the other way", "total = 0.0", "total = VALUE + total"),
    spelled("average", "total = 0.0", "total = 0.9 * total + 0.1 * VALUE"),
    spelled("torch.add", "total = torch.zeros(())", "total = torch.add(total, VALUE)"),
    spelled("add in place", "total = torch.zeros((), device='cuda')", "total.add_(VALUE)"),
    spelled("item of a list", "sums = [0.0]", "sums[0] += VALUE"),
    spelled("item of a dict", "sums = {'loss': 0.0}", "sums['loss'] += VALUE"),
    spelled("get of a dict", "sums = {}", "sums['loss'] = sums.get('loss', 0.0) + VALUE"),
    spelled(
        "defaultdict",
        "from collections import defaultdict\nsums = defaultdict(float)",
        "sums['loss'] += VALUE",
    ),
    spelled("attribute", "class State: pass\nstate = State()\nstate.total = 0.0", "state.total += VALUE"),
    spelled(
        "namespace",
        "from types import SimpleNamespace as N\nstate = N(total=0.0)",
        "state.total += VALUE",
    ),
    spelled(
        "setattr",
        "class State: pass\nstate = State()\nstate.total = 0.0",
        "setattr(state, 'total', getattr(state, 'total') + VALUE)",
    ),
    spelled(
        "setattr of a computed name",
        "class State: pass\nstate = State()\nfor part in parts:\n    setattr(state, part + '_sum', 0.0)",
        "setattr(state, part + '_sum', getattr(state, part + '_sum') + VALUE)",
    ),
    spelled(
        "method of a meter",
        "class Meter:\n    total = 0.0\n    def update(self, value):\n        self.total += value\nmeter = Meter()",
        "meter.update(VALUE)",
    ),
    spelled(
        "dataclass",
        "from dataclasses import dataclass\n@dataclass\nclass State:\n    total: float = 0.0\nstate = State()",
        "state.total += VALUE",
    ),
    spelled(
        "closure",
        "def counter():\n    total = 0.0\n    def add(value):\n        nonlocal total\n        total += value\n    return add\nadd = counter()",
        "add(VALUE)",
    ),
    spelled("global", "total = 0.0\ndef add(value):\n    global total\n    total += value", "add(VALUE)"),
    spelled("append", "curve = []", "curve.append(VALUE)"),
    spelled("list of one more", "curve = []", "curve += [VALUE]"),
    spelled("list and list", "curve = []", "curve = curve + [VALUE]"),
    spelled("extend", "curve = []", "curve.extend([VALUE])"),
    spelled("deque", "from collections import deque\ncurve = deque()", "curve.append(VALUE)"),
    spelled("queue", "from queue import Queue\ncurve = Queue()", "curve.put(VALUE)"),
    spelled("dict by step", "curve = {}", "curve[step] = VALUE"),
    spelled("setdefault", "curve = {}", "curve.setdefault('loss', []).append(VALUE)"),
    spelled(
        "callback",
        "class Recorder:\n    def __init__(self):\n        self.curve = []\n    def on_step(self, value):\n        self.curve.append(value)\ncallbacks = [Recorder()]",
        "for callback in callbacks:\n        callback.on_step(VALUE)",
    ),
    spelled(
        "concatenation",
        "curve = torch.zeros(0, device='cuda')",
        "curve = torch.cat([curve, VALUE.view(1)])",
    ),
];

const RULES: [&str; 5] = ["OOM101", "OOM102", "OOM103", "OOM104", "OOM203"];

/// One expression that takes what `step` returns for every batch.
const EXPRESSIONS: [&str; 7] = [
    "[step(x, y) for x, y in loader]",
    "{n: step(x, y) for n, (x, y) in enumerate(loader)}",
    "sum(step(x, y) for x, y in loader)",
    "sum([step(x, y) for x, y in loader])",
    "list(step(x, y) for x, y in loader)",
    "torch.stack([step(x, y) for x, y in loader])",
    "[{'loss': step(x, y)} for x, y in loader]",
];

const TRAIN: &str = "loss.backward()\n    optimizer.step()\n    optimizer.zero_grad()";

/// What is said about an expression that takes what each step returns.
fn said_of_expression(expression: &str, backward: bool, value: &str) -> Vec<String> {
    let train = if backward { TRAIN } else { "pass" };
    said_about(&format!(
        "
import torch

net = torch.nn.Linear(512, 512).cuda()
optimizer = torch.optim.Adam(net.parameters())

def step(x, y):
    loss = (net(x.cuda()) - y.cuda()).pow(2).mean()
    {train}
    return {value}

curve = {expression}
"
    ))
}

/// What is said about what the loop keeps.
fn said(spelling: &Spelling, backward: bool, value: &str) -> Vec<String> {
    let train = if backward { TRAIN } else { "pass" };
    let keep = spelling.keep.replace("VALUE", value);
    said_about(&format!(
        "
import torch

net = torch.nn.Linear(512, 512).cuda()
optimizer = torch.optim.Adam(net.parameters())
{}
for step, (x, y) in enumerate(loader):
    loss = (net(x.cuda()) - y.cuda()).pow(2).mean()
    {train}
    {keep}
",
        spelling.before
    ))
}

/// What is said at warning level or above about what is kept.
fn said_about(script: &str) -> Vec<String> {
    let findings = super::findings(script);
    let kept = findings.iter().filter(|finding| RULES.contains(&finding.code));
    let loud = kept.filter(|finding| finding.severity >= Severity::Warning);
    loud.map(|finding| format!("{:?} {:?}", finding.severity, finding.growth)).collect()
}

#[track_caller]
fn assert_all(backward: bool, value: &str, expected: &[&str]) {
    let loops = SPELLINGS.iter().map(|spelling| (spelling.name, said(spelling, backward, value)));
    let expressions =
        EXPRESSIONS.iter().map(|written| (*written, said_of_expression(written, backward, value)));
    let wrong: Vec<String> = loops
        .chain(expressions)
        .filter(|(_, said)| said != expected)
        .map(|(name, said)| format!("{name}: {said:?}"))
        .collect();
    assert!(wrong.is_empty(), "expected {expected:?} of each\n{}", wrong.join("\n"));
}

#[test]
fn after_its_backward_a_loss_keeps_nodes() {
    assert_all(true, "loss", &["Warning NodesOnly"]);
}

#[test]
fn without_a_backward_a_loss_keeps_its_activations() {
    assert_all(false, "loss", &["Error FullGraph"]);
}

#[test]
fn a_detached_loss_keeps_nothing_worth_a_warning() {
    assert_all(true, "loss.detach()", &[]);
    assert_all(false, "loss.detach()", &[]);
}

#[test]
fn a_number_keeps_nothing() {
    let numbers = ["loss.item()", "float(loss)"];
    for spelling in SPELLINGS.iter().filter(|spelling| spelling.name != "concatenation") {
        for value in numbers {
            assert!(said(spelling, true, value).is_empty(), "{} with {value}", spelling.name);
        }
    }
}

#[test]
fn functions_that_read_one_variable_keep_its_last_value() {
    let spelling = spelled("stored lambda", "curve = []", "curve.append(lambda: VALUE)");
    assert!(said(&spelling, true, "loss").is_empty());
}
