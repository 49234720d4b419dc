//! One thing under many names: every form of import and what hides one.

use super::check;

/// A loop over a layer, with gradients switched off under some name.
fn switched_off(imports: &str, no_grad: &str) -> String {
    format!(
        "
{imports}
import torch.nn as nn

def run(loader):
    model = nn.Linear(10, 2).cuda()
    with {no_grad}:
        for x in loader:
            print(model(x).argmax(1))
"
    )
}

#[test]
fn names_of_a_function_of_pytorch() {
    for (imports, no_grad) in [
        ("import torch", "torch.no_grad()"),
        ("import torch as t", "t.no_grad()"),
        ("import numpy as np, torch as t", "t.no_grad()"),
        ("import torch.nn", "torch.no_grad()"),
        ("from torch import no_grad", "no_grad()"),
        ("from torch import no_grad as off", "off()"),
        ("from torch import (nn, no_grad as off)", "off()"),
        ("from torch.autograd import no_grad", "no_grad()"),
        ("from torch.autograd.grad_mode import no_grad", "no_grad()"),
        ("import torch.autograd.grad_mode as modes", "modes.no_grad()"),
        ("from torch import autograd", "autograd.no_grad()"),
        ("from torch import *", "no_grad()"),
        ("import torch\noff = torch.no_grad", "off()"),
        ("import torch\nt = torch", "t.no_grad()"),
        ("if True:\n    from torch import no_grad", "no_grad()"),
    ] {
        check(&switched_off(imports, no_grad));
    }
}

#[test]
fn a_name_that_is_something_else() {
    for (imports, no_grad) in [
        ("from torch import enable_grad as no_grad", "no_grad()"),
        ("import contextlib\ndef no_grad(): return contextlib.nullcontext()", "no_grad()"),
        ("from torch import no_grad\nfrom contextlib import nullcontext as no_grad", "no_grad()"),
    ] {
        let source = switched_off(imports, no_grad);
        let call = "            print(model(x).argmax(1))\n";
        check(&source.replace(call, &format!("{call}#                 ^^^^^^^^ unused\n")));
    }
}

#[test]
fn imports_inside_a_function() {
    check(
        "
def run(loader):
    import torch
    from torch.nn import Linear as Layer
    model = Layer(10, 2).cuda()
    for x in loader:
        print(model(x).argmax(1))
#             ^^^^^^^^ unused
    with torch.inference_mode():
        for x in loader:
            print(model(x).argmax(1))
",
    );
}

/// A layer under some name, in a loop.
#[track_caller]
fn check_layer(imports: &str, layer: &str) {
    check(&format!(
        "
{imports}

def run(loader):
    model = {layer}(10, 2).cuda()
    for x in loader:
        print(model(x).argmax(1))
#             ^^^^^^^^ unused
"
    ));
}

#[test]
fn names_of_a_layer() {
    check_layer("import torch", "torch.nn.Linear");
    check_layer("import torch.nn as nn", "nn.Linear");
    check_layer("from torch import nn", "nn.Linear");
    check_layer("from torch import nn as layers", "layers.Linear");
    check_layer("from torch.nn import Linear", "Linear");
    check_layer("from torch.nn import Linear as Layer", "Layer");
    check_layer("from torch.nn.modules.linear import Linear", "Linear");
}

#[test]
fn names_of_a_loss() {
    for (imports, loss) in [
        ("import torch.nn.functional as F", "F.cross_entropy"),
        ("from torch.nn import functional as F", "F.cross_entropy"),
        ("from torch.nn.functional import cross_entropy as ce", "ce"),
        ("import torch", "torch.nn.functional.cross_entropy"),
        ("import torch", "torch.nn.CrossEntropyLoss()"),
        ("from torch.nn import CrossEntropyLoss as CE", "CE()"),
    ] {
        check(&format!(
            "
{imports}
from torch import nn

def run(loader):
    model = nn.Linear(10, 2).cuda()
    total = 0.0
    for x, y in loader:
        total += {loss}(model(x), y)
#       {} sum never freed
#{}^^^^^^^^ unused
    print(total)
",
            "^".repeat(22 + loss.len()),
            " ".repeat(17 + loss.len()),
        ));
    }
}
