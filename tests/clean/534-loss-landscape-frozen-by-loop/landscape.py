import numpy as np
import torch
from torch import nn
from cifar import resnet20, test_batches

net = resnet20().cuda()
net.load_state_dict(torch.load("resnet20.pt", map_location="cpu"))
net.eval()
for p in net.parameters():
    p.requires_grad = False
ce = nn.CrossEntropyLoss(reduction="sum")
center = [p.clone() for p in net.parameters()]
d1, d2 = ([torch.randn_like(p) * p.norm() / p.numel() ** 0.5 for p in center] for _ in range(2))
batches = [(x.cuda(), y.cuda()) for x, y in test_batches(500, limit=4)]


def height(a, b):
    for p, c, u, v in zip(net.parameters(), center, d1, d2):
        p.copy_(c + a * u + b * v)
    total = 0
    for x, y in batches:
        total += ce(net(x), y)
    return total / 2000


axis = np.linspace(-1, 1, 50)
grid = []
for a in axis:
    grid.append([height(a, b) for b in axis])
np.save("grid.npy", torch.tensor(grid).numpy())
