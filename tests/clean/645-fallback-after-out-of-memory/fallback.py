import torch
from diffusers import FluxPipeline

pipe = FluxPipeline.from_pretrained("black-forest-labs/FLUX.1-schnell", torch_dtype=torch.bfloat16)
try:
    pipe.to("cuda")
except torch.cuda.OutOfMemoryError:
    pipe.to("cpu")
    torch.cuda.empty_cache()
    pipe.enable_sequential_cpu_offload()
pipe("a rookery", num_inference_steps=4).images[0].save("rookery.png")
