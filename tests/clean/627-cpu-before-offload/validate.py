import torch
from diffusers import DiffusionPipeline


def validate(unet, step, device):
    pipe = DiffusionPipeline.from_pretrained(
        "stabilityai/stable-diffusion-xl-base-1.0", unet=unet, torch_dtype=torch.float16
    )
    pipe.to("cpu")
    pipe.enable_model_cpu_offload(device=device)
    with torch.autocast("cuda"):
        images = [pipe("a jar of honey", num_inference_steps=25).images[0] for _ in range(4)]
    for number, image in enumerate(images):
        image.save(f"{step}-{number}.png")
    pipe.remove_all_hooks()
    pipe.to(device)
    return pipe
