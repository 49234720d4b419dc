import gc
import torch
from diffusers import FluxPipeline

NAME = "black-forest-labs/FLUX.1-dev"


@torch.inference_mode()
def encode(prompt):
    text = FluxPipeline.from_pretrained(NAME, transformer=None, vae=None, torch_dtype=torch.bfloat16)
    text.to("cuda")
    found = [part.cpu() for part in text.encode_prompt(prompt=prompt, prompt_2=None)[:2]]
    text.to("cpu")
    return found


@torch.inference_mode()
def denoise(embeds, pooled):
    pipe = FluxPipeline.from_pretrained(NAME, text_encoder=None, text_encoder_2=None, torch_dtype=torch.bfloat16)
    pipe.enable_model_cpu_offload()
    return pipe(prompt_embeds=embeds, pooled_prompt_embeds=pooled, num_inference_steps=20).images[0]


embeds, pooled = encode("an astrolabe on a windowsill")
gc.collect()
torch.cuda.empty_cache()
denoise(embeds, pooled).save("astrolabe.png")
