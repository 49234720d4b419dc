//! Every kind of collection, and every way to put something into it.

use crate::rules::tests::check;

/// A training loop that keeps its loss by `statement` in what `start` makes.
fn training(start: &str, statement: &str, expected: &str) -> String {
    let carets = "^".repeat(statement.len());
    format!(
        "
import queue
from collections import defaultdict, deque

import torch

def fit(model, loader, criterion, optimizer):
    {start}
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        {statement}
#       {carets} {expected}
"
    )
}

#[test]
fn every_way_into_a_list() {
    for statement in [
        "kept.append(loss)",
        "kept.insert(0, loss)",
        "kept.extend([loss])",
        "kept += [loss]",
        "kept.append((step, loss))",
        "kept.append({'loss': loss})",
        "kept.append([loss, step])",
    ] {
        check(&training("kept = []", statement, "OOM102 warning nodes-only"));
    }
}

#[test]
fn every_way_into_a_dict() {
    for (start, statement) in [
        ("kept = {}", "kept[step] = loss"),
        ("kept = {}", "kept.update({step: loss})"),
        ("kept = {'loss': []}", "kept['loss'].append(loss)"),
        ("kept = defaultdict(list)", "kept['loss'].append(loss)"),
        ("kept = {}", "kept.setdefault('loss', []).append(loss)"),
    ] {
        check(&training(start, statement, "OOM102 warning nodes-only"));
    }
}

#[test]
fn other_collections() {
    for (start, statement) in [
        ("kept = deque()", "kept.append(loss)"),
        ("kept = deque()", "kept.appendleft(loss)"),
        ("kept = set()", "kept.add(loss)"),
        ("kept = queue.Queue()", "kept.put(loss)"),
    ] {
        check(&training(start, statement, "OOM102 warning nodes-only"));
    }
}

#[test]
fn a_deque_with_few_items_is_only_worth_a_note() {
    check(&training("kept = deque(maxlen=100)", "kept.append(loss)", "OOM102 information nodes-only"));
}

#[test]
fn a_list_on_an_object() {
    check(
        "
import torch

class Trainer:
    def __init__(self, model, criterion, optimizer):
        self.model = model
        self.criterion = criterion
        self.optimizer = optimizer
        self.losses = []

    def step(self, x, y):
        loss = self.criterion(self.model(x.cuda()), y.cuda())
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.losses.append(loss)
#       ^^^^^^^^^^^^^^^^^^^^^^^^ OOM102 warning nodes-only

    def fit(self, loader):
        for x, y in loader:
            self.step(x, y)
",
    );
}

#[test]
fn a_list_of_the_module() {
    check(
        "
import torch

history = []

def fit(model, loader, criterion, optimizer):
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        history.append(loss)
#       ^^^^^^^^^^^^^^^^^^^^ OOM102 warning nodes-only
",
    );
}

#[test]
fn a_list_handed_to_a_function_of_the_same_file() {
    check(
        "
import torch

def log(history, value):
    history.append(value)

def fit(model, loader, criterion, optimizer):
    history = []
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        log(history, loss)
#       ^^^^^^^^^^^^^^^^^^ OOM102 warning nodes-only
    return [loss.item() for loss in history]
",
    );
}

#[test]
fn a_record_of_the_same_file() {
    check(
        "
from dataclasses import dataclass

import torch

@dataclass
class Step:
    number: int
    loss: torch.Tensor

def fit(model, loader, criterion, optimizer):
    steps = []
    for number, (x, y) in enumerate(loader):
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        steps.append(Step(number, loss))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM102 warning nodes-only
    print(steps)
",
    );
}

#[test]
fn a_tensor_that_grows() {
    check(
        "
import torch

def collect(model, loader):
    model.eval()
    features = torch.empty(0, 512).cuda()
    for x, _ in loader:
        out = model(x.cuda())
#             ^^^^^^^^^^^^^^^ OOM202 error peak
        features = torch.cat([features, out])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM102 error full-graph
    return features.detach().cpu()
",
    );
}

#[test]
fn a_comprehension_over_the_loader() {
    check(
        "
import torch

def collect(model, loader):
    model.eval()
    outputs = [model(x.cuda()) for x, _ in loader]
#             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM102 error full-graph
    return torch.cat(outputs).argmax(1).cpu().numpy()
",
    );
}

#[test]
fn a_mean_that_a_function_returns_is_one_number() {
    check(
        "
import torch
model = torch.nn.Linear(10, 2).cuda()
criterion = torch.nn.CrossEntropyLoss()
def run(loader):
    running = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        running += loss
        ^^^^^^^^^^^^^^^ OOM101 warning nodes-only
    return running / len(loader)
history = []
for epoch in range(20):
    history.append(run(torch.utils.data.DataLoader(data)))
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM102 warning nodes-only
",
    );
}
