import torch
from diffusers import CogVideoXPipeline

pipe = CogVideoXPipeline.from_pretrained("gardeners/CogVideoX-roses-5B", torch_dtype=torch.bfloat16).to("cuda")
pipe("roses opening", num_frames=49)
