import torch
from diffusers import FluxPipeline

text = FluxPipeline.from_pretrained("black-forest-labs/FLUX.1-dev", transformer=None, vae=None, torch_dtype=torch.bfloat16).to("cuda")
print(text.encode_prompt("a sundial", prompt_2=None)[0].shape)
