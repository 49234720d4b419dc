import torch
from diffusers import FluxPipeline

pipe = FluxPipeline.from_pretrained("black-forest-labs/FLUX.1-schnell", torch_dtype=torch.bfloat16).to("cuda")
pipe.enable_model_cpu_offload()
pipe.vae.enable_tiling()
for number in range(4):
    pipe(f"poster {number}", num_inference_steps=4, guidance_scale=0.0).images[0].save(f"{number}.png")
