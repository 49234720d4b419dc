//! Names that are nearly those of variables that something reads.

use crate::rules::tests::check;
use crate::rules::tests::fixing::check_fix;

#[test]
fn slips_of_the_pen() {
    check(
        "
import os
os.environ['PYTORCH_CUDA_ALLOC_CONFIG'] = 'expandable_segments:True'
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM907 warning none
os.environ['PYTORCH_CUDA_ALLOC'] = 'expandable_segments:True'
#          ^^^^^^^^^^^^^^^^^^^^ OOM907 warning none
os.environ['CUDA_VISIBLE_DEVICE'] = '1'
#          ^^^^^^^^^^^^^^^^^^^^^ OOM907 warning none
os.environ['cuda_visible_devices'] = '1'
#          ^^^^^^^^^^^^^^^^^^^^^^ OOM907 warning none
import torch
",
    );
}

#[test]
fn silent_about_names_of_others() {
    check(
        "
import os
os.environ['HIP_VISIBLE_DEVICES'] = '1'
os.environ['PYTORCH_NPU_ALLOC_CONF'] = 'expandable_segments:True'
os.environ['CUDA_LAUNCH_BLOCKING'] = '1'
os.environ['OLD_CUDA_VISIBLE_DEVICES'] = '1'
import torch
",
    );
}

#[test]
fn the_fix_writes_the_name() {
    check_fix(
        "import os\nos.environ['PYTORCH_CUDA_ALLOCATOR_CONF'] = 'expandable_segments:True'\n",
        "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\n",
    );
}
