//! Gradients that are switched on for nothing.

use crate::rules::tests::check;
use crate::rules::tests::fixing::check_unsafe_fix;

#[test]
fn inside_an_evaluation_and_without_one() {
    for switch in ["torch.enable_grad()", "torch.set_grad_enabled(True)", "torch.inference_mode(False)"] {
        let carets = "^".repeat(switch.len());
        check(&format!(
            "
import torch

def run(loader):
    model = torch.nn.Linear(10, 2).cuda()
    with torch.no_grad():
        for x in loader:
            with {switch}:
#                {carets} OOM214 error peak
                print(model(x.cuda()).argmax(1))

def run_all(loader):
    model = torch.nn.Linear(10, 2).cuda()
    with {switch}:
#        {carets} OOM214 error peak
        for x in loader:
            print(model(x.cuda()).argmax(1))
"
        ));
    }
}

#[test]
fn silent_when_gradients_are_computed_or_the_switch_depends() {
    check(
        "
import torch

def attack(model, loader, training):
    model = torch.nn.Linear(10, 2).cuda()
    with torch.no_grad():
        for x in loader:
            with torch.enable_grad():
                x = x.cuda().requires_grad_()
                (step,) = torch.autograd.grad(model(x).sum(), x)
            print(x - 0.1 * step.sign())
            with torch.set_grad_enabled(training):
                print(model(x).argmax(1))

def guide(loader, follow):
    model = torch.nn.Linear(10, 2).cuda()
    for x in loader:
        with torch.enable_grad():
            follow(model(x.cuda()))
",
    );
}

#[test]
fn the_fix_switches_them_off() {
    let before = "
import torch

def run(loader):
    model = torch.nn.Linear(10, 2).cuda()
    for x in loader:
        with torch.set_grad_enabled(True):
            print(model(x.cuda()).argmax(1))
";
    check_unsafe_fix(before, &before.replace("True", "False"));
}
