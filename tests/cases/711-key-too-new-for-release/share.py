import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "per_process_memory_fraction:0.5"

import torch
from lichens import classify

classify("batch.npz", device=torch.device("cuda"))
