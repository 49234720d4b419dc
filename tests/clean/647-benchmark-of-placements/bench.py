import torch
from diffusers import StableDiffusionPipeline

NAME = "stable-diffusion-v1-5/stable-diffusion-v1-5"


def fresh():
    return StableDiffusionPipeline.from_pretrained(NAME, torch_dtype=torch.float16, safety_checker=None)


def resident():
    return fresh().to("cuda")


def model_offload():
    pipe = fresh()
    pipe.enable_model_cpu_offload()
    return pipe


def sequential():
    pipe = fresh()
    pipe.enable_sequential_cpu_offload()
    return pipe


for make in (resident, model_offload, sequential):
    torch.cuda.reset_peak_memory_stats()
    pipe = make()
    pipe("a ladder", num_inference_steps=5)
    print(make.__name__, torch.cuda.max_memory_allocated() / 2**30)
    pipe.remove_all_hooks()
    del pipe
    torch.cuda.empty_cache()
