//! Names that are nearly those of variables that something reads.

use vramlens_grammars::{Document, Source};

use crate::fixes::fix_all;
use crate::rules::tests::check;
use crate::rules::tests::fixing::check_fix;
use crate::settings::Settings;
use crate::surroundings::Surroundings;

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
fn the_rest_of_the_line_counts_as_well() {
    check(
        "
import os
import torch
os.environ['PYTORCH_CUDA_ALLOC_CONFIG'] = 'expandable_segments:true'
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM402 warning none
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM907 warning none
#                                                              ^^^^ OOM405 error none
",
    );
}

#[test]
fn all_of_it_is_fixed() {
    let before =
        "import os\nimport torch\nos.environ['PYTORCH_CUDA_ALLOC_CONFIG'] = 'expandable_segment:true'\n";
    let after =
        "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\nimport torch\n";
    let document = Document::python(Source::file(before.to_owned()));
    let fixed = fix_all(&document, &Surroundings::default(), &Settings::default(), false);
    assert_eq!(fixed.document.source.text(), after);
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
