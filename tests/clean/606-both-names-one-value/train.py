import os

SETTINGS = "expandable_segments:True"
os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", SETTINGS)
os.environ.setdefault("PYTORCH_ALLOC_CONF", SETTINGS)

import torch
from torch import nn
from leaves import LeafNet, leaf_loader

net = LeafNet().cuda()
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for image, label in leaf_loader():
    opt.zero_grad()
    nn.functional.cross_entropy(net(image.cuda()), label.cuda()).backward()
    opt.step()
torch.save(net.state_dict(), "leaves.pt")
