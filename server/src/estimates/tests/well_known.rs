//! Loads that people write every day, by the names that everybody knows. The figures are worked out by hand: parameters
//! as the Hub or the papers publish them, times the bytes of the type.

use super::{World, headlines};

/// What the loads of a script are said to need today, on a card with 24 GB.
fn today(script: &str) -> String {
    headlines(&World::today().on("RTX 4090"), script).join(" and ")
}

#[track_caller]
fn are_said(library: &str, loads: &[(&str, &str)]) {
    for (load, expected) in loads {
        let script = format!("import torch\nfrom {library} import *\nmodel = {load}\n");
        assert_eq!(today(&script), *expected, "{load}");
    }
}

#[test]
fn language_models() {
    are_said(
        "transformers",
        &[
            (
                "AutoModelForCausalLM.from_pretrained('meta-llama/Llama-3.1-8B-Instruct', device_map='auto')",
                "8.03B bfloat16 14.96 GiB fits RTX 4090",
            ),
            (
                "AutoModelForCausalLM.from_pretrained('meta-llama/Llama-3.1-8B-Instruct', dtype=torch.float32).cuda()",
                "8.03B float32 29.92 GiB does not fit RTX 4090",
            ),
            (
                "GPT2LMHeadModel.from_pretrained('gpt2').to('cuda').eval()",
                "124.4M float32 475 MiB fits RTX 4090",
            ),
            (
                "pipeline('text-generation', model='Qwen/Qwen2.5-7B-Instruct', device_map='auto')",
                "7.62B bfloat16 14.19 GiB fits RTX 4090",
            ),
        ],
    );
}

#[test]
fn mixtures_of_experts() {
    are_said(
        "transformers",
        &[
            (
                "AutoModelForCausalLM.from_pretrained('mistralai/Mixtral-8x7B-Instruct-v0.1', device_map='auto')",
                "46.70B bfloat16 86.99 GiB does not fit RTX 4090",
            ),
            (
                "AutoModelForCausalLM.from_pretrained('openai/gpt-oss-20b', device_map='auto')",
                "20.91B MXFP4 12.82 GiB fits RTX 4090",
            ),
            // bitsandbytes leaves the fused experts of transformers 5 in 16 bit.
            (
                "AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-30B-A3B', quantization_config=BitsAndBytesConfig(load_in_4bit=True))",
                "30.53B 4-bit bitsandbytes 55.64 GiB does not fit RTX 4090",
            ),
            // Those of Llama 4 it takes apart.
            (
                "AutoModelForImageTextToText.from_pretrained('meta-llama/Llama-4-Scout-17B-16E-Instruct', quantization_config=BitsAndBytesConfig(load_in_4bit=True))",
                "about 108.64B 4-bit bitsandbytes 59.68 GiB does not fit RTX 4090",
            ),
        ],
    );
    let script = "from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-30B-A3B', load_in_4bit=True)
";
    assert_eq!(headlines(&World::last_year(), script), ["30.53B 4-bit bitsandbytes 16.83 GiB"]);
}

#[test]
fn quantized_checkpoints() {
    are_said(
        "transformers",
        &[
            (
                "AutoModelForCausalLM.from_pretrained('TheBloke/Llama-2-7B-Chat-GPTQ', device_map='auto')",
                "about 6.74B 4-bit GPTQ 3.62 GiB fits RTX 4090",
            ),
            // A file of llama.cpp is turned into a plain type.
            (
                "AutoModelForCausalLM.from_pretrained('TheBloke/Llama-2-7B-Chat-GGUF', gguf_file='llama-2-7b-chat.Q4_K_M.gguf', device_map=0)",
                "about 6.74B bfloat16 12.55 GiB fits RTX 4090",
            ),
        ],
    );
    let script = "from unsloth import FastLanguageModel
model, tokenizer = FastLanguageModel.from_pretrained('unsloth/Meta-Llama-3.1-8B-bnb-4bit')
";
    assert_eq!(today(script), "about 8.03B 4-bit bitsandbytes, double-quantized 5.31 GiB fits RTX 4090");
}

#[test]
fn speech_and_encoders() {
    are_said(
        "transformers",
        &[
            (
                "AutoModelForSpeechSeq2Seq.from_pretrained('openai/whisper-large-v3', torch_dtype=torch.float16).to('cuda')",
                "about 1.54B float16 2.87 GiB fits RTX 4090",
            ),
            (
                "WhisperForConditionalGeneration.from_pretrained('openai/whisper-small').to('cuda')",
                "241.7M float32 922 MiB fits RTX 4090",
            ),
            ("AutoModel.from_pretrained('bert-base-uncased').cuda()", "109.5M float32 418 MiB fits RTX 4090"),
            (
                "AutoModelForSequenceClassification.from_pretrained('bert-base-uncased', num_labels=2).cuda()",
                "about 109.5M float32 418 MiB fits RTX 4090",
            ),
        ],
    );
}

