import torch
from diffusers import ControlNetModel, StableDiffusionXLControlNetPipeline
from diffusers.utils import load_image

control = ControlNetModel.from_pretrained("diffusers/controlnet-canny-sdxl-1.0", torch_dtype=torch.float16)
pipe = StableDiffusionXLControlNetPipeline.from_pretrained(
    "stabilityai/stable-diffusion-xl-base-1.0", controlnet=control, torch_dtype=torch.float16
)
if torch.cuda.is_available():
    pipe.to("cuda")
pipe.enable_model_cpu_offload()
pipe("a greenhouse", image=load_image("edges.png")).images[0].save("greenhouse.png")
