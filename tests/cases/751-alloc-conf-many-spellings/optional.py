import os

try:
    import torch
except ImportError:
    torch = None
from yews import train

if torch is not None and torch.cuda.is_available():
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
    train("cuda")
