import torch
from diffusers import DiffusionPipeline

NAMES = ["stabilityai/stable-diffusion-xl-base-1.0", "stabilityai/stable-diffusion-3.5-medium"]
for name in NAMES:
    pipe = DiffusionPipeline.from_pretrained(name, torch_dtype=torch.float16)
    pipe = pipe.to("cuda")
    pipe.enable_model_cpu_offload()
    pipe("a lathe").images[0].save(f"{name.split('/')[1]}.png")
    del pipe
    torch.cuda.empty_cache()
