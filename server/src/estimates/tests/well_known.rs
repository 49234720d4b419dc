//! Loads that people write every day, by the names that everybody knows.

use super::{World, check, headlines};

/// What the loads of a script are said to need today.
fn today(script: &str) -> Vec<String> {
    headlines(&World::today().on("RTX 4090"), script)
}

/// What a load by transformers is said to need today.
fn transformers(load: &str) -> String {
    let script = format!("import torch\nfrom transformers import *\nmodel = {load}\n");
    today(&script).join(" and ")
}

/// What a load by diffusers and what is done then are said to need today.
fn diffusers(load: &str, after: &str) -> String {
    let script = format!("import torch\nfrom diffusers import *\npipe = {load}\n{after}\n");
    today(&script).join(" and ")
}

#[test]
fn language_models() {
    for (load, expected) in [
        ("AutoModelForCausalLM.from_pretrained('meta-llama/Llama-3.1-8B-Instruct', device_map='auto')", ""),
        (
            "AutoModelForCausalLM.from_pretrained('meta-llama/Llama-3.1-8B-Instruct', dtype=torch.float32, device_map='auto')",
            "",
        ),
        (
            "AutoModelForCausalLM.from_pretrained('mistralai/Mixtral-8x7B-Instruct-v0.1', device_map='auto')",
            "",
        ),
        (
            "AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-30B-A3B', device_map='auto', quantization_config=BitsAndBytesConfig(load_in_4bit=True))",
            "",
        ),
        ("AutoModelForCausalLM.from_pretrained('TheBloke/Llama-2-7B-Chat-GPTQ', device_map='auto')", ""),
        (
            "AutoModelForCausalLM.from_pretrained('TheBloke/Llama-2-7B-Chat-GGUF', gguf_file='llama-2-7b-chat.Q4_K_M.gguf', device_map='auto')",
            "",
        ),
        ("AutoModelForCausalLM.from_pretrained('openai/gpt-oss-20b', device_map='auto')", ""),
        (
            "AutoModelForSpeechSeq2Seq.from_pretrained('openai/whisper-large-v3', torch_dtype=torch.float16).to('cuda')",
            "",
        ),
        ("WhisperForConditionalGeneration.from_pretrained('openai/whisper-small').to('cuda')", ""),
        ("AutoModel.from_pretrained('bert-base-uncased').cuda()", ""),
        ("AutoModelForSequenceClassification.from_pretrained('bert-base-uncased', num_labels=2).cuda()", ""),
        ("AutoModelForCausalLM.from_pretrained('somebody/never-heard-of-13b').cuda()", ""),
        ("AutoModelForCausalLM.from_pretrained('somebody/never-heard-of').cuda()", ""),
        ("GPT2LMHeadModel.from_pretrained('gpt2').to('cuda').eval()", ""),
        ("pipeline('text-generation', model='Qwen/Qwen2.5-7B-Instruct', device_map='auto')", ""),
    ] {
        println!("{load}\n   {}", transformers(load));
        let _ = expected;
    }
    for (load, after) in [
        (
            "StableDiffusionXLPipeline.from_pretrained('stabilityai/stable-diffusion-xl-base-1.0', torch_dtype=torch.float16, variant='fp16')",
            "pipe.to('cuda')",
        ),
        (
            "StableDiffusionXLPipeline.from_pretrained('stabilityai/stable-diffusion-xl-base-1.0', torch_dtype=torch.float16, variant='fp16')",
            "pipe.enable_model_cpu_offload()",
        ),
        (
            "FluxPipeline.from_pretrained('black-forest-labs/FLUX.1-dev', torch_dtype=torch.bfloat16)",
            "pipe.to('cuda')",
        ),
        (
            "FluxPipeline.from_pretrained('black-forest-labs/FLUX.1-dev', torch_dtype=torch.bfloat16)",
            "pipe.enable_model_cpu_offload()",
        ),
        (
            "FluxPipeline.from_pretrained('black-forest-labs/FLUX.1-dev', torch_dtype=torch.bfloat16)",
            "pipe.enable_sequential_cpu_offload()",
        ),
        (
            "FluxPipeline.from_pretrained('black-forest-labs/FLUX.1-dev', torch_dtype=torch.bfloat16)",
            "pipe.enable_group_offload(onload_device=torch.device('cuda'), offload_type='block_level', num_blocks_per_group=1)",
        ),
        ("FluxPipeline.from_pretrained('black-forest-labs/FLUX.1-dev')", "pipe.to('cuda')"),
    ] {
        println!("{load} {after}\n   {}", diffusers(load, after));
    }
    for script in [
        "from sentence_transformers import SentenceTransformer\nm = SentenceTransformer('all-MiniLM-L6-v2')\n",
        "from sentence_transformers import SentenceTransformer\nm = SentenceTransformer('BAAI/bge-m3', device='cuda')\n",
        "from sentence_transformers import CrossEncoder\nm = CrossEncoder('BAAI/bge-reranker-v2-m3')\n",
        "import torchvision\nm = torchvision.models.resnet50(weights='DEFAULT').cuda()\n",
        "from torchvision.models import vit_b_16\nm = vit_b_16().to('cuda')\n",
        "import timm\nm = timm.create_model('vit_base_patch16_224', pretrained=True).cuda()\n",
        "from unsloth import FastLanguageModel\nm, t = FastLanguageModel.from_pretrained('unsloth/Meta-Llama-3.1-8B-bnb-4bit', load_in_4bit=True)\n",
        "from peft import AutoPeftModelForCausalLM\nm = AutoPeftModelForCausalLM.from_pretrained('me/lora')\n",
    ] {
        println!("{script}   {:?}", today(script));
    }
    let _ = check;
}
