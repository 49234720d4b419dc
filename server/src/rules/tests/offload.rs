//! Pipelines that are moved and offloaded: OOM501 to OOM504.

use crate::rules::tests::fixing::{check_fix, check_no_fix, check_unsafe_fix};
use crate::rules::tests::{check, findings};

/// A script that loads a pipeline and goes on with these lines.
fn script(options: &str, lines: &str) -> String {
    format!(
        "
import torch
from diffusers import AutoencoderKL, FluxPipeline

pipe = FluxPipeline.from_pretrained('black-forest-labs/FLUX.1-dev', torch_dtype=torch.bfloat16{options})
{lines}
image = pipe('a lighthouse').images[0]
"
    )
}

#[track_caller]
fn check_lines(lines: &str) {
    check(&script("", lines));
}

#[track_caller]
fn check_lines_fix(before: &str, after: &str) {
    check_fix(&script("", before), &script("", after).replace("\n\nimage", "\nimage"));
}

#[test]
fn a_move_before_an_offload() {
    for offload in [
        "enable_model_cpu_offload()",
        "enable_sequential_cpu_offload()",
        "enable_model_cpu_offload(gpu_id=0)",
    ] {
        check_lines(&format!(
            "pipe.to('cuda')
^^^^^^^^^^^^^^^ OOM501 warning static
pipe.{offload}"
        ));
    }
    check_lines(
        "pipe = pipe.to('cuda')
#      ^^^^^^^^^^^^^^^ OOM501 warning static
pipe.vae.enable_tiling()
pipe.enable_model_cpu_offload()",
    );
    check_lines(
        "device = 'cuda' if torch.cuda.is_available() else 'cpu'
pipe.to(device)
^^^^^^^^^^^^^^^ OOM501 warning static
pipe.enable_model_cpu_offload()",
    );
    check_lines(
        "if torch.cuda.is_available():
    pipe.to('cuda')
#   ^^^^^^^^^^^^^^^ OOM501 warning static
pipe.enable_model_cpu_offload()",
    );
}

#[test]
fn a_move_in_the_chain_of_the_load_and_a_device_map() {
    check(
        "
from diffusers import FluxPipeline
pipe = FluxPipeline.from_pretrained('black-forest-labs/FLUX.1-dev').to('cuda')
#                                                                  ^^^^^^^^^^^ OOM501 warning static
pipe.enable_model_cpu_offload()
",
    );
    check(
        "
from diffusers import FluxPipeline
pipe = FluxPipeline.from_pretrained('black-forest-labs/FLUX.1-dev', device_map='cuda')
#                                                                   ^^^^^^^^^^^^^^^^^ OOM501 warning static
pipe.enable_model_cpu_offload()
",
    );
}

#[test]
fn pipelines_made_of_parts() {
    for made in ["FluxPipeline(**parts())", "FluxPipeline(transformer=part(), vae=part())"] {
        check(&format!(
            "
from diffusers import FluxPipeline
from parts import part, parts
pipe = {made}
pipe.to('cuda')
^^^^^^^^^^^^^^^ OOM501 warning static
pipe.enable_model_cpu_offload()
"
        ));
    }
}

#[test]
fn moves_that_do_no_harm_before_an_offload() {
    for lines in [
        "pipe.enable_model_cpu_offload()",
        "pipe.to('cuda')\npipe.to('cpu')\npipe.enable_model_cpu_offload()",
        "pipe.to(torch.float16)\npipe.enable_model_cpu_offload()",
        "pipe.to(dtype=torch.float16)\npipe.enable_model_cpu_offload()",
        "pipe.to('cuda')\npipe('a warm-up')\npipe.enable_model_cpu_offload()",
        "low = input() == 'y'\nif low:\n    pipe.enable_model_cpu_offload()\nelse:\n    pipe.to('cuda')",
        "low = input() == 'y'\nif not low:\n    pipe.to('cuda')\nelse:\n    pipe.enable_model_cpu_offload()",
        "vae = AutoencoderKL.from_pretrained('stabilityai/sdxl-vae').to('cuda')\npipe.enable_model_cpu_offload()",
        "other = FluxPipeline.from_pretrained('x').to('cuda')\npipe.enable_model_cpu_offload()",
    ] {
        check_lines(lines);
    }
}

