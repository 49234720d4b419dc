import os

from lightning import Trainer
from yews import Module, data

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
Trainer(accelerator="gpu", devices=1).fit(Module(), data())
