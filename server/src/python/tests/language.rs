//! Values through every construct of the language.

use super::check;

/// A training loop whose total is added to by `statements`.
fn training(start: &str, statements: &str) -> String {
    format!(
        "
import torch

def fit(model, loader, criterion, optimizer, flag, kind):
    {start}
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        {statements}
"
    )
}

#[test]
fn names_and_patterns() {
    for statements in [
        "value = loss\n        total += value\n#       ^^^^^^^^^^^^^^ sum freed",
        "first, second = loss, 1\n        total += first\n#       ^^^^^^^^^^^^^^ sum freed",
        "(first, (second, third)) = (1, (2, loss))\n        total += third\n#       ^^^^^^^^^^^^^^ sum freed",
        "first, *rest = [loss, 1, 2]\n        total += first\n#       ^^^^^^^^^^^^^^ sum freed",
        "a = b = loss\n        total += b\n#       ^^^^^^^^^^ sum freed",
        "value: torch.Tensor = loss\n        total += value\n#       ^^^^^^^^^^^^^^ sum freed",
        "total += (value := loss)\n#       ^^^^^^^^^^^^^^^^^^^^^^^^ sum freed",
        "first, second = loss, 1\n        total += second",
        "value = loss\n        value = 1\n        total += value",
        "value = loss\n        del value\n        value = 2\n        total += value",
    ] {
        check(&training("total = 0.0", statements));
    }
}

#[test]
fn branches() {
    for statements in [
        "if flag:\n            total += loss\n#           ^^^^^^^^^^^^^ sum freed",
        "value = loss if flag else 0.0\n        total += value\n#       ^^^^^^^^^^^^^^ sum freed",
        "value = flag and loss\n        total += value\n#       ^^^^^^^^^^^^^^ sum freed",
        "try:\n            total += loss\n#           ^^^^^^^^^^^^^ sum freed\n        except ValueError:\n            pass",
        "try:\n            print(x)\n        finally:\n            total += loss\n#           ^^^^^^^^^^^^^ sum freed",
        "match kind:\n            case 'mean':\n                total += loss\n#               ^^^^^^^^^^^^^ sum freed\n            case _:\n                pass",
        "match loss:\n            case value:\n                total += value\n#               ^^^^^^^^^^^^^^ sum freed",
        "if flag:\n            continue\n        total += loss\n#       ^^^^^^^^^^^^^ sum freed",
        "assert flag\n        total += loss\n#       ^^^^^^^^^^^^^ sum freed",
        "if not flag:\n            break\n        total += loss\n#       ^^^^^^^^^^^^^ sum freed",
    ] {
        check(&training("total = 0.0", statements));
    }
}

#[test]
fn ways_that_are_never_taken() {
    for statements in [
        "if False:\n            total += loss",
        "continue\n        total += loss",
        "raise ValueError\n        total += loss",
        "return total\n        total += loss",
    ] {
        check(&training("total = 0.0", statements));
    }
}

#[test]
fn containers_hold_what_is_put_into_them() {
    for statements in [
        "values = [loss, 1]\n        total += values[0]\n#       ^^^^^^^^^^^^^^^^^^ sum freed",
        "values = {'loss': loss}\n        total += values['loss']\n#       ^^^^^^^^^^^^^^^^^^^^^^^ sum freed",
        "values = dict(loss=loss)\n        total += values['loss']\n#       ^^^^^^^^^^^^^^^^^^^^^^^ sum freed",
        "values = {'loss': loss, 'size': 3}\n        total += values['size']",
        "total += sum([loss, loss])\n#       ^^^^^^^^^^^^^^^^^^^^^^^^^^ sum freed",
        "for value in [loss]:\n            total += value\n#           ^^^^^^^^^^^^^^ sum freed",
        "for index, value in enumerate([loss]):\n            total += index",
    ] {
        check(&training("total = 0.0", statements));
    }
}

