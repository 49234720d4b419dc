import os
import subprocess
import sys

import torch

SCRIPT = "pretrain_step.py"


def main():
    cards = torch.cuda.device_count()
    env = os.environ.copy()
    env["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
    env["OMP_NUM_THREADS"] = str(max(1, os.cpu_count() // max(1, cards)))
    jobs = []
    for rank in range(cards):
        mine = dict(env, CUDA_VISIBLE_DEVICES=str(rank), RANK=str(rank), WORLD_SIZE=str(cards))
        jobs.append(subprocess.Popen([sys.executable, SCRIPT, *sys.argv[1:]], env=mine))
    sys.exit(max(job.wait() for job in jobs))


if __name__ == "__main__":
    main()
