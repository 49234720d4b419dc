import torch
from diffusers import DiffusionPipeline

pipe = DiffusionPipeline.from_pretrained(
    "stabilityai/stable-diffusion-3.5-medium",
    torch_dtype=torch.bfloat16,
    device_map="balanced",
)
pipe.enable_model_cpu_offload()
pipe("a quilt of maps").images[0].save("quilt.png")
