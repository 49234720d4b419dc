import os
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:true"
import torch
print(torch.ones(3, device="cuda"))
