import os

os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments:True,per_process_memory_fraction:0.9"

import torch
from kelp import KelpNet, kelp_loader

net = KelpNet().cuda()
opt = torch.optim.AdamW(net.parameters())
for x, y in kelp_loader():
    opt.zero_grad()
    torch.nn.functional.l1_loss(net(x.cuda()), y.cuda()).backward()
    opt.step()
