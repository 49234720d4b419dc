import os
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:16,garbage_collection_threshold:0.8"
import torch
print(torch.ones(3, device="cuda"))
