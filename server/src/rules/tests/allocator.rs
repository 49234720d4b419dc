//! Settings of the allocator that PyTorch takes and that do not do what was meant: OOM406 to OOM410.

use crate::rules::tests::fixing::check_unsafe_fix;
use crate::rules::tests::{check, check_with};

#[test]
fn keys_that_the_backend_ignores() {
    check(
        "
import os
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'backend:cudaMallocAsync,max_split_size_mb:256'
#                                                                ^^^^^^^^^^^^^^^^^^^^^ OOM406 warning none
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'backend:native,max_split_size_mb:256'
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'backend:cudaMallocAsync,expandable_segments:False'
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'backend:cudaMallocAsync,pinned_use_background_threads:True'
import torch
",
    );
}

#[test]
fn expandable_segments_on_windows() {
    let script = |mark: &str, path: &str| {
        format!(
            "
import os
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'
{mark}import torch
weights = torch.load({path}, map_location='cpu')
"
        )
    };
    let mark = "#                                        ^^^^^^^^^^^^^^^^^^^^^^^^ OOM407 information none\n";
    check(&script(mark, "r'D:\\models\\last.pt'"));
    check(&script(mark, "'C:/models/last.pt'"));
    check(&script("", "'/models/last.pt'"));
    check(&script("", "'s3://models/last.pt'"));
    check_with(&[("torch", "2.15.0")], &script("", "'C:/models/last.pt'"));
}

#[test]
fn engines_that_do_not_go_with_expandable_segments() {
    let script = |mark: &str, option: &str| {
        format!(
            "
import os
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'
{mark}from vllm import LLM
llm = LLM('Qwen/Qwen3-8B'{option})
"
        )
    };
    let mark = "#                                        ^^^^^^^^^^^^^^^^^^^^^^^^ OOM408 warning static\n";
    check(&script(mark, ", enable_sleep_mode=True"));
    check(&script(mark, ", kv_transfer_config={'kv_connector': 'LMCacheConnector'}"));
    check(&script("", ""));
    check(&script("", ", enable_sleep_mode=False, kv_transfer_config=None"));
}

#[test]
fn a_low_max_split_size() {
    let script =
        |value: &str| format!("import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = '{value}'\nimport torch\n");
    check_unsafe_fix(&script("max_split_size_mb:64"), &script("expandable_segments:True"));
    check_unsafe_fix(
        &script("garbage_collection_threshold:0.8,max_split_size_mb:64"),
        &script("garbage_collection_threshold:0.8,expandable_segments:True"),
    );
    check(&script("max_split_size_mb:128"));
    check(&script("max_split_size_mb:64,expandable_segments:True"));
    check_with(&[("torch", "2.0.1")], &script("max_split_size_mb:64"));
}

#[test]
fn a_call_that_takes_settings_back() {
    check(
        "
import os
os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'garbage_collection_threshold:0.8,max_split_size_mb:256'
import torch
torch.cuda.memory._set_allocator_settings('max_split_size_mb:512')
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM410 information none
torch.cuda.memory._set_allocator_settings('max_split_size_mb:512,garbage_collection_threshold:0.9')
",
    );
    check("import torch\ntorch.cuda.memory._set_allocator_settings('max_split_size_mb:512')\n");
}
