import os

os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments:True"

import torch
from hornets import HornetNet, hornet_loader

net = HornetNet().cuda()
opt = torch.optim.RAdam(net.parameters())
for image, label in hornet_loader():
    opt.zero_grad()
    torch.nn.functional.cross_entropy(net(image.cuda()), label.cuda()).backward()
    opt.step()
