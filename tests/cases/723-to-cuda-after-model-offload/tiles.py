import torch
from diffusers import StableDiffusionXLPipeline

pipe = StableDiffusionXLPipeline.from_pretrained(
    "stabilityai/stable-diffusion-xl-base-1.0", torch_dtype=torch.float16, variant="fp16", use_safetensors=True
)
pipe.enable_model_cpu_offload()
pipe.load_lora_weights("styles/azulejo.safetensors")
pipe.to("cuda")
for i in range(12):
    pipe(f"azulejo tile {i}", generator=torch.Generator("cpu").manual_seed(i)).images[0].save(f"tile{i}.png")
