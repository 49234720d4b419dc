import numpy as np
import torch
import torchvision
from torch import nn
from fossils import fossil_loader

net = torchvision.models.densenet121(weights="DEFAULT")
for child in net.children():
    for param in child.parameters():
        param.requires_grad = False
net.classifier = nn.Identity()
net = net.cuda().eval()
rows, names = [], []
for x, name in fossil_loader(64):
    rows.append(net(x.cuda()).cpu())
    names += name
np.savez("fossils.npz", x=torch.cat(rows).numpy(), names=np.array(names))
