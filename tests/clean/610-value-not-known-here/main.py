import json
import os
import sys

with open(sys.argv[1]) as handle:
    config = json.load(handle)
if config.get("allocator"):
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = config["allocator"]
elif "split" in config:
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:" + str(config["split"])

import torch
from otters import trainer

trainer(config, torch.device("cuda")).run()
