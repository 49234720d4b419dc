//! Names of the allocator's setting that the installed PyTorch does not read.

use crate::rules::tests::fixing::check_fix;
use crate::rules::tests::{check, check_with};

const SHORT_NAME: &str = "
import os
os.environ['PYTORCH_ALLOC_CONF'] = 'expandable_segments:True'
import torch
";

#[test]
fn it_depends_on_the_version() {
    let marked = |words: &str| {
        SHORT_NAME.replace("import torch", &format!("#          ^^^^^^^^^^^^^^^^^^^^ {words}\nimport torch"))
    };
    check_with(&[("torch", "2.8.0")], &marked("OOM403 warning none"));
    check_with(&[("torch", "2.9.1")], &marked("OOM403 warning none"));
    check(&marked("OOM403 hint none"));
    check_with(&[("torch", "2.10.0")], SHORT_NAME);
}

#[test]
fn silent_beside_the_name_that_every_version_reads() {
    check(
        "
import os
for name in ('PYTORCH_CUDA_ALLOC_CONF', 'PYTORCH_ALLOC_CONF'):
    os.environ[name] = 'expandable_segments:True'
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'
os.environ['PYTORCH_ALLOC_CONF'] = 'expandable_segments:True'
import torch
",
    );
}

#[test]
fn the_fix_keeps_the_quotes() {
    check_fix(SHORT_NAME, &SHORT_NAME.replace("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"));
    check_fix(
        "import os\nos.environ.setdefault(r\"\"\"PYTORCH_ALLOC_CONF\"\"\", \"expandable_segments:True\")\nimport torch\n",
        "import os\nos.environ.setdefault(r\"\"\"PYTORCH_CUDA_ALLOC_CONF\"\"\", \"expandable_segments:True\")\nimport torch\n",
    );
}
