import torch
from diffusers import StableVideoDiffusionPipeline
from diffusers.utils import load_image

pipe = StableVideoDiffusionPipeline.from_pretrained("stabilityai/stable-video-diffusion-img2vid-xt")
pipe.to(torch.float16)
pipe.enable_model_cpu_offload()
pipe.unet.to(memory_format=torch.channels_last)
pipe.vae.to(dtype=torch.float32)
generator = torch.Generator("cuda").manual_seed(5)
image = load_image("meadow.png").resize((1024, 576))
noise = torch.randn(1, 4, 72, 128).to("cuda")
frames = pipe(image, decode_chunk_size=4, generator=generator, latents=noise).frames[0]
print(len(frames))
