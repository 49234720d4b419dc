//! Code while somebody types: what is whole keeps its facts.

use super::{check, trainer};

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
        check(&trainer("", "", broken));
    }
    for broken in
        ["x =", "x.", "if x ==:\n    pass", "import", ")))", "?", "x = 'unfinished", "def helper():"]
    {
        check(&trainer(broken, "", ""));
    }
}

#[test]
fn a_broken_statement_inside_the_loop() {
    for broken in ["x.", "lr =", "if x ==:", "print(loss.", "y = = 2", "optimizer.", "loss = loss +"] {
        check(&trainer("", broken, ""));
    }
}

#[test]
fn python_2_that_prints() {
    check(&trainer("print 'start'", "", "print 'done'"));
}
