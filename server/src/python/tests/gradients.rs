//! Grad mode: every switch, and how it reaches the code it holds for.

use super::check;

/// A loop of one pass after `before`, at the indentation of a function's body.
fn pass_after(before: &str, expected: &str) -> String {
    let marks = if expected.is_empty() { "" } else { "#             ^^^^^^^^ unused\n" };
    format!(
        "
import contextlib
import sys

import torch

TRAIN = False

def run(loader, flag):
    model = torch.nn.Linear(10, 2).cuda()
    {before}
    for x in loader:
        print(model(x).argmax(1))
{marks}"
    )
}

#[test]
fn statements_that_switch_gradients_off() {
    for statement in [
        "torch.set_grad_enabled(False)",
        "torch.set_grad_enabled(TRAIN)",
        "torch.set_grad_enabled(not True)",
        "torch.set_grad_enabled(1 == 2)",
        "torch.set_grad_enabled(mode=False)",
        "torch._C._set_grad_enabled(False)",
        "model.requires_grad_(False)",
    ] {
        check(&pass_after(statement, ""));
    }
}

#[test]
fn statements_that_leave_gradients_on() {
    for statement in [
        "torch.set_grad_enabled(True)",
        "torch.set_grad_enabled(not TRAIN)",
        "torch.no_grad()",
        "torch.set_grad_enabled(False); torch.set_grad_enabled(True)",
        "with torch.no_grad(): print(model)",
        "with torch.set_grad_enabled(False): pass",
        "model.requires_grad_(False); model.requires_grad_(True)",
        "model.requires_grad_(True)",
    ] {
        check(&pass_after(statement, "unused"));
    }
}

#[test]
fn a_switch_on_some_ways_may_have_been_made() {
    check(&pass_after("if flag: torch.set_grad_enabled(False)", ""));
    check(&pass_after("if flag: torch.set_grad_enabled(False)\n    else: torch.set_grad_enabled(False)", ""));
}

#[test]
fn with_blocks_that_switch_gradients_off() {
    for region in [
        "torch.no_grad()",
        "torch.inference_mode()",
        "torch.inference_mode(mode=True)",
        "torch.set_grad_enabled(False)",
        "torch.set_grad_enabled(TRAIN)",
        "torch.autocast('cuda'), torch.no_grad()",
        "torch.no_grad(), torch.autocast('cuda')",
        "(torch.no_grad(), torch.autocast('cuda'))",
        "torch.no_grad() as mode",
    ] {
        check(&format!(
            "
import torch

TRAIN = False

def run(loader):
    model = torch.nn.Linear(10, 2).cuda()
    with {region}:
        for x in loader:
            print(model(x).argmax(1))
"
        ));
    }
}

#[test]
fn blocks_inside_each_other_go_back_to_what_was() {
    check(
        "
import torch

def run(loader):
    model = torch.nn.Linear(10, 2).cuda()
    with torch.no_grad():
        with torch.enable_grad():
            for x in loader:
                print(model(x).argmax(1))
#                     ^^^^^^^^ unused
        for x in loader:
            print(model(x).argmax(1))
    for x in loader:
        print(model(x).argmax(1))
#             ^^^^^^^^ unused
",
    );
}

#[test]
fn a_region_kept_in_a_name() {
    check(
        "
import torch

def run(loader):
    model = torch.nn.Linear(10, 2).cuda()
    off = torch.no_grad()
    with off:
        for x in loader:
            print(model(x).argmax(1))
",
    );
}

#[test]
fn a_region_chosen_by_a_constant() {
    check(
        "
import contextlib
import torch

def run(loader, train=False):
    model = torch.nn.Linear(10, 2).cuda()
    with contextlib.nullcontext() if train else torch.no_grad():
        for x in loader:
            print(model(x).argmax(1))

run(loader)
",
    );
}

#[test]
fn a_region_entered_through_an_exit_stack() {
    check(
        "
import contextlib
import torch

def run(loader):
    model = torch.nn.Linear(10, 2).cuda()
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        for x in loader:
            print(model(x).argmax(1))
",
    );
}

#[test]
fn a_context_manager_of_the_same_file() {
    check(
        "
import contextlib
import torch

@contextlib.contextmanager
def evaluating(model):
    model.eval()
    with torch.no_grad():
        yield model
    model.train()

@contextlib.contextmanager
def timed():
    yield

def run(loader):
    model = torch.nn.Linear(10, 2).cuda()
    with evaluating(model):
        for x in loader:
            print(model(x).argmax(1))
    with timed():
        for x in loader:
            print(model(x).argmax(1))
#                 ^^^^^^^^ unused
",
    );
}

#[test]
fn a_with_block_over_await_and_async_for() {
    check(
        "
import torch

async def run(requests):
    model = torch.nn.Linear(10, 2).cuda()
    async for x in requests:
        print(model(x).argmax(1))
#             ^^^^^^^^ unused
    async with requests.lock():
        with torch.no_grad():
            async for x in requests:
                print(model(await x.tensor()).argmax(1))
",
    );
}
