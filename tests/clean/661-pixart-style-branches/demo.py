import os
import gradio as gr
import torch
from diffusers import AutoencoderKL, PixArtSigmaPipeline

OFFLOAD = os.getenv("OFFLOAD", "0") == "1"
CARD = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")

if torch.cuda.is_available():
    pipe = PixArtSigmaPipeline.from_pretrained(
        "PixArt-alpha/PixArt-Sigma-XL-2-1024-MS", torch_dtype=torch.float16, use_safetensors=True
    )
    if os.getenv("BETTER_VAE"):
        pipe.vae = AutoencoderKL.from_pretrained("madebyollin/sdxl-vae-fp16-fix", torch_dtype=torch.float16)
    if OFFLOAD:
        pipe.enable_model_cpu_offload()
    else:
        pipe.to(CARD)
        pipe.text_encoder.to_bettertransformer()


def generate(prompt, seed):
    return pipe(prompt, generator=torch.Generator().manual_seed(int(seed))).images


gr.Interface(generate, ["text", "number"], gr.Gallery()).queue().launch()