#[test]
fn functions_give_back_what_they_are_given() {
    for (start, statements) in [
        ("total = 0.0; same = lambda value: value", "total += same(loss)"),
        ("total = 0.0; pair = lambda value: (1, value)", "total += pair(loss)[1]"),
    ] {
        let carets = "^".repeat(statements.len());
        check(&training(start, &format!("{statements}\n#       {carets} sum freed")));
    }
    for (start, statements) in [
        ("total = 0.0; number = lambda value: value.item()", "total += number(loss)"),
        ("total = 0.0; pair = lambda value: (1, value)", "total += pair(loss)[0]"),
    ] {
        check(&training(start, statements));
    }
}

#[test]
fn defaults_keyword_arguments_and_unpacking() {
    check(
        "
import torch

def weighted(value, *, weight=1.0, **options):
    return value * weight

def number(value, detach=True):
    return value.item() if detach else value

def fit(model, loader, criterion, optimizer):
    total = other = third = 0.0
    options = {'weight': 2.0}
    for batch in loader:
        loss = criterion(model(batch[0].cuda()), batch[1].cuda())
        loss.backward()
        optimizer.step()
        total += weighted(weight=2.0, value=loss)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sum freed
        other += weighted(loss, **options)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sum freed
        third += number(loss)
    print(total, other, third)
",
    );
}

#[test]
fn attributes_of_classes_and_instances() {
    check(
        "
import torch

class Base:
    total = 0.0

    def log(self, loss):
        self.total += loss

class Trainer(Base):
    def __init__(self, model, criterion, optimizer):
        super().__init__()
        self.model, self.criterion, self.optimizer = model, criterion, optimizer

    def fit(self, loader):
        for x, y in loader:
            loss = self.criterion(self.model(x.cuda()), y.cuda())
            loss.backward()
            self.optimizer.step()
            self.log(loss)
#           ^^^^^^^^^^^^^^ sum freed
        print(self.total)
",
    );
}

#[test]
fn fields_of_a_dataclass() {
    check(
        "
from dataclasses import dataclass, field

import torch

@dataclass
class Progress:
    total: float = 0.0
    losses: list = field(default_factory=list)

def fit(model, loader, criterion, optimizer):
    progress = Progress()
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        progress.total += loss
#       ^^^^^^^^^^^^^^^^^^^^^^ sum freed
        progress.losses.append(loss)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ collection freed
    print(progress)
",
    );
}

#[test]
fn properties_and_setters() {
    check(
        "
import torch

class Trainer:
    def __init__(self, model, criterion):
        self.model = model
        self.criterion = criterion
        self._total = 0.0

    @property
    def total(self):
        return self._total

    def fit(self, loader, optimizer):
        for x, y in loader:
            loss = self.criterion(self.model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
            self._total = self.total + loss
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sum freed
        print(self.total)
",
    );
}

#[test]
fn generators_yield_values() {
    check(
        "
import torch

def losses(model, loader, criterion, optimizer):
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        yield loss

def fit(model, loader, criterion, optimizer):
    total = 0.0
    for loss in losses(model, loader, criterion, optimizer):
        total += loss
#       ^^^^^^^^^^^^^ sum freed
    print(total)
",
    );
}

#[test]
fn async_functions_are_functions() {
    check(
        "
import torch

async def step(model, criterion, optimizer, x, y):
    loss = criterion(model(x.cuda()), y.cuda())
    loss.backward()
    optimizer.step()
    return loss

async def fit(model, loader, criterion, optimizer):
    total = 0.0
    async for x, y in loader:
        total += await step(model, criterion, optimizer, x, y)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sum freed
    print(total)
",
    );
}

#[test]
fn scopes_hide_names() {
    check(
        "
import torch

total = 0.0

def fit(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        def show(loss):
            total = 0.0
            total += loss
            return total
        print([loss for loss in range(3)])
        show(1.0)
        total += loss
#       ^^^^^^^^^^^^^ sum freed
    print(total)
",
    );
}
