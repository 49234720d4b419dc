//! Where gradients are switched off: above the function, or around the loop.

use crate::rules::tests::fixing::{check_fix, check_fix_in_cells, check_no_fix, check_unsafe_fix};

/// A loop that validates, at a given indentation.
fn validation(indent: &str) -> String {
    [
        "model.eval()",
        "right = 0",
        "for x, y in loader:",
        "    right += (model(x.cuda()).argmax(1) == y.cuda()).sum().item()",
        "print(right)",
        "",
    ]
    .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("{indent}{line}\n") })
    .concat()
}

#[test]
fn a_decorator_above_a_function_that_trains_nothing() {
    let function = format!("def validate(model, loader):\n{}", validation("    "));
    check_fix(
        &format!("import torch\n\n{function}"),
        &format!("import torch\n\n@torch.no_grad()\n{function}"),
    );
}

#[test]
fn a_function_in_a_class_with_decorators_of_its_own() {
    let class = |decorator: &str| {
        format!(
            "import torch\n\nclass Runner:\n{decorator}    @staticmethod\n    def validate(model, loader):\n{}",
            validation("        ")
        )
    };
    let before = class("");
    let after = before.replace("    def validate", "    @torch.no_grad()\n    def validate");
    check_fix(&before, &after);
}

#[test]
fn a_loop_of_a_script() {
    check_fix(
        "
import torch

model = torch.nn.Linear(10, 2).cuda()
model.eval()
for x, y in loader:
    out = model(x.cuda())

    # how many are right
    print((out.argmax(1) == y.cuda()).sum())
print('done')
",
        "
import torch

model = torch.nn.Linear(10, 2).cuda()
model.eval()
with torch.no_grad():
    for x, y in loader:
        out = model(x.cuda())

        # how many are right
        print((out.argmax(1) == y.cuda()).sum())
print('done')
",
    );
}

/// A function that trains and then validates, written with `step` for each level of indentation.
fn training_then_validation(step: &str, validation: &[(usize, &str)]) -> String {
    let training = [
        (0, "import torch"),
        (0, ""),
        (0, "def fit(model, loader, criterion, optimizer):"),
        (1, "for epoch in range(10):"),
        (2, "model.train()"),
        (2, "for x, y in loader:"),
        (3, "loss = criterion(model(x.cuda()), y.cuda())"),
        (3, "loss.backward()"),
        (3, "optimizer.step()"),
        (2, "model.eval()"),
    ];
    let lines = training.iter().chain(validation);
    lines.flat_map(|(depth, line)| [step.repeat(*depth), (*line).to_owned(), "\n".to_owned()]).collect()
}

#[test]
fn the_loop_of_a_function_that_trains_too() {
    for step in ["    ", "\t"] {
        check_fix(
            &training_then_validation(
                step,
                &[(2, "for x, y in loader:"), (3, "print(model(x.cuda()).argmax(1))"), (2, "print('done')")],
            ),
            &training_then_validation(
                step,
                &[
                    (2, "with torch.no_grad():"),
                    (3, "for x, y in loader:"),
                    (4, "print(model(x.cuda()).argmax(1))"),
                    (2, "print('done')"),
                ],
            ),
        );
    }
}

#[test]
fn a_loop_on_one_line() {
    let before = "for x, y in loader: print(model(x.cuda()).argmax(1))";
    check_fix(
        &training_then_validation("    ", &[(2, before)]),
        &training_then_validation("    ", &[(2, "with torch.no_grad():"), (3, before)]),
    );
}

#[test]
fn text_in_a_string_keeps_its_place() {
    check_fix(
        &training_then_validation(
            "    ",
            &[
                (2, "for x, y in loader:"),
                (3, "out = model(x.cuda()).argmax(1)"),
                (3, "print(f\"\"\"right:"),
                (0, "  {out}"),
                (0, "\"\"\")"),
                (3, "print("),
                (4, "'the end')"),
            ],
        ),
        &training_then_validation(
            "    ",
            &[
                (2, "with torch.no_grad():"),
                (3, "for x, y in loader:"),
                (4, "out = model(x.cuda()).argmax(1)"),
                (4, "print(f\"\"\"right:"),
                (0, "  {out}"),
                (0, "\"\"\")"),
                (4, "print("),
                (5, "'the end')"),
            ],
        ),
    );
}

#[test]
fn comments_and_an_else_branch_move_with_the_loop() {
    check_fix(
        &training_then_validation(
            "    ",
            &[
                (2, "# validate"),
                (2, "for x, y in loader:  # all of it"),
                (3, "# one batch"),
                (3, "print(model(x.cuda()).argmax(1))"),
                (2, "else:"),
                (3, "print('done')"),
            ],
        ),
        &training_then_validation(
            "    ",
            &[
                (2, "# validate"),
                (2, "with torch.no_grad():"),
                (3, "for x, y in loader:  # all of it"),
                (4, "# one batch"),
                (4, "print(model(x.cuda()).argmax(1))"),
                (3, "else:"),
                (4, "print('done')"),
            ],
        ),
    );
}

