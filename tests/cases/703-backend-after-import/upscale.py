import os
import torch
from torchvision.io import read_image
from upscalers import Upscaler

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "backend:cudaMallocAsync"

net = Upscaler(scale=4).cuda().eval()
with torch.inference_mode():
    out = net(read_image("in.png").cuda()[None] / 255)
torch.save(out.cpu(), "out.pt")
