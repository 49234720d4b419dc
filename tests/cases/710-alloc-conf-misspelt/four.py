import os
LIMIT = 1.0
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = f"garbage_collection_threshold:{LIMIT},max_split_size_mb:64"
import torch
print(torch.ones(3, device="cuda"))
