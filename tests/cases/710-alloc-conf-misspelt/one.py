import os
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segment:True"
import torch
print(torch.ones(3, device="cuda"))
