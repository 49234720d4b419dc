# /// script
# requires-python = ">=3.11"
# dependencies = ["torch==2.8.0", "numpy"]
# ///
import os

os.environ["PYTORCH_ALLOC_CONF"] = "garbage_collection_threshold:0.8"

import torch

print(torch.zeros(3, device="cuda"))