#[test]
fn embedding_models_go_to_the_gpu_by_themselves() {
    are_said(
        "sentence_transformers",
        &[
            ("SentenceTransformer('all-MiniLM-L6-v2')", "22.7M float32 86.6 MiB fits RTX 4090"),
            ("SentenceTransformer('all-MiniLM-L6-v2', device='cpu')", "22.7M float32 86.6 MiB on the host"),
            (
                "SentenceTransformer('BAAI/bge-m3', model_kwargs={'torch_dtype': torch.float16})",
                "about 567.8M float16 1.06 GiB fits RTX 4090",
            ),
            ("SentenceTransformer('all-MiniLM-L6-v2').half()", "22.7M float32 86.6 MiB fits RTX 4090"),
        ],
    );
}

#[test]
fn names_that_nobody_knows() {
    are_said(
        "transformers",
        &[
            (
                "AutoModelForCausalLM.from_pretrained('somebody/never-heard-of-13b').cuda()",
                "guess 13.00B bfloat16 24.21 GiB (16.95 GiB to 33.90 GiB) does not fit RTX 4090",
            ),
            (
                "AutoModelForCausalLM.from_pretrained('somebody/never-heard-of').cuda()",
                "The size of `somebody/never-heard-of` is not known: it is neither in the catalog nor on this machine. \
                 Download it, or name the folder that it is in, and its files are read.",
            ),
            (
                "pipeline('summarization', device=0)",
                "Which model `pipeline('summarization', device=0)` takes by itself is not known here. Name one with `model=`.",
            ),
        ],
    );
}

#[test]
fn vision_models() {
    are_said(
        "torchvision.models",
        &[
            ("resnet50(weights='DEFAULT').cuda()", "25.6M float32 97.5 MiB fits RTX 4090"),
            ("vit_b_16().to('cuda')", "86.6M float32 330 MiB fits RTX 4090"),
            ("get_model('resnet18').cuda()", "11.7M float32 44.6 MiB fits RTX 4090"),
        ],
    );
    are_said(
        "timm",
        &[(
            "create_model('vit_base_patch16_224', pretrained=True).cuda()",
            "about 86.6M float32 330 MiB fits RTX 4090",
        )],
    );
}

#[test]
fn pipelines_of_diffusers() {
    let (sdxl, flux) = (
        "StableDiffusionXLPipeline.from_pretrained('stabilityai/stable-diffusion-xl-base-1.0', torch_dtype=torch.float16)",
        "FluxPipeline.from_pretrained('black-forest-labs/FLUX.1-dev', torch_dtype=torch.bfloat16)",
    );
    for (load, after, expected) in [
        (sdxl, "to('cuda')", "3.47B float16 6.46 GiB fits RTX 4090"),
        (sdxl, "enable_model_cpu_offload()", "3.47B float16 4.78 GiB fits RTX 4090"),
        (flux, "to('cuda')", "16.87B bfloat16 31.42 GiB does not fit RTX 4090"),
        (flux, "enable_model_cpu_offload()", "16.87B bfloat16 22.17 GiB fits RTX 4090"),
        (flux, "enable_sequential_cpu_offload()", "16.87B bfloat16 251 MiB (0 MiB to 908 MiB) fits RTX 4090"),
        (
            flux,
            "enable_group_offload(onload_device=torch.device('cuda'), offload_type='block_level', num_blocks_per_group=1)",
            "16.87B bfloat16 2.22 GiB (0 MiB to 22.17 GiB) fits RTX 4090",
        ),
        (
            flux,
            "enable_group_offload(onload_device=torch.device('cuda'), offload_type='leaf_level')",
            "16.87B bfloat16 251 MiB (0 MiB to 908 MiB) fits RTX 4090",
        ),
    ] {
        let script =
            format!("import torch\nfrom diffusers import *\npipe = {load}\npipe.{after}\npipe('a cat')\n");
        assert_eq!(today(&script), expected, "{after}");
    }
}

#[test]
fn several_cards_share_what_a_device_map_spreads() {
    let script = "from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained('meta-llama/Llama-3.1-70B-Instruct', device_map='auto')
";
    let on = |cards: &str| headlines(&World::today().on(cards), script);
    assert_eq!(on("2x A100 80GB"), ["70.55B bfloat16 65.71 GiB each fits 2x A100 80GB"]);
    assert_eq!(on("A100 80GB"), ["70.55B bfloat16 131.42 GiB does not fit A100 80GB"]);
}

#[test]
fn a_size_in_the_name_of_a_pipeline_is_no_size() {
    let script = "from diffusers import CogVideoXPipeline
pipe = CogVideoXPipeline.from_pretrained('somebody/video-5b').to('cuda')
";
    assert!(today(script).starts_with("The size of `somebody/video-5b` is not known"));
}

#[test]
fn not_every_function_beside_vision_models_builds_one() {
    let script = "from torchvision.models.feature_extraction import create_feature_extractor
from torchvision.models import resnet18
net = create_feature_extractor(resnet18(), ['layer1'])
";
    assert_eq!(today(script), "11.7M float32 44.6 MiB fits RTX 4090");
}
