from os import environ
from torch import nn
from yews import Net, train

environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:512"
train(Net(nn.GELU()))