#[test]
fn lines_that_end_with_a_carriage_return() {
    let crlf = |lines: &[(usize, &str)]| training_then_validation("    ", lines).replace('\n', "\r\n");
    check_fix(
        &crlf(&[(2, "for x, y in loader:"), (3, "print(model(x.cuda()).argmax(1))"), (2, "print('done')")]),
        &crlf(&[
            (2, "with torch.no_grad():"),
            (3, "for x, y in loader:"),
            (4, "print(model(x.cuda()).argmax(1))"),
            (2, "print('done')"),
        ]),
    );
}

#[test]
fn the_name_that_the_script_has_for_pytorch() {
    let function = format!("def validate(model, loader):\n{}", validation("    "));
    check_fix(
        &format!("import torch as t\n\n{function}"),
        &format!("import torch as t\n\n@t.no_grad()\n{function}"),
    );
    check_fix(
        &format!("import torch.nn as nn\nimport torch\n\n{function}"),
        &format!("import torch.nn as nn\nimport torch\n\n@torch.no_grad()\n{function}"),
    );
    check_fix(
        &format!("import torch.nn\n\n{function}"),
        &format!("import torch.nn\n\n@torch.no_grad()\n{function}"),
    );
}

#[test]
fn an_import_where_there_is_none() {
    let function = format!("def validate(model, loader):\n{}", validation("    "));
    check_fix(
        &format!("from torch import nn\n\n{function}"),
        &format!("from torch import nn\nimport torch\n\n@torch.no_grad()\n{function}"),
    );
    check_fix(
        &format!("\"\"\"Validates.\"\"\"\nfrom __future__ import annotations\n\n{function}"),
        &format!(
            "\"\"\"Validates.\"\"\"\nfrom __future__ import annotations\nimport torch\n\n@torch.no_grad()\n{function}"
        ),
    );
    check_fix(
        &format!("\"\"\"Validates.\"\"\"\n\n{function}"),
        &format!("\"\"\"Validates.\"\"\"\nimport torch\n\n@torch.no_grad()\n{function}"),
    );
    check_fix(&function, &format!("import torch\n@torch.no_grad()\n{function}"));
}

#[test]
fn a_result_that_leaves_the_file_needs_a_second_look() {
    let function = |decorator: &str| {
        format!(
            "
import torch

{decorator}def predict(model, loader):
    model.eval()
    for x, y in loader:
        yield model(x.cuda())
"
        )
    };
    check_unsafe_fix(&function(""), &function("@torch.no_grad()\n"));
}

#[test]
fn cells_of_a_notebook() {
    check_fix_in_cells(
        &[
            "import torch\nmodel = torch.nn.Linear(10, 2).cuda()",
            "model.eval()\nfor x, y in loader:\n    print(model(x.cuda()).argmax(1))",
        ],
        &[
            "import torch\nmodel = torch.nn.Linear(10, 2).cuda()",
            "model.eval()\nwith torch.no_grad():\n    for x, y in loader:\n        print(model(x.cuda()).argmax(1))",
        ],
    );
    check_fix_in_cells(
        &[
            "from torch import nn",
            "def validate(model, loader):\n    model.eval()\n    for x in loader:\n        print(model(x.cuda()).argmax(1))",
        ],
        &[
            "from torch import nn\nimport torch",
            "@torch.no_grad()\ndef validate(model, loader):\n    model.eval()\n    for x in loader:\n        print(model(x.cuda()).argmax(1))",
        ],
    );
}

#[test]
fn a_loop_behind_another_statement_is_left_alone() {
    check_no_fix(
        "
import torch

model = torch.nn.Linear(10, 2).cuda()
model.eval(); values = [model(x.cuda()).argmax(1) for x in loader]
",
    );
}

#[test]
fn a_decorator_would_not_reach_into_an_async_function() {
    check_fix(
        "
import torch

async def validate(model, loader):
    model.eval()
    for x, y in loader:
        print(model(x.cuda()).argmax(1))
",
        "
import torch

async def validate(model, loader):
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            print(model(x.cuda()).argmax(1))
",
    );
}

#[test]
fn an_import_stands_above_its_use_and_below_a_shebang() {
    check_fix(
        "#!/usr/bin/env python\n# A licence.\n\ndef validate(model, loader):\n    model.eval()\n    for x in loader:\n        print(model(x).argmax(1))\n",
        "#!/usr/bin/env python\n# A licence.\n\nimport torch\n@torch.no_grad()\ndef validate(model, loader):\n    model.eval()\n    for x in loader:\n        print(model(x).argmax(1))\n",
    );
    check_fix(
        "
from torch import nn

model = nn.Linear(10, 2).cuda().eval()
for x in loader:
    print(model(x).argmax(1))
import numpy
",
        "
from torch import nn
import torch

model = nn.Linear(10, 2).cuda().eval()
with torch.no_grad():
    for x in loader:
        print(model(x).argmax(1))
import numpy
",
    );
}
