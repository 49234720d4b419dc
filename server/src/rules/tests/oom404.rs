//! Two variables with different settings.

use crate::rules::tests::check;
use crate::rules::tests::fixing::{check_fix, check_no_fix};

#[test]
fn the_one_that_loses_is_told_in_either_order() {
    check(
        "
import os
os.environ['PYTORCH_ALLOC_CONF'] = 'expandable_segments:True'
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM404 warning none
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_split_size_mb:256'
import torch
",
    );
    check(
        "
import os
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_split_size_mb:256'
os.environ['PYTORCH_HIP_ALLOC_CONF'] = 'expandable_segments:True'
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM404 warning none
import torch
",
    );
}

#[test]
fn silent_where_both_say_the_same_or_only_one_is_set() {
    check(
        "
import os
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = os.environ['PYTORCH_ALLOC_CONF'] = 'max_split_size_mb:256'
import torch
",
    );
    check(
        "
import os
import sys
if sys.platform == 'linux':
    os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_split_size_mb:256'
else:
    os.environ['PYTORCH_HIP_ALLOC_CONF'] = 'expandable_segments:True'
import torch
",
    );
}

#[test]
fn the_fix_deletes_what_has_no_effect() {
    check_fix(
        "
import os
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_split_size_mb:256'
os.environ['PYTORCH_ALLOC_CONF'] = 'expandable_segments:True'  # newer
import torch
",
        "
import os
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_split_size_mb:256'
# newer
import torch
",
    );
    check_no_fix(
        "
import os
os.environ.update({'PYTORCH_CUDA_ALLOC_CONF': 'max_split_size_mb:256', 'PYTORCH_ALLOC_CONF': 'backend:native'})
import torch
",
    );
}
