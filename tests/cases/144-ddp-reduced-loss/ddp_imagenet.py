import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler
from torchvision import datasets, models, transforms


def main():
    local = int(os.environ["LOCAL_RANK"])
    dist.init_process_group("nccl")
    torch.cuda.set_device(local)
    world = dist.get_world_size()
    net = DistributedDataParallel(models.resnet50().cuda(), device_ids=[local])
    crit = nn.CrossEntropyLoss().cuda()
    opt = torch.optim.SGD(net.parameters(), 0.1 * world, momentum=0.9)
    tf = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
    data = datasets.ImageFolder("/data/imagenet/train", tf)
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=128, sampler=sampler, num_workers=8, pin_memory=True)
    for epoch in range(90):
        sampler.set_epoch(epoch)
        epoch_loss, correct = 0.0, torch.zeros((), device="cuda")
        for x, y in loader:
            x, y = x.cuda(local, non_blocking=True), y.cuda(local, non_blocking=True)
            out = net(x)
            loss = crit(out, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            dist.all_reduce(loss)
            epoch_loss += loss / world
            correct += (out.argmax(1) == y).sum()
        if local == 0:
            print(epoch, epoch_loss.item() / len(loader), correct.item() / len(data))


if __name__ == "__main__":
    main()
