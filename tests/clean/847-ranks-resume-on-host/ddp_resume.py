import os
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from clouds import CloudNet, loader_for

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl")
net = DDP(CloudNet().cuda(rank), device_ids=[rank])
opt = torch.optim.AdamW(net.parameters(), 1e-4)


def resume(path):
    state = torch.load(path, map_location="cpu", weights_only=True)
    net.module.load_state_dict(state["net"])
    opt.load_state_dict(state["opt"])
    return state["epoch"] + 1


first = resume("last.pt") if os.path.exists("last.pt") else 0
for epoch in range(first, 90):
    running = torch.zeros((), device=rank)
    for x, y in loader_for(rank, epoch):
        loss = torch.nn.functional.mse_loss(net(x.cuda(rank)), y.cuda(rank))
        opt.zero_grad()
        loss.backward()
        opt.step()
        running += loss.detach()
    dist.all_reduce(running)
    if rank == 0:
        print(epoch, running.item())
        torch.save({"net": net.module.state_dict(), "opt": opt.state_dict(), "epoch": epoch}, "last.pt")
