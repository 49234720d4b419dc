//! Pipelines of diffusers and their parts.

use super::models::{flux, single, stable_diffusion};
use super::{World, check, headlines};

fn today() -> World {
    World::today().holding("./flux", flux()).holding("./sd", stable_diffusion())
}

/// A script that loads FLUX in bfloat16 and does something to it, and the headline of the load.
fn flux_with(after: &str) -> Vec<String> {
    headlines(
        &today(),
        &format!(
            "import torch
from diffusers import FluxPipeline
pipe = FluxPipeline.from_pretrained('./flux', torch_dtype=torch.bfloat16)
{after}
pipe('a cat')
"
        ),
    )
}

#[test]
fn offload_decides_what_is_on_the_gpu() {
    for (after, expected) in [
        ("pipe.to('cuda')", "16.87B bfloat16 31.42 GiB"),
        ("pipe = pipe.to('cuda')", "16.87B bfloat16 31.42 GiB"),
        ("pipe.enable_model_cpu_offload()", "16.87B bfloat16 22.17 GiB"),
        ("pipe.enable_sequential_cpu_offload()", "16.87B bfloat16 251 MiB (0 MiB to 908 MiB)"),
        ("", "16.87B bfloat16 31.42 GiB"),
        // All of it is on the GPU before offload starts.
        ("pipe.to('cuda')\npipe.enable_model_cpu_offload()", "16.87B bfloat16 31.42 GiB"),
        ("pipe.transformer.to('cuda')", "16.87B bfloat16 22.17 GiB"),
    ] {
        assert_eq!(flux_with(after), [expected], "{after}");
    }
}

#[test]
fn what_happens_only_sometimes_is_told_apart() {
    let after = "
if small:
    pipe.enable_model_cpu_offload()
else:
    pipe.to('cuda')
";
    assert_eq!(flux_with(after), ["16.87B bfloat16 31.42 GiB (22.17 GiB to 31.42 GiB)"]);
    let after = "
if torch.cuda.is_available():
    pipe.to('cuda')
";
    assert_eq!(flux_with(after), ["16.87B bfloat16 31.42 GiB"]);
}

#[test]
fn the_default_is_float32_whatever_the_variant() {
    check(
        &today(),
        r#"
from diffusers import StableDiffusionPipeline
pipe = StableDiffusionPipeline.from_pretrained("./sd", variant="fp16").to("cuda")
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 1.37B float32 5.10 GiB
"#,
    );
}

#[test]
fn the_keyword_for_the_type_follows_the_version() {
    let script = "
import torch
from diffusers import StableDiffusionPipeline
pipe = StableDiffusionPipeline.from_pretrained('./sd', dtype=torch.float16).to('cuda')
";
    assert_eq!(headlines(&today(), script), ["1.37B float16 2.55 GiB"]);
    let old = World::last_year().holding("./sd", stable_diffusion());
    assert_eq!(headlines(&old, script), ["1.37B float32 5.10 GiB"]);
    let unknown = World::unknown().holding("./sd", stable_diffusion());
    assert_eq!(headlines(&unknown, script), ["1.37B float16 or float32 2.55 GiB (2.55 GiB to 5.10 GiB)"]);
}

#[test]
fn arguments_remove_and_replace_parts() {
    check(
        &today().holding("./vae", single("./vae", "AutoencoderKL", 83_653_863)),
        r#"
import torch
from diffusers import AutoencoderKL, StableDiffusionPipeline
vae = AutoencoderKL.from_pretrained("./vae")
#     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 83.7M float32 319 MiB
pipe = StableDiffusionPipeline.from_pretrained("./sd", torch_dtype=torch.float16, vae=vae, safety_checker=None)
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 1.07B float16+float32+float16 2.14 GiB
pipe.to("cuda")
"#,
    );
}

#[test]
fn a_part_is_loaded_on_its_own() {
    check(
        &today(),
        r#"
import torch
from diffusers import FluxTransformer2DModel
from transformers import T5EncoderModel
net = FluxTransformer2DModel.from_pretrained("./flux", subfolder="transformer", torch_dtype=torch.bfloat16).cuda()
#     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 11.90B bfloat16 22.17 GiB
t5 = T5EncoderModel.from_pretrained("./flux", subfolder="text_encoder_2", dtype=torch.bfloat16).to("cuda")
#    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 4.76B bfloat16 8.87 GiB
"#,
    );
}

#[test]
fn a_part_is_cast_and_the_safety_checker_stays_under_offload() {
    check(
        &today(),
        r#"
import torch
from diffusers import StableDiffusionPipeline
pipe = StableDiffusionPipeline.from_pretrained("./sd", torch_dtype=torch.float16)
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 1.37B float16+float32+float16 2.71 GiB
pipe.vae.to(torch.float32)
pipe.to("cuda")
other = StableDiffusionPipeline.from_pretrained("./sd", torch_dtype=torch.float16)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 1.37B float16 2.17 GiB
other.enable_model_cpu_offload()
"#,
    );
}

#[test]
fn a_pipeline_is_quantized_part_by_part() {
    check(
        &today(),
        r#"
import torch
from diffusers import FluxPipeline, PipelineQuantizationConfig
config = PipelineQuantizationConfig(
    quant_backend="bitsandbytes_4bit",
    quant_kwargs={"load_in_4bit": True, "bnb_4bit_quant_type": "nf4"},
    components_to_quantize=["transformer", "text_encoder_2"],
)
pipe = FluxPipeline.from_pretrained("./flux", quantization_config=config, torch_dtype=torch.bfloat16).to("cuda")
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 16.87B 4-bit bitsandbytes+bfloat16 9.29 GiB
"#,
    );
}

#[test]
fn parts_are_set_to_something_else() {
    check(
        &today(),
        r#"
import torch
from diffusers import StableDiffusionPipeline
pipe = StableDiffusionPipeline.from_pretrained("./sd", torch_dtype=torch.float16)
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 1.07B float16 1.99 GiB
pipe.safety_checker = None
pipe.to("cuda")
"#,
    );
}

#[test]
fn a_control_net_is_one_more_part_and_lingers() {
    check(
        &today().holding("./net", single("./net", "ControlNetModel", 361_279_120)),
        r#"
import torch
from diffusers import ControlNetModel, StableDiffusionControlNetPipeline
net = ControlNetModel.from_pretrained("./net", torch_dtype=torch.float16)
#     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 361.3M float16 689 MiB
pipe = StableDiffusionControlNetPipeline.from_pretrained("./sd", controlnet=net, torch_dtype=torch.float16)
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 1.73B float16 2.84 GiB
pipe.enable_model_cpu_offload()
"#,
    );
}
