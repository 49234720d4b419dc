import torch
from diffusers import StableDiffusionInpaintPipeline


class Base:
    def __init__(self, name):
        self.pipe = StableDiffusionInpaintPipeline.from_pretrained(name, torch_dtype=torch.float16)
        self.pipe.enable_sequential_cpu_offload(gpu_id=1)


class Retoucher(Base):
    def __init__(self, name):
        super().__init__(name)
        self.pipe.to(torch.device("cuda", 1))
        self.pipe.safety_checker = None


Retoucher("stable-diffusion-v1-5/stable-diffusion-inpainting")
