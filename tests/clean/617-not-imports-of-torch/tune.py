import os
from dataclasses import dataclass

import datasets
import evaluate as metrics_hub
import huggingface_hub
import numpy as np
import pandas as pd
import tokenizers
import wandb
from safetensors.numpy import load_file

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"

import torch
from transformers import AutoModelForSequenceClassification


@dataclass
class Options:
    base: str = "distilbert/distilbert-base-uncased"
    labels: int = 5


options = Options()
net = AutoModelForSequenceClassification.from_pretrained(options.base, num_labels=options.labels).cuda()
print(sum(p.numel() for p in net.parameters()), torch.cuda.memory_allocated())
