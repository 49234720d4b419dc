import os
import subprocess
import sys


def bench(size):
    import torch

    block = torch.randn(size, size, device="cuda")
    return (block @ block).sum().item()


def launch(arguments):
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
    return subprocess.call([sys.executable, "-m", "trainer", *arguments])


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    if command == "bench":
        print(bench(int(rest[0])))
    else:
        sys.exit(launch(rest))
