import os

import torch


def allocator_line():
    value = os.environ.get("PYTORCH_CUDA_ALLOC_CONF", "")
    if "PYTORCH_CUDA_ALLOC_CONF" not in os.environ:
        return "allocator: defaults"
    return f"allocator: {value or os.environ['PYTORCH_CUDA_ALLOC_CONF']}"


x = torch.ones(4, device="cuda")
print(allocator_line(), torch.cuda.memory_allocated(), x.sum().item())
print("hint: export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True before starting")
