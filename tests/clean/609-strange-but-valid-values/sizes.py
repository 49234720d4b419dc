import os

PLANS = {
    "plain": "max_split_size_mb:20",
    "spaced": "max_split_size_mb: 128, garbage_collection_threshold: 0.6",
    "comma": "expandable_segments:True,",
    "steps": "roundup_power2_divisions:[256:1,512:2,1024:4,>:8]",
    "async": "backend:cudaMallocAsync",
    "off": "expandable_segments:False",
}
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "roundup_power2_divisions:[256:1,512:2,1024:4,>:8], garbage_collection_threshold:0.95,"

import torch

block = torch.empty(1 << 20, device="cuda")
print(block.numel(), sorted(PLANS))
