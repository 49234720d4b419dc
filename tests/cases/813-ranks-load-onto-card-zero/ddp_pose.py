import argparse
import os
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel
from hands import HandNet, HandDataset


def build(rank):
    net = HandNet(stacks=4, joints=21).cuda(rank)
    net = DistributedDataParallel(net, device_ids=[rank])
    opt = torch.optim.RMSprop(net.parameters(), 2.5e-4)
    return net, opt


def resume(path, net, opt):
    state = torch.load(path)
    net.module.load_state_dict(state["net"])
    opt.load_state_dict(state["opt"])
    return state["epoch"] + 1, state


def worker(rank, world, args):
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "127.0.0.1", "29511"
    dist.init_process_group("nccl", rank=rank, world_size=world)
    torch.cuda.set_device(rank)
    net, opt = build(rank)
    first, state = 0, None
    if args.resume and os.path.isfile(args.resume):
        first, state = resume(args.resume, net, opt)
    data = HandDataset(args.data)
    sampler = torch.utils.data.distributed.DistributedSampler(data, world, rank)
    loader = torch.utils.data.DataLoader(data, 24, sampler=sampler, num_workers=4, pin_memory=True)
    for epoch in range(first, args.epochs):
        sampler.set_epoch(epoch)
        total = torch.zeros(1, device=rank)
        for img, heat in loader:
            maps = net(img.cuda(rank, non_blocking=True))
            loss = sum((m - heat.cuda(rank)).pow(2).mean() for m in maps)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.detach()
        dist.all_reduce(total)
        if rank == 0:
            best = min(total.item(), state["best"] if state else float("inf"))
            torch.save({"net": net.module.state_dict(), "opt": opt.state_dict(), "epoch": epoch, "best": best}, "hand.pth")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--data", default="/data/hands")
    p.add_argument("--resume")
    p.add_argument("--epochs", type=int, default=120)
    args = p.parse_args()
    n = torch.cuda.device_count()
    mp.spawn(worker, args=(n, args), nprocs=n)
