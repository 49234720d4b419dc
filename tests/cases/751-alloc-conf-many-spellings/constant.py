import os
import torch
from yews import train

VARIABLE, VALUE = "PYTORCH_CUDA_ALLOC_CONF", "garbage_collection_threshold:0.8"
os.environ[VARIABLE] = VALUE
train(torch.device("cuda"))
