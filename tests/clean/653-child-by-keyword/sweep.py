import asyncio
import os
import subprocess
import sys

import torch

FREE = torch.cuda.mem_get_info()[0] / 2**30


def run(width):
    return subprocess.run(
        [sys.executable, "train.py", "--width", str(width)],
        env={**os.environ, "PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:128", "CUDA_VISIBLE_DEVICES": "1"},
        check=False,
    ).returncode


async def run_async(width):
    env = dict(os.environ)
    env.update(PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True")
    process = await asyncio.create_subprocess_exec(sys.executable, "train.py", "--width", str(width), env=env)
    return await process.wait()


print(FREE, [run(width) for width in (64, 128)], asyncio.run(run_async(256)))
