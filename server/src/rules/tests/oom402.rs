//! Settings of the allocator that come after PyTorch was imported.

use vramlens_grammars::{Document, Source};

use crate::fixes::fix_all;
use crate::rules::tests::check;
use crate::rules::tests::fixing::{check_fix, check_fix_in_cells, check_no_fix};
use crate::settings::Settings;
use crate::surroundings::Surroundings;

#[test]
fn whatever_imports_pytorch() {
    for import in
        ["import torch", "from torch import nn", "import transformers", "from diffusers import FluxPipeline"]
    {
        check(&format!(
            "
import os
{import}
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_split_size_mb:256'
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM402 warning none
"
        ));
    }
}

#[test]
fn a_backend_is_certainly_too_late() {
    check(
        "
import os
import torch
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'backend:cudaMallocAsync'
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM402 error none
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'backend:native'
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM402 warning none
",
    );
}

#[test]
fn one_finding_a_statement() {
    check(
        "
import os
import torch
torch.cuda.set_device(0)
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'backend:cudaMallocAsync'
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM401 warning none
",
    );
}

#[test]
fn silent_before_the_import_and_for_other_variables() {
    check(
        "
import os
import numpy
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_split_size_mb:256'
import torch
os.environ['TOKENIZERS_PARALLELISM'] = 'false'
",
    );
}

#[test]
fn silent_where_the_import_is_on_another_way() {
    check(
        "
import os
import sys

if len(sys.argv) > 1:
    import torch
else:
    os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_split_size_mb:256'
",
    );
}

#[test]
fn the_fix_moves_it() {
    check_fix(
        "
import os

import numpy
import torch  # the network
import yaml

os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_split_size_mb:256'
",
        "
import os

import numpy
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_split_size_mb:256'
import torch  # the network
import yaml
",
    );
    check_no_fix(
        "
import os
import torch

def main():
    os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_split_size_mb:256'

if __name__ == '__main__':
    main()
",
    );
}

#[test]
fn several_settings_keep_their_order() {
    let before = "import torch\nimport os\n\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_split_size_mb:256'\n";
    let after = "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '1'\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_split_size_mb:256'\nimport torch\n";
    let document = Document::python(Source::file(before.to_owned()));
    let fixed = fix_all(&document, &Surroundings::default(), &Settings::default(), false);
    assert_eq!(fixed.document.source.text(), after);
}

#[test]
fn what_heads_a_cell_stays_there() {
    check_fix_in_cells(
        &[
            "#@title Libraries\nimport os\nimport torch",
            "# @title Setup\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\nprint(1)",
        ],
        &[
            "#@title Libraries\nimport os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\nimport torch",
            "# @title Setup\nprint(1)",
        ],
    );
}
