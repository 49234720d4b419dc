import torch
from diffusers import StableDiffusionPipeline


def build():
    pipe = StableDiffusionPipeline.from_pretrained("stable-diffusion-v1-5/stable-diffusion-v1-5", torch_dtype=torch.float16)
    pipe.enable_sequential_cpu_offload()
    pipe.enable_attention_slicing()
    return pipe


pipe = build()
pipe = pipe.to("cuda")
pipe("a fox reads a newspaper, comic strip").images[0].save("fox.png")
