from enum import Enum
import torch
from diffusers import StableDiffusionXLPipeline


class Mode(Enum):
    RESIDENT = "resident"
    MODEL = "model"
    LEAF = "leaf"


def apply(pipe, mode):
    match mode:
        case Mode.RESIDENT:
            pipe.to("cuda")
        case Mode.MODEL:
            pipe.enable_model_cpu_offload()
        case Mode.LEAF:
            pipe.enable_sequential_cpu_offload()
    return pipe


PLACERS = {
    "fast": lambda pipe: pipe.to("cuda"),
    "small": lambda pipe: pipe.enable_model_cpu_offload(),
}
pipe = StableDiffusionXLPipeline.from_pretrained("stabilityai/stable-diffusion-xl-base-1.0", torch_dtype=torch.float16)
apply(pipe, Mode("model"))("a sieve").images[0].save("sieve.png")
