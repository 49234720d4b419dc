//! Gradients that are zeroed and kept.

use crate::rules::tests::fixing::check_fix;
use crate::rules::tests::{check, check_with};

#[test]
fn of_optimizers_and_models_wherever_they_come_from() {
    check(
        "
import torch
from build import model, optimizer
model.zero_grad(set_to_none=False)
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM108 information static

class Loop:
    def step(self, loss, none=False):
        self.optimizer.zero_grad(False)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM108 information static
        loss.backward()
        self.optimizer.step()

def train(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    options = {'set_to_none': False}
    for batch in loader:
        optimizer.zero_grad(**options)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM108 information static
        model(batch).mean().backward()
        optimizer.step()
",
    );
}

#[test]
fn the_default_counts_where_pytorch_is_old() {
    let script = "
import torch
def train(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in loader:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
";
    check_with(&[("torch", "2.0.0")], script);
    check(script);
    check_with(
        &[("torch", "1.13.1")],
        "
import torch
def train(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in loader:
        optimizer.zero_grad()
        ^^^^^^^^^^^^^^^^^^^^^ OOM108 information static
        model(batch).mean().backward()
        optimizer.step()
",
    );
}

#[test]
fn silent_where_the_zeros_may_be_wanted_or_nothing_is_known() {
    check(
        "
import torch
def step(optimizer, loss, to_none):
    optimizer.zero_grad(set_to_none=to_none)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
",
    );
    check(
        "
import torch
def step(model, optimizer, loss):
    optimizer.zero_grad(set_to_none=False)
    loss.backward()
    print(model.weight.grad.norm())
    optimizer.step()
",
    );
    check(
        "
class Timer:
    def zero_grad(self, set_to_none):
        self.none = set_to_none

Timer().zero_grad(set_to_none=False)
",
    );
}

#[test]
fn the_fix_writes_the_argument_as_it_was_given() {
    let before = "
import torch
def step(optimizer, loss):
    optimizer.zero_grad(set_to_none=False)  # as in the paper
    loss.backward()
";
    check_fix(before, &before.replace("False", "True"));
    check_fix(&before.replace("set_to_none=False", "False"), &before.replace("False", "True"));
}
