import torch
from diffusers import DPMSolverMultistepScheduler, StableDiffusionXLPipeline

STYLES = {"ink": "styles/ink.safetensors", "linocut": "styles/linocut.safetensors"}


class Studio:
    def __init__(self, style):
        self.pipe = StableDiffusionXLPipeline.from_single_file("base.safetensors", torch_dtype=torch.float16)
        self.pipe.scheduler = DPMSolverMultistepScheduler.from_config(self.pipe.scheduler.config)
        self.pipe.load_lora_weights(STYLES[style], adapter_name=style)
        self.pipe.fuse_lora(lora_scale=0.8)
        self.pipe.unload_lora_weights()
        self.pipe.vae.enable_tiling()
        self.pipe.enable_model_cpu_offload()

    def __call__(self, prompt, seed):
        generator = torch.Generator("cpu").manual_seed(seed)
        return self.pipe(prompt, generator=generator).images[0]


studio = Studio("ink")
for seed in range(6):
    studio("an owl in a pear tree", seed).save(f"owl-{seed}.png")