#[test]
fn the_move_is_deleted_in_every_form() {
    let offload = "pipe.enable_model_cpu_offload()";
    for form in ["pipe.to('cuda')", "pipe = pipe.to('cuda')", "pipe = pipe.to(device='cuda:0')"] {
        check_lines_fix(&format!("{form}\n{offload}"), offload);
    }
    check_lines_fix(
        &format!("pipe.to('cuda', torch.float16)\n{offload}"),
        &format!("pipe.to(torch.float16)\n{offload}"),
    );
    check_lines_fix(
        &format!("pipe = pipe.to(dtype=torch.float16, device='cuda')\n{offload}"),
        &format!("pipe = pipe.to(dtype=torch.float16)\n{offload}"),
    );
    check_lines_fix("pipe.to('cuda').enable_model_cpu_offload()", offload);
    check_lines_fix(&format!("pipe.to('cuda'); {offload}"), offload);
    check_lines_fix(&format!("painter = pipe.to('cuda')\n{offload}"), &format!("painter = pipe\n{offload}"));
    check_lines_fix(
        &format!("if torch.cuda.is_available():\n    pipe.to('cuda')\n{offload}"),
        &format!("if torch.cuda.is_available():\n    pass\n{offload}"),
    );
    check_lines_fix(&format!("pipe.to('cuda')  # fast\n{offload}"), &format!("# fast\n{offload}"));
    let loaded = |chain: &str| {
        format!(
            "
from diffusers import FluxPipeline

pipe = (
    FluxPipeline.from_pretrained('black-forest-labs/FLUX.1-dev')
{chain})
pipe.enable_model_cpu_offload()
"
        )
    };
    check_fix(&loaded("    .to('cuda')\n"), &loaded(""));
}

#[test]
fn no_fix_where_the_offload_is_on_one_way_only() {
    check_no_fix(&script("", "pipe.to('cuda')\nif input():\n    pipe.enable_model_cpu_offload()"));
}

#[test]
fn a_move_after_an_offload() {
    check_lines(
        "pipe.enable_model_cpu_offload()
pipe.to('cuda')
^^^^^^^^^^^^^^^ OOM502 warning static
pipe.transformer.to('cuda')
^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM502 warning static",
    );
    check_lines(
        "pipe.enable_sequential_cpu_offload()
pipe.to('cuda')
^^^^^^^^^^^^^^^ OOM502 error none
pipe.vae.cuda()
^^^^^^^^^^^^^^^ OOM502 error none",
    );
    check_lines(
        "pipe.enable_group_offload(onload_device=torch.device('cuda'))
pipe.to('cuda')
^^^^^^^^^^^^^^^ OOM502 information none",
    );
}

#[test]
fn moves_that_do_no_harm_after_an_offload() {
    for lines in [
        "pipe.enable_model_cpu_offload()\npipe.to('cpu')",
        "pipe.enable_model_cpu_offload()\npipe.vae.to(dtype=torch.float32)",
        "pipe.enable_model_cpu_offload()\npipe.vae.to(torch.float32)",
        "pipe.enable_model_cpu_offload()\npipe.remove_all_hooks()\npipe.to('cuda')",
        "pipe.transformer.enable_group_offload(onload_device=torch.device('cuda'))\npipe.vae.to('cuda')",
        "if input():\n    pipe.enable_model_cpu_offload()\nelse:\n    pipe.to('cuda')",
    ] {
        check_lines(lines);
    }
}

