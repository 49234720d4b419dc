import os
import sys
import warnings


def configure_allocator(value="expandable_segments:True"):
    if "torch" in sys.modules:
        warnings.warn("torch is loaded already, the allocator keeps its settings")
        return False
    os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", value)
    return True


configure_allocator()

import torch

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
