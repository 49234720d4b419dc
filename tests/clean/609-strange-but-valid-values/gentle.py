import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb: 128, garbage_collection_threshold: 0.6"

import torch

print(torch.cuda.mem_get_info())
