//! Settings of the allocator that come after CUDA was started.

use crate::rules::tests::check;
use crate::rules::tests::fixing::{check_fix, check_fix_in_cells, check_no_fix};

#[test]
fn whatever_starts_cuda() {
    for start in [
        "model = torch.nn.Linear(2, 2).cuda()",
        "model = torch.nn.Linear(2, 2).to('cuda')",
        "x = torch.zeros(1, device='cuda')",
        "torch.cuda.set_device(0)",
        "free, total = torch.cuda.mem_get_info()",
    ] {
        check(&format!(
            "
import os
import torch
{start}
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM401 warning none
"
        ));
    }
}

#[test]
fn every_way_to_set_a_variable() {
    check(
        "
import os
import torch
torch.cuda.set_device(0)
os.environ.setdefault('PYTORCH_CUDA_ALLOC_CONF', 'expandable_segments:True')
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM401 warning none
os.putenv('PYTORCH_CUDA_ALLOC_CONF', 'expandable_segments:True')
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM401 warning none
os.environ.update({'PYTORCH_CUDA_ALLOC_CONF': 'expandable_segments:True'})
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM401 warning none
os.environ |= {'PYTORCH_CUDA_ALLOC_CONF': 'expandable_segments:True'}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM401 warning none
",
    );
}

#[test]
fn in_a_function_that_is_called_too_late() {
    check(
        "
import os
import torch

def prepare():
    os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM401 warning none

model = torch.nn.Linear(2, 2).cuda()
prepare()
",
    );
}

#[test]
fn for_a_process_that_is_started_later_it_is_a_hint() {
    check(
        "
import os
import subprocess
import torch
torch.cuda.set_device(0)
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM401 hint none
subprocess.run(['python', 'train.py'])
",
    );
}

#[test]
fn a_command_that_has_no_use_for_it_changes_nothing() {
    check(
        "
import os
import torch
torch.cuda.set_device(0)
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM401 warning none
os.system('nvidia-smi')
",
    );
}

#[test]
fn silent_where_it_may_come_first() {
    check(
        "
import os
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'
import torch
torch.cuda.set_device(0)
",
    );
    check(
        "
import os
import torch
torch.cuda.set_device(0)
os.environ['OMP_NUM_THREADS'] = '8'
print(os.environ['PYTORCH_CUDA_ALLOC_CONF'])
",
    );
}

/// A script in which the setting comes late, and the same with the setting where it belongs.
#[track_caller]
fn check_moved(before: &str, after: &str) {
    check_fix(before, after);
    check_fix(&before.replace('\n', "\r\n"), &after.replace('\n', "\r\n"));
}

#[test]
fn above_the_first_import_of_pytorch() {
    check_moved(
        "import os\nimport torch\nfrom torch import nn\n\nmodel = nn.Linear(2, 2).cuda()\n\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\n\nprint(model)\n",
        "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\nimport torch\nfrom torch import nn\n\nmodel = nn.Linear(2, 2).cuda()\n\nprint(model)\n",
    );
}

#[test]
fn with_its_comments_and_no_gap_left_behind() {
    check_moved(
        "import os\n\nimport torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\n\n# Fewer holes.\n# See the notes.\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'  # since 2.1\n\n\ndef run():\n    print(model)\n",
        "import os\n\n# Fewer holes.\n# See the notes.\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'  # since 2.1\nimport torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\n\n\ndef run():\n    print(model)\n",
    );
}

#[test]
fn with_the_import_that_it_needs() {
    check_moved(
        "import torch\nimport os\n\ntorch.cuda.set_device(0)\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\n",
        "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\nimport torch\n\ntorch.cuda.set_device(0)\n",
    );
    check_moved(
        "import torch, os\n\ntorch.cuda.set_device(0)\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\nprint(os.getcwd())\n",
        "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\nimport torch, os\n\ntorch.cuda.set_device(0)\nprint(os.getcwd())\n",
    );
    check_moved(
        "import torch\nfrom os import environ as env, getcwd\n\ntorch.cuda.set_device(0)\nenv['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\nprint(getcwd())\n",
        "from os import environ as env\nenv['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\nimport torch\nfrom os import environ as env, getcwd\n\ntorch.cuda.set_device(0)\nprint(getcwd())\n",
    );
}

#[test]
fn below_the_docstring_and_the_future() {
    check_moved(
        "#!/usr/bin/env python\n\"\"\"Trains.\"\"\"\nfrom __future__ import annotations\n\n# Libraries.\nimport torch\nimport os\n\ntorch.cuda.set_device(0)\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\n",
        "#!/usr/bin/env python\n\"\"\"Trains.\"\"\"\nfrom __future__ import annotations\n\nimport os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\n# Libraries.\nimport torch\n\ntorch.cuda.set_device(0)\n",
    );
}

#[test]
fn into_an_earlier_cell() {
    check_fix_in_cells(
        &[
            "import os\nimport torch",
            "model = torch.nn.Linear(2, 2).cuda()",
            "os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'",
        ],
        &[
            "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\nimport torch",
            "model = torch.nn.Linear(2, 2).cuda()",
            "",
        ],
    );
    check_fix_in_cells(
        &[
            "import torch",
            "import os\nmodel = torch.nn.Linear(2, 2).cuda()\n\n# Fewer holes.\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'",
        ],
        &[
            "import os\n# Fewer holes.\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\nimport torch",
            "model = torch.nn.Linear(2, 2).cuda()",
        ],
    );
}

#[test]
fn a_value_of_several_lines() {
    check_moved(
        "import os\nimport torch\ntorch.cuda.set_device(0)\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = (\n    'expandable_segments:True,'\n    'max_split_size_mb:256'\n)\nprint(torch)\n",
        "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = (\n    'expandable_segments:True,'\n    'max_split_size_mb:256'\n)\nimport torch\ntorch.cuda.set_device(0)\nprint(torch)\n",
    );
}

#[test]
fn what_cannot_be_moved() {
    for late in [
        "if True:\n    os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'",
        "value = 'expandable_segments:True'\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = value",
        "print(1); os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'",
        "os.environ['PYTORCH_CUDA_ALLOC_CONF'] = choose(torch)",
    ] {
        check_no_fix(&format!("import os\nimport torch\ntorch.cuda.set_device(0)\n{late}\n"));
    }
}
