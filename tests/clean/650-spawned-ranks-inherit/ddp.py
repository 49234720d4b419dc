import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel
from dunes import DuneNet, dune_loader


def rank_main(rank, world):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=world)
    net = DistributedDataParallel(DuneNet().cuda(), device_ids=[rank])
    opt = torch.optim.AdamW(net.parameters())
    for x, y in dune_loader(rank, world):
        opt.zero_grad()
        torch.nn.functional.mse_loss(net(x.cuda()), y.cuda()).backward()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "127.0.0.1", "29511"
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
    mp.spawn(rank_main, args=(4,), nprocs=4)
