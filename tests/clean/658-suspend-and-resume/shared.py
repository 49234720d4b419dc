import threading
import torch
from diffusers import StableDiffusionPipeline


class Tenant:
    def __init__(self, resident=True):
        self.lock, self.resident = threading.Lock(), resident
        self.pipe = StableDiffusionPipeline.from_pretrained(
            "stable-diffusion-v1-5/stable-diffusion-v1-5", torch_dtype=torch.float16
        )
        if not resident:
            self.pipe.enable_model_cpu_offload()

    def resume(self):
        if self.resident:
            self.pipe.to("cuda")

    def suspend(self):
        if self.resident:
            self.pipe.to("cpu")
            torch.cuda.empty_cache()

    def draw(self, prompt):
        with self.lock:
            self.resume()
            image = self.pipe(prompt).images[0]
            self.suspend()
        return image


Tenant(resident=True).draw("a gate").save("gate.png")
