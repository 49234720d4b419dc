import gc
import torch
from diffusers import StableDiffusion3Pipeline, StableDiffusionPipeline

pipe = StableDiffusionPipeline.from_pretrained("stable-diffusion-v1-5/stable-diffusion-v1-5", torch_dtype=torch.float16)
pipe.to("cuda")
pipe("a lantern").images[0].save("one.png")

pipe = None
gc.collect()
torch.cuda.empty_cache()
pipe = StableDiffusion3Pipeline.from_pretrained("stabilityai/stable-diffusion-3-medium-diffusers", torch_dtype=torch.float16)
pipe.enable_model_cpu_offload()
pipe("a lantern").images[0].save("two.png")
