import torch
from diffusers import StableVideoDiffusionPipeline
from fastapi import FastAPI


class Animator:
    def __init__(self, device="cuda", frugal=True):
        self.device = device
        self.pipe = StableVideoDiffusionPipeline.from_pretrained(
            "stabilityai/stable-video-diffusion-img2vid", torch_dtype=torch.float16, variant="fp16"
        )
        self.pipe.to(self.device)
        if frugal:
            self.save_memory()

    def save_memory(self):
        self.pipe.unet.enable_forward_chunking()
        self.pipe.enable_sequential_cpu_offload()

    def animate(self, image):
        return self.pipe(image, decode_chunk_size=2).frames[0]


animator = Animator()
app = FastAPI()
