import os

os.environ.setdefault("PYTORCH_ALLOC_CONF", "expandable_segments:True")

import torch
from pebbles import PebbleNet, pebble_loader

net = PebbleNet().cuda()
opt = torch.optim.AdamW(net.parameters())
for x, y in pebble_loader():
    opt.zero_grad()
    torch.nn.functional.l1_loss(net(x.cuda()), y.cuda()).backward()
    opt.step()
