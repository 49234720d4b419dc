import torch
from diffusers import StableDiffusionXLPipeline

MODEL = {"draft": "stabilityai/sdxl-turbo", "final": "stabilityai/stable-diffusion-xl-base-1.0"}
pipe = StableDiffusionXLPipeline.from_pretrained(MODEL["final"], torch_dtype=torch.float16, variant="fp16").to("cuda")
pipe("a forge").images[0].save("forge.png")
