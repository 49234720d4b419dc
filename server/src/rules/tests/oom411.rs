//! Commands that empty the cache of a process of their own.

use crate::rules::tests::check;
use crate::rules::tests::fixing::{check_fix, check_no_fix};

#[test]
fn commands_as_text_and_as_a_list() {
    check(
        "
import os
import subprocess
os.system('python -c \"import torch; torch.cuda.empty_cache()\"')
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM411 warning none
subprocess.run(['python3', '-c', 'import torch; torch.cuda.empty_cache()'], check=True)
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM411 warning none
",
    );
}

#[test]
fn silent_about_commands_that_do_something() {
    check(
        "
import os
import torch
os.system('python train.py')
os.system('python -c \"import torch; print(torch.cuda.is_available())\"')
torch.cuda.empty_cache()
",
    );
}

#[test]
fn the_fix_deletes_the_statement() {
    check_fix(
        "
import os

def train():
    os.system('python -c \"import torch; torch.cuda.empty_cache()\"')

train()
",
        "
import os

def train():
    pass

train()
",
    );
    check_no_fix("import os\nstatus = os.system('python -c \"import torch; torch.cuda.empty_cache()\"')\n");
}
