import torch
from diffusers import StableDiffusion3Pipeline


class Studio:
    def __init__(self, frugal: bool):
        self.frugal = frugal
        self.device = "cpu" if frugal else "cuda"
        self.pipe = StableDiffusion3Pipeline.from_pretrained(
            "stabilityai/stable-diffusion-3.5-medium", torch_dtype=torch.bfloat16
        )
        self.pipe.to(self.device)
        if self.frugal:
            self.pipe.enable_model_cpu_offload()

    def draw(self, prompt):
        return self.pipe(prompt, num_inference_steps=28).images[0]


if __name__ == "__main__":
    Studio(frugal=not torch.cuda.is_available() or torch.cuda.mem_get_info()[0] < 20 << 30).draw("a thimble").save("t.png")
