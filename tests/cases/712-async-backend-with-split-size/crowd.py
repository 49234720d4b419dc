import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "backend:cudaMallocAsync,max_split_size_mb:128,expandable_segments:True"

import torch
from crowds import CrowdNet, frames

net = CrowdNet().cuda().eval()
with torch.inference_mode():
    for frame in frames("square.mp4"):
        print(net(frame.cuda()).sum().item())
