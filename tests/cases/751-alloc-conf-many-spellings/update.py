import os
import torch
from yews import train

os.environ.update({"OMP_NUM_THREADS": "4", "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"})
train(torch.device("cuda"))
