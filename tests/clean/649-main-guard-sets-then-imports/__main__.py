"""python -m mapper; torch is imported by mapper.run."""
import os
import sys


def entry():
    os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")
    from mapper.run import main

    import torch

    print(torch.cuda.get_device_name(0))
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(entry())
