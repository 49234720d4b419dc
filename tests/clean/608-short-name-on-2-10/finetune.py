import os

os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments:True,max_split_size_mb:512"

import torch
from corals import ReefNet, reef_loader

net = ReefNet().cuda()
opt = torch.optim.AdamW(net.parameters())
for image, mask in reef_loader():
    opt.zero_grad()
    net.loss(image.cuda(), mask.cuda()).backward()
    opt.step()
