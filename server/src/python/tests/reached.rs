//! How the grad mode of the callers, and of decorators, reaches a function.

use super::check;

#[test]
fn a_function_runs_in_the_mode_of_its_callers() {
    check(
        "
import torch

def quiet(model, loader):
    for x in loader:
        print(model(x).argmax(1))

def both(model, loader):
    for x in loader:
        print(model(x).argmax(1))
#             ^^^^^^^^ unused

def main(loader):
    model = torch.nn.Linear(10, 2).cuda()
    with torch.no_grad():
        quiet(model, loader)
        both(model, loader)
    both(model, loader)
",
    );
}

#[test]
fn through_several_calls() {
    check(
        "
import torch

def predict(model, x):
    return model(x).argmax(1)

def run(model, loader):
    for x in loader:
        print(predict(model, x))

@torch.no_grad()
def main(loader):
    run(torch.nn.Linear(10, 2).cuda(), loader)
",
    );
}

#[test]
fn every_decorator_that_switches_gradients_off() {
    for decorator in [
        "torch.no_grad()",
        "torch.no_grad",
        "torch.inference_mode()",
        "torch.inference_mode",
        "torch.inference_mode(mode=True)",
        "torch.set_grad_enabled(False)",
    ] {
        check(&format!(
            "
import torch

@{decorator}
def run(loader):
    model = torch.nn.Linear(10, 2).cuda()
    for x in loader:
        print(model(x).argmax(1))
"
        ));
    }
}

#[test]
fn a_decorator_among_others() {
    check(
        "
import functools
import torch

class Runner:
    @staticmethod
    @torch.no_grad()
    def one(loader):
        model = torch.nn.Linear(10, 2).cuda()
        for x in loader:
            print(model(x).argmax(1))

    @torch.no_grad()
    @functools.lru_cache
    def other(self, loader):
        model = torch.nn.Linear(10, 2).cuda()
        for x in loader:
            print(model(x).argmax(1))

    @classmethod
    def third(cls, loader):
        model = torch.nn.Linear(10, 2).cuda()
        for x in loader:
            print(model(x).argmax(1))
#                 ^^^^^^^^ unused
",
    );
}

#[test]
fn a_decorator_of_the_same_file() {
    check(
        "
import functools
import torch

def quietly(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        with torch.no_grad():
            return function(*args, **kwargs)
    return wrapper

@quietly
def run(loader):
    model = torch.nn.Linear(10, 2).cuda()
    for x in loader:
        print(model(x).argmax(1))
",
    );
}

#[test]
fn nested_functions_and_lambdas() {
    check(
        "
import torch

@torch.no_grad()
def quiet(loader):
    model = torch.nn.Linear(10, 2).cuda()
    def predict(x):
        return model(x).argmax(1)
    for x in loader:
        print(predict(x))

def loud(loader):
    model = torch.nn.Linear(10, 2).cuda()
    predict = lambda x: model(x).argmax(1)
#                       ^^^^^^^^ unused
    for x in loader:
        print(predict(x))
",
    );
}

#[test]
fn a_function_handed_over_as_a_callback() {
    check(
        "
import torch

def each(loader, callback):
    for x in loader:
        callback(x)

def main(loader):
    model = torch.nn.Linear(10, 2).cuda()
    with torch.no_grad():
        each(loader, lambda x: print(model(x).argmax(1)))
",
    );
}

#[test]
fn a_method_of_an_object_made_elsewhere() {
    check(
        "
import torch

class Runner:
    def __init__(self):
        self.model = torch.nn.Linear(10, 2).cuda()

    def predict(self, x):
        return self.model(x).argmax(1)

    def run(self, loader):
        for x in loader:
            print(self.predict(x))

runner = Runner()
with torch.no_grad():
    runner.run(loader)
",
    );
}

#[test]
fn the_forward_pass_of_a_module_of_the_file() {
    check(
        "
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(10, 2)

    def forward(self, x):
        return self.layer(x)

def run(loader):
    net = Net().cuda()
    for x in loader:
        with torch.no_grad():
            print(net(x).argmax(1))
",
    );
}

#[test]
fn a_forward_pass_that_switches_gradients_off_itself() {
    check(
        "
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(10, 2)

    @torch.no_grad()
    def forward(self, x):
        return self.layer(x)

def run(loader):
    net = Net().cuda()
    for x in loader:
        print(net(x).argmax(1))
",
    );
}

#[test]
fn hooks_that_a_framework_calls_without_gradients() {
    check(
        "
import pytorch_lightning as pl
import torch

class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(10, 2)
        self.outputs = []

    def validation_step(self, batch, index):
        self.outputs.append(self.layer(batch))

    def helper(self, batch):
        return [self.layer(x).argmax(1) for x in batch]

    def predict_step(self, batch, index):
        return self.helper(batch)
",
    );
}

#[test]
fn recursion_comes_to_an_end() {
    check(
        "
import torch

def walk(model, tree):
    for branch in tree:
        print(model(branch).argmax(1))
#             ^^^^^^^^^^^^^ unused
        walk(model, branch)

walk(torch.nn.Linear(10, 2).cuda(), tree)
",
    );
}
