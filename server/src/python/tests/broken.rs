//! Code while somebody types: what is whole keeps its facts.

use super::check;

/// A function that trains, whole, with something broken before and after it.
fn beside(before: &str, after: &str) -> String {
    format!(
        "
import torch

{before}

def fit(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        total += loss
#       ^^^^^^^^^^^^^ sum freed
    print(total)

{after}
"
    )
}

#[test]
fn broken_statements_beside_it() {
    for broken in [
        "x = ",
        "x =\n",
        "x.",
        "print(1, ",
        "def helper(",
        "def helper():",
        "class Thing",
        "class Thing:\n    def ",
        "if x ==:\n    pass",
        "for in range(3):\n    pass",
        "import",
        "from torch import",
        "@",
        "x = [1, 2",
        "x = {'a': ",
        "return = 3",
        "lambda x",
        ")))",
        "x = 'unfinished",
        "?",
    ] {
        check(&beside("", broken));
    }
    for broken in
        ["x =", "x.", "if x ==:\n    pass", "import", ")))", "?", "x = 'unfinished", "def helper():"]
    {
        check(&beside(broken, ""));
    }
}

#[test]
fn a_broken_statement_inside_the_loop() {
    for broken in ["x.", "lr =", "if x ==:", "print(loss.", "y = = 2", "optimizer.", "loss = loss +"] {
        check(&format!(
            "
import torch

def fit(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        total += loss
#       ^^^^^^^^^^^^^ sum freed
        {broken}
    print(total)
"
        ));
    }
}

#[test]
fn python_2_that_prints() {
    check(&beside("print 'start'", "print 'done'"));
}
