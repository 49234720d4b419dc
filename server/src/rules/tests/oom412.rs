//! `CUDA_VISIBLE_DEVICES` that is not obeyed.

use crate::rules::tests::check;
use crate::rules::tests::fixing::{check_fix, check_no_fix};

#[test]
fn after_cuda_and_after_the_import() {
    check(
        "
import os
import torch
os.environ['CUDA_VISIBLE_DEVICES'] = '1'
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM412 hint none
model = torch.nn.Linear(2, 2).cuda()
os.environ['CUDA_VISIBLE_DEVICES'] = '2'
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM412 warning none
",
    );
}

#[test]
fn a_number_is_no_text() {
    check(
        "
import os
os.environ['CUDA_VISIBLE_DEVICES'] = 0
#                                    ^ OOM412 error none
os.environ.setdefault('CUDA_VISIBLE_DEVICES', 1)
#                                             ^ OOM412 error none
",
    );
}

#[test]
fn spaces_in_the_list() {
    check(
        "
import os
os.environ['CUDA_VISIBLE_DEVICES'] = '0, 1'
#                                    ^^^^^^ OOM412 information none
os.environ['CUDA_VISIBLE_DEVICES'] = '0,1'
os.environ['CUDA_VISIBLE_DEVICES'] = ''
",
    );
}

#[test]
fn silent_before_the_import_and_for_other_processes() {
    check(
        "
import os
os.environ['CUDA_VISIBLE_DEVICES'] = '1'
import torch
",
    );
    check(
        "
import os
import subprocess
import torch
os.environ['CUDA_VISIBLE_DEVICES'] = '1'
subprocess.run(['python', 'worker.py'])
",
    );
}

#[test]
fn silent_where_the_options_say_which() {
    check(
        "
import argparse
import os
import torch

parser = argparse.ArgumentParser()
parser.add_argument('--gpus', default='0')
args = parser.parse_args()
os.environ['CUDA_VISIBLE_DEVICES'] = args.gpus
os.environ['CUDA_VISIBLE_DEVICES'] = ','.join(pick())
",
    );
}

#[test]
fn the_fixes() {
    check_fix(
        "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = 0\n",
        "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = \"0\"\n",
    );
    check_fix(
        "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0, 1'\n",
        "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0,1'\n",
    );
    check_fix(
        "import os, torch\n\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'\n",
        "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'\nimport os, torch\n",
    );
    check_no_fix(
        "import os\nimport torch\ntorch.cuda.set_device(0)\ngpu = input()\nos.environ['CUDA_VISIBLE_DEVICES'] = gpu\n",
    );
}
