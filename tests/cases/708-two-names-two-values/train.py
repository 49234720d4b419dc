import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:256"
os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments:True"

import torch
from truffles import SniffNet, forest

net = SniffNet().cuda()
opt = torch.optim.AdamW(net.parameters())
for x, y in forest():
    opt.zero_grad()
    net.loss(x.cuda(), y.cuda()).backward()
    opt.step()
