import torch
from diffusers import StableDiffusionXLImg2ImgPipeline, StableDiffusionXLPipeline

base = StableDiffusionXLPipeline.from_pretrained(
    "stabilityai/stable-diffusion-xl-base-1.0", torch_dtype=torch.float16, variant="fp16"
)
base.to("cuda")
refiner = StableDiffusionXLImg2ImgPipeline.from_pretrained(
    "stabilityai/stable-diffusion-xl-refiner-1.0", torch_dtype=torch.float16, variant="fp16"
)
refiner.enable_model_cpu_offload()

for number, prompt in enumerate(open("prompts.txt")):
    latents = base(prompt, denoising_end=0.8, output_type="latent").images
    refiner(prompt, denoising_start=0.8, image=latents).images[0].save(f"{number}.png")
