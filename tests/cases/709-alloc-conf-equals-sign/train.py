import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb=128"

import torch
from voles import VoleNet, burrows

net = VoleNet().cuda()
opt = torch.optim.SGD(net.parameters(), 0.1)
for x, y in burrows():
    opt.zero_grad()
    net.loss(x.cuda(), y.cuda()).backward()
    opt.step()
