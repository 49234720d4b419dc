//! Settings that PyTorch refuses.

use crate::rules::tests::fixing::{check_fix, check_no_fix};
use crate::rules::tests::{check, check_with};

#[test]
fn the_part_that_is_wrong() {
    check(
        "
import os
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_split_size_mb:256,expandable_segments:yes'
#                                                                                  ^^^ OOM405 error none
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_splitsize_mb:256,garbage_collection_threshold:1.0'
#                                        ^^^^^^^^^^^^^^^^ OOM405 error none
#                                                                                          ^^^ OOM405 error none
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_split_size_mb=256'
#                                        ^^^^^^^^^^^^^^^^^^^^^ OOM405 error none
import torch
",
    );
}

#[test]
fn a_value_that_is_written_elsewhere() {
    check(
        "
import os
CONF = 'max_split_size_mb:8'
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = CONF
#                                       ^^^^ OOM405 error none
import torch
",
    );
}

#[test]
fn a_call_that_sets_it() {
    check(
        "
import torch
torch.cuda.memory._set_allocator_settings('expandable_segments:true')
#                                                              ^^^^ OOM405 error none
",
    );
}

#[test]
fn keys_of_other_versions() {
    let script = "
import os
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'
import torch
";
    let marked = script.replace(
        "import torch",
        "#                                        ^^^^^^^^^^^^^^^^^^^ OOM405 error none\nimport torch",
    );
    check(script);
    check_with(&[("torch", "2.1.0")], script);
    check_with(&[("torch", "2.0.1")], &marked);
}

#[test]
fn silent_about_what_pytorch_takes() {
    for value in [
        "''",
        "'expandable_segments:True,'",
        "' max_split_size_mb : 256 , garbage_collection_threshold : 0.8 '",
        "'roundup_power2_divisions:[256:1,512:2,>:8]'",
        "settings()",
    ] {
        check(&format!("import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = {value}\nimport torch\n"));
    }
}

#[test]
fn the_fix_keeps_quotes_and_other_keys() {
    let script =
        |value: &str| format!("import os\nos.environ[\"PYTORCH_CUDA_ALLOC_CONF\"] = {value}\nimport torch\n");
    for (before, after) in [
        ("\"expandable_segments:true\"", "\"expandable_segments:True\""),
        ("'expandable_segments=True'", "'expandable_segments:True'"),
        ("'''max_split_size:256,backend:native'''", "'''max_split_size_mb:256,backend:native'''"),
        ("\"'max_split_size_mb:256'\"", "\"max_split_size_mb:256\""),
        ("\"expandable_segment:true\"", "\"expandable_segments:True\""),
    ] {
        check_fix(&script(before), &script(after));
    }
    for value in ["'max_split_size_gb:1'", "'max_split_size_mb:8'", "'expandable_' 'segments:true'"] {
        check_no_fix(&script(value));
    }
}

#[test]
fn what_it_says_once_it_is_mended_counts_as_well() {
    check(
        "
import os
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'backend=cudaMallocAsync;max_split_size_mb=256'
#                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM406 warning none
#                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM405 error none
import torch
",
    );
}
