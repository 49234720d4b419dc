import os
from importlib.metadata import version

RELEASE = tuple(int(part) for part in version("torch").split("+")[0].split(".")[:2])

if RELEASE >= (2, 10):
    os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments:True"
else:
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"

import torch

print(torch.__version__, torch.zeros(1, device="cuda").device)