#[test]
fn the_later_move_is_deleted() {
    let offload = "pipe.enable_model_cpu_offload()";
    check_lines_fix(&format!("{offload}\npipe.to('cuda')"), offload);
    check_lines_fix(&format!("{offload}\npipe = pipe.to('cuda')"), offload);
    check_lines_fix(&format!("{offload}\npipe.text_encoder.to('cuda')"), offload);
    check_lines_fix(
        &format!("{offload}\npipe.vae.to('cuda', dtype=torch.float32)"),
        &format!("{offload}\npipe.vae.to(dtype=torch.float32)"),
    );
}

#[test]
fn two_modes() {
    check_lines(
        "pipe.enable_model_cpu_offload()
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM503 warning none
pipe.enable_sequential_cpu_offload()",
    );
    check_lines(
        "pipe.transformer.enable_group_offload(onload_device=torch.device('cuda'))
pipe.enable_model_cpu_offload()
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM503 error none",
    );
    for lines in [
        "pipe.enable_model_cpu_offload()\npipe.enable_model_cpu_offload()",
        "pipe.enable_model_cpu_offload()\npipe.remove_all_hooks()\npipe.enable_sequential_cpu_offload()",
        "if input():\n    pipe.enable_model_cpu_offload()\nelse:\n    pipe.enable_sequential_cpu_offload()",
        "pipe.transformer.enable_group_offload(onload_device='cuda')\npipe.vae.enable_group_offload(onload_device='cuda')",
        "pipe.enable_model_cpu_offload()\nif input():\n    pipe.enable_sequential_cpu_offload()",
    ] {
        check_lines(lines);
    }
}

#[test]
fn the_earlier_mode_is_deleted() {
    let after = script("", "pipe.enable_model_cpu_offload()");
    check_fix(&script("", "pipe.enable_sequential_cpu_offload()\npipe.enable_model_cpu_offload()"), &after);
    check_unsafe_fix(
        &script("", "pipe.enable_group_offload(onload_device='cuda')\npipe.enable_model_cpu_offload()"),
        &after,
    );
}

#[test]
fn a_device_map() {
    let balanced = ", device_map='balanced'";
    check(&script(
        balanced,
        "pipe.enable_model_cpu_offload()
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM504 error none",
    ));
    check(&script(
        balanced,
        "pipe.to('cuda')
^^^^^^^^^^^^^^^ OOM504 error none",
    ));
    check(&script(balanced, "pipe.reset_device_map()\npipe.enable_model_cpu_offload()"));
    check(&script(balanced, "pipe.vae.enable_tiling()"));
    check(&script(", device_map=None", "pipe.enable_model_cpu_offload()"));
    check(&script(", device_map=choose()", "pipe.enable_model_cpu_offload()"));
    check_unsafe_fix(
        &script(balanced, "pipe.enable_model_cpu_offload()"),
        &script("", "pipe.enable_model_cpu_offload()"),
    );
}

#[test]
fn a_device_map_on_a_line_of_its_own() {
    let script = |line: &str| {
        format!(
            "
from diffusers import FluxPipeline

pipe = FluxPipeline.from_pretrained(
    'black-forest-labs/FLUX.1-dev',
{line}    use_safetensors=True,
)
pipe.enable_model_cpu_offload()
"
        )
    };
    check_unsafe_fix(&script("    device_map='balanced',\n"), &script(""));
}

#[test]
fn the_message_quotes_the_move() {
    let source = script("", "pipe.to(torch.device('cuda'))\npipe.enable_model_cpu_offload()");
    let messages: Vec<String> = findings(&source).into_iter().map(|finding| finding.message).collect();
    let [message] = messages.as_slice() else { panic!("one finding is expected: {messages:?}") };
    assert!(message.starts_with("`.to(torch.device('cuda'))` puts every part"), "{message}");
}

#[test]
fn a_test_of_what_is_not_allowed() {
    check(
        "
import pytest
from diffusers import DiffusionPipeline

pipe = DiffusionPipeline.from_pretrained('a/b')
pipe.transformer.enable_group_offload('cuda')
with pytest.raises(ValueError, match='offload'):
    pipe.enable_model_cpu_offload()
",
    );
}
