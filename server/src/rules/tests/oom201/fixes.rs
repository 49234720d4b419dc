//! What a fix of OOM201 writes; where it can stand is tested with OOM202.

use crate::rules::tests::fixing::check_fix;

#[test]
fn a_test_loop_of_a_function() {
    let script = |decorator: &str| {
        format!(
            "
import torch

{decorator}def accuracy(loader):
    model = torch.nn.Linear(10, 2).cuda()
    right = 0
    for x, y in loader:
        right += (model(x.cuda()).argmax(1) == y.cuda()).sum().item()
    return right
"
        )
    };
    check_fix(&script(""), &script("@torch.no_grad()\n"));
}

#[test]
fn a_while_loop_of_a_script() {
    check_fix(
        "
import torch

model = torch.nn.Linear(10, 2).cuda()
while True:
    print(model(next(batches).cuda()).argmax(1))
",
        "
import torch

model = torch.nn.Linear(10, 2).cuda()
with torch.no_grad():
    while True:
        print(model(next(batches).cuda()).argmax(1))
",
    );
}

#[test]
fn the_outermost_loop_that_trains_nothing() {
    check_fix(
        "
import torch

model = torch.nn.Linear(10, 2).cuda()
for loader in loaders:
    for x in loader:
        print(model(x.cuda()).argmax(1))
",
        "
import torch

model = torch.nn.Linear(10, 2).cuda()
with torch.no_grad():
    for loader in loaders:
        for x in loader:
            print(model(x.cuda()).argmax(1))
",
    );
}

#[test]
fn a_comprehension_of_a_script() {
    check_fix(
        "
import torch

model = torch.nn.Linear(10, 2).cuda()
values = [
    model(x.cuda()).argmax(1)
    for x in loader
]
",
        "
import torch

model = torch.nn.Linear(10, 2).cuda()
with torch.no_grad():
    values = [
        model(x.cuda()).argmax(1)
        for x in loader
    ]
",
    );
}
